// Which layer a departing stage of an outside compiler stands for, and errors and kept state as observables: on
// evidence made by hand.
#include <gtest/gtest.h>

#include <bit>

#include "checkers/checker.h"
#include "checkers/diagnose.h"
#include "checkers/rung_judgement.h"

namespace faultline {
namespace {

ElementBits bits_of(const std::vector<float>& values) {
  ElementBits bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

TensorEvidence output(int call, const ElementBits& eager, const ElementBits& actual) {
  TensorEvidence y;
  y.name = "y";
  y.call = call;
  y.eager_type = y.actual_type = contiguous_type(DType::f32, {static_cast<int64_t>(eager.size())});
  y.eager = eager;
  y.actual = actual;
  return y;
}

RungEvidence rung(const std::string& id, Layer layer, std::vector<ElementBits> values) {
  RungEvidence mine;
  mine.rung = id;
  mine.layer = layer;
  mine.ran = true;
  mine.values = std::move(values);
  return mine;
}

// Two calls; the stage "code", which lowers and generates, gives `first` and `second`.
Evidence two_calls(const ElementBits& first, const ElementBits& second) {
  const ElementBits right = bits_of({1, 2});
  Evidence evidence;
  evidence.by_stages = true;
  evidence.tensors = {output(0, right, first), output(1, right, second)};
  evidence.rungs = {rung("eager", Layer::capture, {right, right}), rung("trace", Layer::capture, {right, right}),
                    rung("code", Layer::decompose, {first, second})};
  evidence.rungs.back().also = Layer::schedule;
  return evidence;
}

std::optional<Layer> layer_of(const Evidence& evidence) { return exposed_layer(evidence, first_departure(evidence)); }

const ElementBits kRight = bits_of({1, 2}), kWrong = bits_of({1, 3});

TEST(CompilerStages, LoweringUnlessOperatorsAreRightAlone) {
  Evidence evidence = two_calls(kWrong, kWrong);
  EXPECT_EQ(layer_of(evidence), Layer::decompose);
  evidence.operator_alone_departs = true;
  EXPECT_EQ(layer_of(evidence), Layer::decompose);
  evidence.operator_alone_departs = false;
  EXPECT_EQ(layer_of(evidence), Layer::schedule);
}

TEST(CompilerStages, CodeThatDiesOrDiffersIsCodeGeneration) {
  Evidence evidence = two_calls(kWrong, kWrong);
  evidence.tensors[0].actual_repeat = kRight;
  EXPECT_EQ(layer_of(evidence), Layer::schedule);
  evidence = two_calls(kWrong, kWrong);
  evidence.rungs.back().ended = "crashed: SIGFPE in phase execute";
  EXPECT_EQ(layer_of(evidence), Layer::schedule);
}

TEST(CompilerStages, OnlyLaterCallsAreCapture) {
  EXPECT_EQ(layer_of(two_calls(kRight, kWrong)), Layer::capture);
  EXPECT_EQ(layer_of(two_calls(kRight, kRight)), std::nullopt);
}

TEST(CompilerStages, VectorsThatAreRightOnOrdinaryNumbersAreNumerics) {
  Evidence evidence = two_calls(kWrong, kWrong);
  evidence.rungs.back().layer = Layer::tile;
  evidence.rungs.back().also.reset();
  EXPECT_EQ(layer_of(evidence), Layer::tile);
  evidence.right_on_ordinary_data = true;
  EXPECT_EQ(layer_of(evidence), Layer::numerics);
}

// A model's rungs are a prefix of the layers: none of this is asked there.
TEST(CompilerStages, RungsOfAModelStandForTheirOwnLayer) {
  Evidence evidence = two_calls(kRight, kWrong);
  evidence.by_stages = false;
  EXPECT_EQ(layer_of(evidence), Layer::decompose);
}

Outcome seen(const Evidence& evidence) { return outcome_of(observe(evidence)); }

TEST(CompilerStages, ErrorsAreComparedByClass) {
  Evidence evidence;
  evidence.eager_raised = "IndexError: index 7 is out of bounds";
  EXPECT_EQ(seen(evidence), Outcome::wrong_value);  // it returns
  evidence.actual_raised = "IndexError: something else in phase compile";
  EXPECT_EQ(seen(evidence), Outcome::pass);
  evidence.actual_raised = "RuntimeError: index 7 is out of bounds";
  EXPECT_EQ(seen(evidence), Outcome::wrong_value);
  evidence.eager_raised.clear();
  EXPECT_EQ(seen(evidence), Outcome::crashed);
}

TEST(CompilerStages, RungsRaiseAsEagerOrDepart) {
  Evidence evidence;
  evidence.by_stages = true;
  evidence.eager_raised = "IndexError: a";
  evidence.rungs = {rung("eager", Layer::capture, {}), rung("trace", Layer::capture, {}),
                    rung("code", Layer::decompose, {})};
  evidence.rungs[1].raised = evidence.rungs[1].ended = "IndexError: b";
  EXPECT_EQ(first_departure(evidence), 2);
}

TEST(CompilerStages, WhatTheHostKeepsIsState) {
  Evidence evidence = two_calls(kRight, kRight);
  evidence.state = {{"closure table", 0, "list(1)", "list(1)"}};
  EXPECT_EQ(seen(evidence), Outcome::pass);
  evidence.state[0].actual = "list()";
  EXPECT_EQ(seen(evidence), Outcome::lost_mutation);
  evidence.rungs.back().state = {"list()"};
  EXPECT_EQ(first_departure(evidence), 2);
}

}  // namespace
}  // namespace faultline
