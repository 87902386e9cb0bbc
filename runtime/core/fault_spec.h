// The text of a fault instance: which row, where, when, how often, with what parameters. Plain data; the rows
// themselves live in faults/, and each says which settings it takes. docs/faults.md is the grammar for those who type
// it.
//
//   schedule.piece_floor(compile/*/clone:0/*) p=1/2 seed=7 -> tile.trip_floor(*)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

struct Ratio {
  int64_t numerator = 1, denominator = 1;
  bool operator==(const Ratio&) const = default;
};

struct FaultSpec {
  std::string id;          // "layer.name"
  std::string site = "*";  // glob over stage/graph/op:instance/operand/core.tile.channel
  // Trigger, all conditions and-ed in this order: space, nth / every, p, times.
  int64_t space = 0;
  int64_t nth = 0, every = 0;  // 0: not set
  std::optional<Ratio> p, arm;
  int64_t times = 0;  // 0: no limit
  // Effect; the row says which it reads.
  std::optional<int64_t> bits, mask, offset, ticks;
  uint64_t seed = 0;  // of the draws of p and arm
  bool operator==(const FaultSpec&) const = default;
};

// Alternatives of one term: the next is tried only if the previous did not fire.
using FaultChain = std::vector<FaultSpec>;

// Faults are separated by ';', alternatives by '->'. Throws UserError with the setting and the nearest valid one.
std::vector<FaultChain> parse_faults(std::string_view text);
// Canonical: keys in the order above, defaults omitted. parse_faults(to_text(x)) == x.
std::string to_text(const std::vector<FaultChain>& faults);
std::string to_text(const FaultSpec& fault);
// Names of the settings that differ from their defaults, in canonical order.
std::vector<std::string> given_settings(const FaultSpec& fault);

// '*' matches any run of characters, '?' one.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace faultline
