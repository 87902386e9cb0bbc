// The generator of random programs: whatever decides, what comes out is program text; most of it eager takes; and what
// reports of bugs speak of is there as often as docs/fuzzing.md says.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "generate/random_program.h"
#include "runtime/backends/model/case_inputs.h"
#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/ir/program_text.h"
#include "runtime/run/reference.h"

namespace faultline::generate {
namespace {

Program seeded(uint64_t seed) {
  SeededChoices choices(seed, "generate test");
  return parse_program(random_program(choices, kAsReported), "random");
}

// RapidCheck shrinks the list.
TEST(Generate, AnyListOfDecisionsIsAProgram) {
  rc::check("a recorded list makes a program that reads back", [](const std::vector<uint32_t>& list) {
    RecordedChoices choices(list), again(list);
    const std::string text = random_program(choices, kAsReported);
    const Program program = parse_program(text, "random");
    RC_ASSERT(parse_program(to_line(program), "line") == program);
    RC_ASSERT(random_program(again, kAsReported) == text);
  });
}

TEST(Generate, NoDecisionsAreTheSmallestProgram) {
  RecordedChoices choices({});
  EXPECT_EQ(parse_program(random_program(choices, kAsReported), "random").body.size(), 1U);
}

// A long list of the greatest numbers, and bytes of a fuzzer.
TEST(Generate, BytesArePrograms) {
  for (int value = 0; value < 256; value += 5) {
    const std::vector<uint8_t> bytes(400, static_cast<uint8_t>(value));
    ByteChoices choices(bytes);
    EXPECT_NO_THROW(parse_program(random_program(choices, kAsReported), "random")) << value;
  }
}

TEST(Generate, EagerTakesMostPrograms) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  int refused = 0;
  std::string why;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Program program = seeded(seed);
    try {
      eager_reference(program, make_inputs(program, 1));
    } catch (const UserError& error) {
      ++refused;
      why = error.what();
    }
  }
  EXPECT_LE(refused, 40) << why;
}

struct Features {
  int strided = 0, offset = 0, shared = 0, narrow_integers = 0, booleans = 0, around_vectors = 0, in_place = 0;
  int several_calls = 0, other_sizes = 0, state = 0, special = 0;
};

bool is_around_vectors(int64_t size) {
  for (const int64_t lanes : {8, 16, 32, 64})
    if (size >= lanes - 1 && size <= lanes + 1) return true;
  return false;
}

void count(const Program& program, Features& features) {
  bool strided = false, offset = false, shared = false, narrow = false, boolean = false, around = false;
  for (const Parameter& parameter : program.parameters) {
    if (!parameter.tensor) continue;
    const TensorType& type = *parameter.tensor;
    strided |= type.strides != contiguous_strides(type.sizes);
    offset |= type.offset > 0;
    shared |= !parameter.alias_of.empty();
    narrow |= type.dtype == DType::i8 || type.dtype == DType::u8;
    boolean |= type.dtype == DType::boolean;
    for (const int64_t size : type.sizes) around |= is_around_vectors(size);
  }
  features.strided += strided;
  features.offset += offset;
  features.shared += shared;
  features.narrow_integers += narrow;
  features.booleans += boolean;
  features.around_vectors += around;
  const std::string text = to_line(program);
  features.in_place += text.find("_(") != std::string::npos || text.find("_.") != std::string::npos;
  features.several_calls += program.calls.size() > 1;
  bool other = false;
  for (const CallSpec& call : program.calls)
    for (const auto& [name, input] : call.inputs) other |= input.tensor.has_value();
  features.other_sizes += other;
  features.state += !program.attributes.empty();
  features.special += text.find("nan") != std::string::npos;
}

// Shares of the programs, in percent. Of 362 public reports a third are of layout and tile, and one in twelve is of
// metadata, mutation or what is stale.
TEST(Generate, WhatReportsSpeakOfIsThere) {
  Features features;
  constexpr int kPrograms = 2000;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) count(seeded(seed), features);
  const auto expect_share = [](const char* name, int found, int least, int most) {
    EXPECT_GE(found * 100, least * kPrograms) << name << " " << found;
    EXPECT_LE(found * 100, most * kPrograms) << name << " " << found;
  };
  expect_share("strided", features.strided, 40, 90);
  expect_share("offset", features.offset, 15, 60);
  expect_share("shared storage", features.shared, 4, 30);
  expect_share("8-bit integers", features.narrow_integers, 15, 60);
  expect_share("bool", features.booleans, 10, 60);
  expect_share("around vectors", features.around_vectors, 60, 99);
  expect_share("in place", features.in_place, 25, 80);
  expect_share("several calls", features.several_calls, 20, 50);
  expect_share("another size in the second call", features.other_sizes, 8, 30);
  expect_share("state", features.state, 5, 30);
  expect_share("special values", features.special, 10, 50);
}

// Another size is one that the whole program fits: eager takes both calls.
TEST(Generate, SecondSizesFitTheProgram) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  int tried = 0, refused = 0;
  for (uint64_t seed = 1; tried < 60; ++seed) {
    Program program = seeded(seed);
    if (program.calls.size() != 2) continue;
    bool changed = false;
    for (const auto& [name, input] : program.calls[1].inputs) changed |= input.tensor.has_value();
    if (!changed) continue;
    Program first = program;
    first.calls.resize(1);
    try {
      eager_reference(first, make_inputs(first, 1));
    } catch (const UserError&) {
      continue;
    }
    ++tried;
    try {
      eager_reference(program, make_inputs(program, 1));
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_LE(refused, 3);
}

}  // namespace
}  // namespace faultline::generate
