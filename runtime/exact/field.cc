// 2^e mod p by a table of 2^(d * 2048^k): five multiplications instead of sixty squarings.
#include "runtime/exact/field.h"

#include <array>
#include <memory>

namespace faultline {

namespace {

constexpr int kDigits = 6, kDigitBits = 11;  // 66 bits are more than an exponent has
constexpr uint64_t kBase = uint64_t{1} << kDigitBits;
using PowerTable = std::array<std::array<uint64_t, kBase>, kDigits>;

std::unique_ptr<const PowerTable> make_table() {
  auto table = std::make_unique<PowerTable>();
  uint64_t base = 2;
  for (auto& powers : *table) {
    powers[0] = 1;
    for (uint64_t digit = 1; digit < kBase; ++digit) powers[digit] = FirstField::multiply(powers[digit - 1], base);
    base = FirstField::multiply(powers[kBase - 1], base);
  }
  return table;
}

}  // namespace

uint64_t power_of_two(uint64_t exponent) {
  static const std::unique_ptr<const PowerTable> table = make_table();
  const auto power = [&](int digit) { return (*table)[digit][(exponent >> (kDigitBits * digit)) & (kBase - 1)]; };
  const auto pair = [&](int digit) { return FirstField::multiply(power(digit), power(digit + 1)); };
  // As a tree, so that the products overlap.
  return FirstField::multiply(FirstField::multiply(pair(0), pair(2)), pair(4));
}

}  // namespace faultline
