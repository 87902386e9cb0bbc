// Values as JSON with one block of shared memory, both ways. Reading is done as if from an enemy: every member is
// looked for, and every number is compared with what it indexes before it is used.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/backends/worker/descriptor.h"
#include "runtime/backends/worker/message.h"
#include "runtime/backends/worker/wire.h"

namespace faultline {

// What is wrong with what was sent. Never leaves the files that read the wire.
struct WireLie {
  std::string text;
};

struct WireLimits {
  int64_t bytes = 0;   // of storages, and of what one tensor stands for
  bool texts = false;  // may be values
};

const nlohmann::json& wire_member(const nlohmann::json& object, const char* name, const std::string& place);
const nlohmann::json& wire_array(const nlohmann::json& object, const char* name, const std::string& place);

using WireStorages = std::vector<std::shared_ptr<std::vector<std::byte>>>;
// Copied by pread, because memory that is mapped can be cut off under its reader.
WireStorages read_storages(const nlohmann::json& list, const FileDescriptor& block, const WireLimits& limits);

class ValueReader {
 public:
  // Keeps references to both.
  ValueReader(const WireStorages& storages, const WireLimits& limits) : storages_(storages), limits_(limits) {}

  Value value(const nlohmann::json& tagged, const std::string& place) const;
  ValueList values(const nlohmann::json& list, const std::string& place) const;
  NamedValues pairs(const nlohmann::json& list, const std::string& place) const;

 private:
  Tensor tensor(const nlohmann::json& content, const std::string& place) const;
  void check_extent(const TensorType& type, int64_t bytes, const std::string& place) const;

  const WireStorages& storages_;
  const WireLimits& limits_;
};

// Each storage goes once into the block, in the order in which its first tensor appears.
class ValueWriter {
 public:
  nlohmann::json value(const Value& value);
  nlohmann::json values(const ValueList& list);
  nlohmann::json pairs(const NamedValues& list);
  nlohmann::json storages() const;
  // Empty text, or why it cannot be.
  std::string write_block(FileDescriptor& block) const;

 private:
  size_t number_of(const Tensor& tensor);

  std::map<const std::vector<std::byte>*, size_t> numbers_;
  std::vector<const std::vector<std::byte>*> storages_;
  std::vector<int64_t> offsets_;
  int64_t end_ = 0;
};

// One message: what is there of it so far, and the storages of what `writer` wrote.
WireFrame wire_frame(nlohmann::json document, const ValueWriter& writer);

}  // namespace faultline
