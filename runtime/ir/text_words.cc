// The words of program text and the bounds of its types: shared by the parser, the printer and the .pt2 reader.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/ir/program_text.h"

namespace faultline {

static constexpr std::array<std::string_view, 8> kBareKeywords = {
    "contiguous_format", "preserve_format", "channels_last", "channels_last_3d",
    "strided",           "sparse_coo",      "cpu",           "cuda"};

static constexpr std::array<std::string_view, 18> kStatementWords = {"aten",  "and", "call",  "def",    "else", "False",
                                                                     "float", "if",  "inf",   "int",    "nan",  "None",
                                                                     "not",   "or",  "prims", "return", "self", "True"};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word_character(char c) { return is_letter(c) || is_digit(c); }

bool is_bare_keyword(std::string_view word) {
  return std::find(kBareKeywords.begin(), kBareKeywords.end(), word) != kBareKeywords.end();
}

bool is_reserved_word(std::string_view word) {
  return std::find(kStatementWords.begin(), kStatementWords.end(), word) != kStatementWords.end() ||
         is_bare_keyword(word) || dtype_from_name(word).has_value();
}

bool is_identifier(std::string_view word) {
  return !word.empty() && is_letter(word[0]) && std::all_of(word.begin(), word.end(), is_word_character);
}

bool is_attribute_path(std::string_view path) {
  bool at_start = true;
  for (const char c : path) {
    if (c == '.' ? at_start : !is_word_character(c)) return false;
    at_start = c == '.';
  }
  return !at_start;
}

std::string type_problem(const Sizes& sizes, const Sizes* strides, int64_t offset) {
  if (sizes.size() > static_cast<size_t>(kMaxRank)) return fmt::format("rank {} is above {}", sizes.size(), kMaxRank);
  int64_t count = 1;  // zero sizes count as one: strides of an empty tensor must not overflow either
  bool empty = false;
  for (const int64_t size : sizes) {
    if (size < 0) return fmt::format("size {} is negative", size);
    empty |= size == 0;
    if (__builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count) || count > kMaxElements)
      return fmt::format("the tensor has more than 2^40 elements");
  }
  if (offset < 0 || offset > kMaxElements) return fmt::format("offset {} is not in 0..2^40", offset);
  if (!strides) return offset + (empty ? 0 : count) > kMaxElements ? "the storage has more than 2^40 elements" : "";
  if (strides->size() != sizes.size())
    return fmt::format("{} strides stand for {} sizes", strides->size(), sizes.size());
  int64_t last = offset;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t stride = (*strides)[d];
    if (stride < 0) return fmt::format("stride {} is negative", stride);
    if (stride > kMaxElements) return fmt::format("stride {} is above 2^40", stride);
    int64_t span = 0;
    if (empty) continue;
    if (__builtin_mul_overflow(sizes[d] - 1, stride, &span) || __builtin_add_overflow(last, span, &last) ||
        last >= kMaxElements)
      return "the storage has more than 2^40 elements";
  }
  return "";
}

}  // namespace faultline
