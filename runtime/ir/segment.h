// A straight-line piece of a program, as `capture` leaves it and `decompose` takes it: ATen calls on tensors of known
// type with concrete scalars. Control flow, scalar reads, attributes and names of Python are behind; mutation and views
// are still here.
//
// Values are numbers: 0 .. inputs-1 are the inputs, then the results of the calls in order, each defined once.
//
//   segment f(x: f16[65], b: f16[4]{offset=2 of=x}):
//     %2 = aten.add.Tensor(%0, 1.5, 1) #0
//     %3, %4 = aten.split.Tensor(%2, 33, 0) #1
//     return y %3, x %0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/ir/prim.h"
#include "runtime/ir/program.h"

namespace faultline {

struct ValueId {
  int index = 0;
  bool operator==(const ValueId&) const = default;
};

// As Argument of a program, with a value's number for its name.
struct SegmentArgument;
using SegmentArguments = std::vector<SegmentArgument>;
struct SegmentArgument {
  std::variant<NoneArgument, bool, int64_t, double, DType, Keyword, ValueId, SegmentArguments> value;
  bool operator==(const SegmentArgument&) const;
};

// `arguments` has one entry an argument of the op's schema, in its order, defaults filled in (bind_arguments). An
// in-place op has results like any other: the alias it returns. For an op that returns a list of tensors `results` are
// its elements. An op without results (an assertion) has none.
struct SegmentCall {
  std::vector<int> results;
  std::string target;  // "aten.add.Tensor"
  SegmentArguments arguments;
  int statement = -1;  // which statement of the program this was, in reading order; for reports
  bool operator==(const SegmentCall&) const = default;
};

struct SegmentOutput {
  std::string name;
  int value = 0;
  bool operator==(const SegmentOutput&) const = default;
};

// Inputs that are only read, only written, or both; attributes of the program that the segment reads are inputs as
// well, and those it writes are outputs.
struct Segment {
  std::string name;
  std::vector<GraphInput> inputs;
  std::vector<SegmentCall> calls;
  std::vector<SegmentOutput> outputs;
  bool operator==(const Segment&) const = default;
};

// How many values the segment defines.
int value_count(const Segment& segment);

std::string to_text(const Segment& segment);
std::string to_text(const SegmentArgument& argument);
// Throws UserError "segment:<line>: ..." for text that is none, for a value used before it is defined or defined out of
// order.
Segment parse_segment(std::string_view text);

}  // namespace faultline
