// Text of a layout, "{0,64,2}{0,1,64} x2B undefined", and back.
#include <fmt/format.h>

#include <charconv>

#include "runtime/base/error.h"
#include "runtime/layers/layout/device_layout.h"

namespace faultline {

std::string_view name(Padding padding) {
  constexpr std::string_view names[] = {"undefined", "zero", "neutral"};
  return names[static_cast<int>(padding)];
}

std::string to_text(const DeviceLayout& layout) {
  std::string text;
  for (const DeviceDim& dim : layout.dims) {
    text += dim.host_dim == kByteDim ? "{byte" : fmt::format("{{{}", dim.host_dim);
    text += fmt::format(",{},{}", dim.host_step, dim.extent);
    text += dim.axis == "mem" ? "}" : fmt::format(",{}}}", dim.axis);
  }
  return text + fmt::format(" x{}B {}", layout.element_bytes, name(layout.padding));
}

namespace {

class LayoutReader {
 public:
  explicit LayoutReader(std::string_view text) : text_(text) {}

  DeviceLayout read() {
    DeviceLayout layout;
    while (take("{")) layout.dims.push_back(read_dim());
    require(" x");
    layout.element_bytes = static_cast<int>(read_number());
    require("B ");
    layout.padding = read_padding();
    return layout;
  }

 private:
  DeviceDim read_dim() {
    DeviceDim dim;
    dim.host_dim = take("byte") ? kByteDim : static_cast<int>(read_number());
    require(",");
    dim.host_step = read_number();
    require(",");
    dim.extent = read_number();
    if (take(",")) {
      const size_t end = text_.find('}', at_);
      if (end == std::string_view::npos || end == at_) expected("an axis");
      dim.axis = text_.substr(at_, end - at_);
      at_ = end;
    }
    require("}");
    return dim;
  }
  Padding read_padding() {
    const std::string word(text_.substr(at_));
    std::vector<std::string> words;
    for (const Padding padding : {Padding::undefined, Padding::zero, Padding::neutral}) {
      if (name(padding) == word) return padding;
      words.emplace_back(name(padding));
    }
    throw UserError(
        fmt::format("device layout, column {}: unknown padding '{}'{}", at_ + 1, word, did_you_mean(word, words)));
  }
  int64_t read_number() {
    int64_t number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc()) expected("a number");
    at_ += static_cast<size_t>(end - begin);
    return number;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void require(std::string_view word) {
    if (!take(word)) expected(fmt::format("'{}'", word));
  }
  [[noreturn]] void expected(std::string_view what) const {
    throw UserError(
        fmt::format("device layout, column {}: expected {}, found '{}'", at_ + 1, what, text_.substr(at_, 12)));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

DeviceLayout parse_device_layout(std::string_view text) { return LayoutReader(text).read(); }

}  // namespace faultline
