// 2^e mod p by a table of 2^(d * 256^k): eight multiplications instead of sixty squarings.
#include "runtime/exact/field.h"

#include <array>

namespace faultline {

namespace {

using PowerTable = std::array<std::array<uint64_t, 256>, 8>;

PowerTable make_table() {
  PowerTable table;
  uint64_t base = 2;
  for (auto& powers : table) {
    powers[0] = 1;
    for (int digit = 1; digit < 256; ++digit) powers[digit] = FirstField::multiply(powers[digit - 1], base);
    base = FirstField::multiply(powers[255], base);
  }
  return table;
}

}  // namespace

uint64_t power_of_two(uint64_t exponent) {
  static const PowerTable table = make_table();
  const auto power = [&](int digit) { return table[digit][(exponent >> (8 * digit)) & 255]; };
  const auto pair = [&](int digit) { return FirstField::multiply(power(digit), power(digit + 1)); };
  // As a tree, so that the products overlap.
  return FirstField::multiply(FirstField::multiply(pair(0), pair(2)), FirstField::multiply(pair(4), pair(6)));
}

}  // namespace faultline
