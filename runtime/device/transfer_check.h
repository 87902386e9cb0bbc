// What the checks of layer 7 share: the findings, and where a launch's requests stand in its streams.
#pragma once

#include "runtime/device/verify_transfer.h"
#include "runtime/layers/schedule/machine_state.h"

namespace faultline {

class TransferCheck {
 public:
  // Keeps references to all.
  TransferCheck(const MachineProgram& program, const JobPlan& plan, const DeviceReport& report);

  std::vector<Finding> run();

 private:
  static constexpr int kMost = 4;

  // One request (verify_transfer.cc)
  void add(std::string_view promise, const std::string& place, std::string text);
  void add(std::string_view promise, size_t request, std::string text);
  void check_error();
  void check_reply(size_t request);
  void check_bytes(size_t request);
  void check_time(size_t request);
  void check_steps();
  void check_idle();
  bool explained(const DeviceRequest& launch) const;

  // The requests of a launch against its streams and its arguments (verify_launches.cc)
  struct Track {
    const Stream* stream = nullptr;
    size_t work = 0;               // instructions that are requests
    std::vector<size_t> requests;  // in order
  };
  struct Giver {
    int track = -1;                   // that signals a token; -1 none, -2 several
    std::vector<size_t> work_before;  // by signal: instructions of the track that are requests
  };
  struct LaunchTracks {
    size_t request = 0;
    std::vector<Track> tracks;      // by stream
    std::vector<Giver> tokens;      // by token
    std::vector<size_t> by_engine;  // track by core and engine
    bool shared = false;            // an engine has two streams: whose request it is cannot be told
  };
  void find_tracks();
  static void add_tracks(LaunchTracks& tracks, const Launch& launch);
  void check_launches();
  void check_counts(const LaunchTracks& launch);
  void check_waits(const LaunchTracks& launch, const Track& waiting);
  void check_signal(const LaunchTracks& launch, const Track& waiting, const Track& giver, size_t needed,
                    const Instruction& wait);
  void check_order(size_t later, const Track& giver, size_t needed);
  const DeviceWait* open_pause(const LaunchTracks& launch, const Stream& stream) const;
  void check_addresses(const LaunchTracks& launch);
  void check_host_addresses();
  int64_t home(int buffer) const { return bases_[buffer] + report_.arena; }
  int64_t home_of_copy(const DeviceRequest& request) const;

  const MachineProgram& program_;
  const JobPlan& plan_;
  const DeviceReport& report_;
  std::vector<int64_t> bases_;  // by buffer, as the program plans them
  std::vector<LaunchTracks> launches_;
  std::vector<Finding> findings_;
  std::vector<std::pair<std::string, int>> counts_;  // findings by promise
};

}  // namespace faultline
