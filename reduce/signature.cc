// Numbers and names in quotes belong to one program; without them a pattern is a class.
#include "reduce/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace faultline {

static constexpr size_t kClassLength = 160;

static bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "k0_copy: the piece list of y, [64,65)" -> "#: the piece list of *, [#,#)": what has digits, is in quotes or is a
// single letter names something in one program.
static std::string generalised(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() < kClassLength;) {
    const char c = text[at];
    const size_t quote = c == '\'' || c == '"' || c == '`' ? text.find(c, at + 1) : std::string_view::npos;
    size_t end = at;
    while (end < text.size() && is_word_part(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (quote != std::string_view::npos) {
      out += '*';
      at = quote + 1;
    } else if (word.empty()) {
      out += c;
      ++at;
    } else {
      const bool digits = std::any_of(word.begin(), word.end(), [](char d) { return d >= '0' && d <= '9'; });
      out += digits ? "#" : word.size() == 1 ? "*" : word;
      at = end;
    }
  }
  for (size_t list; (list = out.find("#, #")) != std::string::npos;) out.erase(list, 3);  // however long
  return out;
}

// "f32[4]{stride=2}" from `begin` on, in three: dtype, sizes, the rest.
static std::array<std::string_view, 3> parts_of(std::string_view type) {
  const size_t open = std::min(type.find('['), type.size()), close = std::min(type.find(']', open), type.size());
  return {type.substr(0, open), type.substr(open, close - open), type.substr(close)};
}

// What differs: "bool[3], eager has u8[3]" -> "dtype".
static std::string metadata_class(std::string_view text) {
  constexpr std::string_view kEager = ", eager has ";
  const size_t middle = text.find(kEager);
  if (middle == std::string_view::npos) return generalised(text);
  const auto mine = parts_of(text.substr(0, middle)), eager = parts_of(text.substr(middle + kEager.size()));
  if (mine[0] != eager[0]) return "dtype";
  return mine[1] != eager[1] ? "sizes" : "strides";
}

static std::string pattern_class(const Verdict& verdict) {
  if (verdict.tensors.empty() || verdict.symptom_outcome == Outcome::crashed)
    return verdict.evidence.empty() ? "" : generalised(verdict.evidence.front());
  const WrongTensor& tensor = verdict.tensors.front();
  if (!tensor.metadata.empty()) return fmt::format("{} {}", tensor.role, metadata_class(tensor.metadata));
  return fmt::format("{} {}", tensor.role, generalised(tensor.pattern.empty() ? tensor.where : tensor.pattern));
}

Signature signature_of(const Verdict& verdict) {
  Signature signature;
  signature.outcome = name(verdict.symptom_outcome);
  if (verdict.origin.layer) signature.layer = name(*verdict.origin.layer);
  signature.mechanism = verdict.origin.mechanism;
  signature.operation = verdict.operation;
  signature.pattern = pattern_class(verdict);
  return signature;
}

std::string to_text(const Signature& signature) {
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return fmt::format("{}; {}; {}; {}; {}", shown(signature.outcome), shown(signature.layer), shown(signature.mechanism),
                     shown(signature.operation), shown(signature.pattern));
}

bool is_about_errors(const Verdict& verdict) {
  return verdict.symptom_outcome == Outcome::wrong_value && verdict.tensors.empty() && !verdict.evidence.empty() &&
         verdict.evidence.front().find("eager raises") != std::string::npos;
}

bool is_finding(const Verdict& verdict) {
  constexpr std::array kQuiet = {Outcome::pass, Outcome::untrusted, Outcome::unknown, Outcome::rejected};
  for (const Outcome outcome : kQuiet)
    if (verdict.symptom_outcome == outcome) return false;
  return true;
}

}  // namespace faultline
