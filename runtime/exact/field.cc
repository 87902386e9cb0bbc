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
  uint64_t result = table[0][exponent & 255];
  for (int k = 1; k < 8; ++k) result = FirstField::multiply(result, table[k][(exponent >> (8 * k)) & 255]);
  return result;
}

}  // namespace faultline
