// One job on a card in virtual time: the host queue and every core's engines, advanced by events in the order of
// (tick, number). What bytes and values do is DeviceEffects' affair.
//
//   host queue  one step after the other, each when the one before it has replied; copies share one link
//   engine      a stream's instructions in order; work occupies it, waits hold it, signals cost nothing
//   copy        reads its source when it begins and writes its target when it ends
//   compute     reads and writes when it begins
//   send        arrives when it ends
//
// Every request asks the gate once. A host copy, a patch, a launch and an engine's copy or send ask by their kind; a
// compute instruction asks `completion` with its core, and the reply of a launch asks `completion` with core -1.
#pragma once

#include <array>
#include <map>

#include "runtime/core/gate.h"
#include "runtime/device/device_costs.h"
#include "runtime/device/device_effects.h"
#include "runtime/device/device_report.h"

namespace faultline {

// What a card remembers between jobs beside its memory.
struct CardHistory {
  // Base addresses by buffer, as a kernel's launches take them.
  struct Arguments {
    std::vector<int64_t> current;   // as last patched
    std::vector<int64_t> previous;  // as they were for the launch before
  };
  std::map<std::string, Arguments, std::less<>> arguments;  // by program and kernel
  std::array<int64_t, 7> asked{};                           // requests by TransferSite::Kind
};

class JobRun {
 public:
  struct Options {
    bool trace = false;
    int call = 0;
    int first_actor = 1;  // actors of instructions are numbered behind it
  };
  // Keeps references to all.
  JobRun(const DeviceParameters& parameters, const MachineProgram& program, const JobPlan& plan, Gate& gate,
         DeviceEffects& effects, CardHistory& history, const Options& options);

  DeviceReport run();

 private:
  struct Event {
    enum class Kind : uint8_t { step, start, begin, finish, resume, signal, reply };
    int64_t tick = 0, number = 0;
    Kind kind = Kind::step;
    int index = -1;  // request, active launch or stream
    int token = -1;
    int64_t given = 0;
    bool operator>(const Event& other) const { return tick != other.tick ? tick > other.tick : number > other.number; }
  };
  // What the loop knows of a request beside the report: by request number.
  struct Work {
    TransferAnswer answer;
    CopyOrder order;
    int slot = -1;
    int stream = -1;
    int peer = -1;  // of a send
    int64_t duration = 0;
    bool again = false;  // carried out once already
    bool early = false;  // its issuer went on when it began
  };
  struct ActiveLaunch {
    int launch = -1;
    int request = -1;
    int streams = 0, first_stream = 0;  // in streams_
    int remaining = 0;                  // streams that have not ended
    bool repeat = false;
    std::vector<int64_t> bases;
    std::vector<int64_t> signals;           // by token
    std::vector<std::vector<int>> waiting;  // streams by token
    std::vector<std::vector<int>> places;   // of each instruction in the order of the program, by stream
    int first_actor = 0;
  };
  struct StreamRun {
    enum class State : uint8_t { queued, running, working, waiting, stuck, ended };
    State state = State::queued;
    int active = -1;  // in active_
    const Stream* stream = nullptr;
    size_t position = 0;
    int engine = -1;   // in engines_
    int pause = -1;    // in report_.pauses
    int request = -1;  // outstanding
    int64_t ready = -1;
  };
  struct EngineQueue {
    std::vector<int> streams;
    size_t first = 0;
    int64_t free = 0;  // tick from which it takes work
  };

  // The loop (job_run.cc)
  void push(int64_t tick, Event::Kind kind, int index, int token = -1, int64_t given = 0);
  void handle(const Event& event);
  bool beyond_limit(int64_t tick);
  int add_request(const DeviceRequest& request);
  TransferAnswer ask(TransferSite::Kind kind, std::string_view buffer, std::string_view kernel, int core, int channel,
                     int64_t bytes);
  int take_slot();
  void put(int request);
  bool page_fault(int64_t address) const;
  void fail(uint32_t code, const std::string& place);
  void fail(int request) { fail(works_[request].answer.error_code, words(request)); }
  std::string words(int request) const;

  // The host queue (job_host.cc)
  void next_step();
  void issue_copy(const JobStep& step);
  void issue_patch(const JobStep& step);
  void issue_launch(const JobStep& step);
  void begin_host_work(int request);
  void finish_host_work(int request);
  void write_arguments(int request);
  void host_reply(int request);
  void sample_memory(int launch);
  void synchronise();
  CardHistory::Arguments& arguments(int launch);
  std::vector<int64_t> launch_arguments(int request);

  // Launches and streams (job_streams.cc)
  void start(int request);
  void start_streams(int active);
  void begin_stream(int stream);
  void end_stream(int stream);
  void end_launch(int active);
  void advance(int stream);
  bool wait(int stream, const Instruction& instruction);
  bool signal(int stream, const Instruction& instruction);
  void deliver(int active, int token, int64_t given);
  bool receive(int stream, const Instruction& instruction);
  bool begin_work(int stream, const Instruction& instruction);
  void begin_copy(int request, const Descriptor& descriptor);
  void begin_compute(int request, const Compute& compute);
  void begin_send(int request, const Compute& compute);
  void finish_work(int request);
  void deliver_send(int core, int peer);
  void hold(int stream, int token);
  void go_on(int stream);

  // What stood still (job_hang.cc)
  void hang();
  std::string oldest_request() const;
  std::string stream_words(int stream) const;
  std::string wait_words(int stream) const;
  std::vector<int> waits_for(int stream) const;
  std::vector<int> cycle() const;

  // For people (job_trace.cc)
  void write_trace();

  const DeviceParameters& parameters_;
  const MachineProgram& program_;
  const JobPlan& plan_;
  Gate& gate_;
  DeviceEffects& effects_;
  CardHistory& history_;
  Options options_;
  DeviceCosts costs_;
  DeviceCosts::Channel channel_;
  DeviceReport report_;

  int64_t now_ = 0, events_made_ = 0, limit_ = 0;
  bool limit_final_ = false;
  bool finished_ = false;      // the host has synchronised; what is under way still takes effect
  bool stopped_ = false;       // an engine has failed
  std::vector<Event> events_;  // a heap
  std::vector<Work> works_;
  std::vector<int> free_slots_;
  int slots_ = 0;

  size_t step_ = 0;
  int64_t host_free_ = 0;
  int replies_too_many_ = 0;
  std::vector<ActiveLaunch> active_;
  std::vector<StreamRun> streams_;
  std::vector<EngineQueue> engines_;
  std::vector<int> receivers_;
  std::vector<TraceEvent> signals_;  // with trace
};

}  // namespace faultline
