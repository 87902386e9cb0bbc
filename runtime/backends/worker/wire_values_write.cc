// Values of the wire, written.
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/backends/worker/frame.h"
#include "runtime/backends/worker/wire.h"
#include "runtime/backends/worker/wire_values.h"
#include "runtime/base/error.h"

namespace faultline {

using nlohmann::json;

static constexpr int64_t kAlignment = 64;

json ValueWriter::value(const Value& value) {
  struct Visitor {
    ValueWriter& writer;
    json operator()(NoneArgument) const { return {{"none", true}}; }
    json operator()(bool truth) const { return {{"bool", truth}}; }
    json operator()(int64_t number) const { return {{"int", number}}; }
    json operator()(double number) const {
      if (number != number) return {{"real", "nan"}};
      return {{"real", fmt::format("{:a}", number)}};
    }
    json operator()(const ValueList& list) const { return {{"list", writer.values(list)}}; }
    json operator()(const Tensor& tensor) const {
      return {{"tensor",
               {{"dtype", name(tensor.type.dtype)},
                {"sizes", tensor.type.sizes},
                {"strides", tensor.type.strides},
                {"offset", tensor.type.offset},
                {"storage", writer.number_of(tensor)}}}};
    }
    json operator()(DType) const { return no_argument("a dtype"); }
    json operator()(const Keyword&) const { return no_argument("a word"); }
    static json no_argument(const char* what) {
      FAULTLINE_CHECK(false, fmt::format("{} is no argument of a program", what));
      return {};
    }
  };
  return std::visit(Visitor{*this}, value.value);
}

json ValueWriter::values(const ValueList& list) {
  json array = json::array();
  for (const Value& element : list) array.push_back(value(element));
  return array;
}

json ValueWriter::pairs(const NamedValues& list) {
  json array = json::array();
  for (const auto& [name, element] : list) array.push_back(json::array({name, value(element)}));
  return array;
}

json ValueWriter::storages() const {
  json array = json::array();
  for (size_t i = 0; i < storages_.size(); ++i)
    array.push_back({{"offset", offsets_[i]}, {"bytes", storages_[i]->size()}});
  return array;
}

size_t ValueWriter::number_of(const Tensor& tensor) {
  const auto [entry, fresh] = numbers_.emplace(tensor.storage.get(), storages_.size());
  if (fresh) {
    storages_.push_back(tensor.storage.get());
    offsets_.push_back(end_);
    const auto bytes = static_cast<int64_t>(tensor.storage->size());
    end_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return entry->second;
}

std::string ValueWriter::write_block(FileDescriptor& block) const {
  if (storages_.empty()) return {};
  const auto problem = [&] { return fmt::format("no shared memory for {} bytes: {}", end_, strerrordesc_np(errno)); };
  block = FileDescriptor(memfd_create("faultline", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!block.open() || ftruncate(block.number(), end_) != 0) return problem();
  for (size_t i = 0; i < storages_.size(); ++i) {
    const std::vector<std::byte>& bytes = *storages_[i];
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t wrote = pwrite(block.number(), bytes.data() + done, bytes.size() - done,
                                   static_cast<off_t>(offsets_[i]) + static_cast<off_t>(done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return problem();
      done += static_cast<size_t>(wrote);
    }
  }
  // Written to no more either: several workers may be given the same block one day.
  if (fcntl(block.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return problem();
  return {};
}

WireFrame wire_frame(json document, const ValueWriter& writer) {
  document["storages"] = writer.storages();
  WireFrame frame;
  frame.text = document.dump();
  if (frame.text.size() > kFrameBytesMax)
    frame.why_not =
        fmt::format("a message of {} bytes beside its tensors, at most {}", frame.text.size(), kFrameBytesMax);
  else
    frame.why_not = writer.write_block(frame.block);
  return frame;
}

}  // namespace faultline
