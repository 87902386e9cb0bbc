// Names and texts of a verdict, made fit to be shown.
#include "reports/phrases.h"

#include <fmt/format.h>

namespace faultline {

std::string clean(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '\n' || c == '\t') c = ' ';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

std::string tensor_name(const WrongTensor& tensor) {
  std::string text = clean(tensor.name);
  if (tensor.role == "input_after") text = "input " + text + " after the call";
  if (tensor.role == "attribute_after") text = "attribute " + text + " after the call";
  if (tensor.call > 0) text += fmt::format(" (call {})", tensor.call);
  return text;
}

}  // namespace faultline
