// A campaign's end of one child: started when it is first asked, and again after it ended or was given up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/backends/worker/process.h"

namespace faultline {

struct JobCommand {
  std::vector<std::string> command;  // "faultline fuzz --job"
  std::string folder;                // for what it and the workers below it leave behind
};

class JobProcess {
 public:
  JobProcess(JobCommand command, nlohmann::json settings);

  struct Answer {
    nlohmann::json reply;      // null: none came
    std::string lost;          // how the child ended: "SIGSEGV", "no sign of life in 10 minutes"
    bool interrupted = false;  // `stop` said so
  };
  // `stop` is asked twice a second while it waits. A child that gave no answer is gone.
  Answer ask(const nlohmann::json& request, const std::function<bool()>& stop);

 private:
  bool start(Answer& answer, const std::function<bool()>& stop);
  void converse(const nlohmann::json& request, const std::function<bool()>& stop, Answer& answer);

  JobCommand command_;
  nlohmann::json settings_;
  std::unique_ptr<Process> process_;
};

}  // namespace faultline
