// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, https://doi.org/10.1145/2063384.2063405): the only random source. A
// draw is a pure function of names and counts, so that adding a site never moves another draw.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace faultline {

using PhiloxBlock = std::array<uint32_t, 4>;

inline PhiloxBlock philox4x32_10(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t second = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// FNV-1a, 32 bits: the declared hash of names.
constexpr uint32_t fnv1a32(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return hash;
}

// A stream of draws named by (seed, name): counter = (fnv1a32(name), 0, block low, block high). Copyable, no hidden
// state.
class PhiloxStream {
 public:
  PhiloxStream(uint64_t seed, std::string_view name)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}, name_(fnv1a32(name)) {}

  uint32_t next();
  // Uniform in [0, n), by the high word of x*n with rejection. n > 0.
  uint32_t below(uint32_t n);
  // Uniform in [0, 1) on a grid of 2^-24.
  double unit() { return (next() >> 8) * 0x1p-24; }
  // Sum of twelve units less six: a bell of variance 1 built from integers, the same on every machine.
  double normal();

 private:
  std::array<uint32_t, 2> key_;
  uint32_t name_;
  uint64_t block_ = 0;
  int used_ = 4;
  PhiloxBlock words_{};
};

}  // namespace faultline
