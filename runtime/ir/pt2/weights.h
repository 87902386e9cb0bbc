// Parameters, buffers and constants of an archive: which member holds which tensor, and the attributes made of them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ir/program.h"
#include "runtime/ir/pt2/archive.h"
#include "runtime/ir/pt2/json_view.h"

namespace faultline {

class Weights {
 public:
  // Reads both configurations of `model`, as far as they are there. The documents must outlive this.
  Weights(const Archive& archive, const std::string& model);

  // The attribute that holds the tensor of this name (an FQN such as "layers.0.weight"); `place` is where it was
  // asked for. Names that no program text can write are changed; two FQNs over one member become an owner and an
  // alias of it.
  std::string attribute(const std::string& fqn, const JsonView& place, Program& program);
  // Whether another attribute views the same bytes.
  bool is_shared(const std::string& attribute) const { return shared_.count(attribute) > 0; }

 private:
  struct Payload {
    std::string member;
    bool pickled = false;
    TensorType type;
  };
  void read_config(const std::string& config, const std::string& folder);
  std::string new_path(const std::string& fqn, const Program& program);

  const Archive& archive_;
  std::vector<std::unique_ptr<JsonDocument>> documents_;
  std::map<std::string, std::pair<Payload, JsonView>> payloads_;
  std::map<std::string, std::string> attributes_;  // FQN to attribute
  std::map<std::string, std::string> owners_;      // member to the attribute that owns its bytes
  std::set<std::string> shared_;
  std::map<std::string, int> repeats_;  // of a path that was taken: the last number put behind it
};

}  // namespace faultline
