// Each storage goes once into the block, in the order in which its first tensor appears.
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "runtime/backends/worker/frame.h"
#include "runtime/backends/worker/wire.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

using nlohmann::json;
constexpr int64_t kAlignment = 64;

class RequestWriter {
 public:
  json value(const Value& value) {
    return std::visit([this](const auto& alternative) { return written(alternative); }, value.value);
  }
  json values(const ValueList& list) {
    json array = json::array();
    for (const Value& element : list) array.push_back(value(element));
    return array;
  }
  json storages() const {
    json array = json::array();
    for (size_t i = 0; i < storages_.size(); ++i)
      array.push_back({{"offset", offsets_[i]}, {"bytes", storages_[i]->size()}});
    return array;
  }
  // Empty text, or why it cannot be.
  std::string write_block(FileDescriptor& block) const;

 private:
  json written(NoneArgument) { return {{"none", true}}; }
  json written(bool truth) { return {{"bool", truth}}; }
  json written(int64_t number) { return {{"int", number}}; }
  json written(double number) {
    if (number != number) return {{"real", "nan"}};
    return {{"real", fmt::format("{:a}", number)}};
  }
  json written(const ValueList& list) { return {{"list", values(list)}}; }
  json written(const Tensor& tensor) {
    return {{"tensor",
             {{"dtype", name(tensor.type.dtype)},
              {"sizes", tensor.type.sizes},
              {"strides", tensor.type.strides},
              {"offset", tensor.type.offset},
              {"storage", number_of(tensor)}}}};
  }
  json written(DType) { return no_argument("a dtype"); }
  json written(const Keyword&) { return no_argument("a word"); }
  static json no_argument(const char* what) {
    FAULTLINE_CHECK(false, fmt::format("{} is no argument of a program", what));
    return {};
  }

  size_t number_of(const Tensor& tensor) {
    const auto [entry, fresh] = numbers_.emplace(tensor.storage.get(), storages_.size());
    if (fresh) {
      storages_.push_back(tensor.storage.get());
      offsets_.push_back(end_);
      const auto bytes = static_cast<int64_t>(tensor.storage->size());
      end_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    return entry->second;
  }

  std::map<const std::vector<std::byte>*, size_t> numbers_;
  std::vector<const std::vector<std::byte>*> storages_;
  std::vector<int64_t> offsets_;
  int64_t end_ = 0;
};

std::string RequestWriter::write_block(FileDescriptor& block) const {
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

bool is_plain_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x7f && (c >= ' ' || c == '\n' || c == '\t');
  });
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

WireRequest encode_request(const RunRequest& request, int64_t id) {
  RequestWriter writer;
  json document = {{"protocol", kWireProtocol}, {"id", id}, {"kind", "run"}, {"form", request.form}};
  if (is_plain_text(request.program))
    document["program"] = request.program;
  else
    document["program_base64"] = base64(request.program);
  document["entry"] = request.entry;
  document["settings"] = request.settings.is_null() ? json::object() : request.settings;
  document["attributes"] = json::array();
  for (const auto& [attribute, value] : request.attributes)
    document["attributes"].push_back(json::array({attribute, writer.value(value)}));
  document["calls"] = json::array();
  for (const ValueList& call : request.calls) document["calls"].push_back(writer.values(call));
  document["storages"] = writer.storages();
  WireRequest wire;
  wire.text = document.dump();
  if (wire.text.size() > kFrameBytesMax)
    wire.why_not =
        fmt::format("a request of {} bytes beside its tensors, at most {}", wire.text.size(), kFrameBytesMax);
  else
    wire.why_not = writer.write_block(wire.block);
  return wire;
}

}  // namespace faultline
