// Where every decision of a generator comes from: one verb. Drivers: a seed, a recorded list, bytes (libFuzzer), an
// exhaustive odometer; RapidCheck drives `Recorded` with a list that it shrinks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/philox.h"

namespace faultline {

class Choices {
 public:
  virtual ~Choices() = default;
  // A number in [0, n); n > 0.
  virtual uint32_t below(uint32_t n) = 0;
};

class SeededChoices : public Choices {
 public:
  SeededChoices(uint64_t seed, std::string_view name) : stream_(seed, name) {}
  uint32_t below(uint32_t n) override { return stream_.below(n); }

 private:
  PhiloxStream stream_;
};

// Replays a list, each entry taken modulo n; zeros once it is spent.
class RecordedChoices : public Choices {
 public:
  explicit RecordedChoices(std::vector<uint32_t> list) : list_(std::move(list)) {}
  uint32_t below(uint32_t n) override { return used_ < list_.size() ? list_[used_++] % n : 0; }

 private:
  std::vector<uint32_t> list_;
  size_t used_ = 0;
};

// Two bytes a choice, little end first; zeros once they are spent.
class ByteChoices : public Choices {
 public:
  explicit ByteChoices(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t below(uint32_t n) override;

 private:
  std::span<const uint8_t> bytes_;
  size_t used_ = 0;
};

// Walks all choice lists: run the generator, then next(), until it returns false.
class ExhaustiveChoices : public Choices {
 public:
  uint32_t below(uint32_t n) override;
  bool next();

 private:
  std::vector<std::pair<uint32_t, uint32_t>> digits_;  // value, base
  size_t used_ = 0;
};

}  // namespace faultline
