// What was observed, and nothing else: no Case, no fault. Checkers and the diagnosis read this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/device_placement.h"
#include "runtime/core/index_choice.h"
#include "runtime/ir/tensor.h"
#include "taxonomy/layer.h"

namespace faultline {

// Element bits of a dense tensor in row-major logical order, in the host format of its dtype.
using ElementBits = std::vector<uint64_t>;

// The fp64 value of every element and the bound on |conforming result - value| under a declared arithmetic; bound 0
// demands equality (data movement, exact integers), up to the storage map, which the value has passed. Integers and
// bools have their number as value and bound 0. Empty: no reference beside eager.
struct ElementReference {
  std::vector<double> exact, bound;
  std::vector<uint32_t> untrusted;  // why an element's reference is no evidence: a mask of reasons, 0 for most
  std::map<int64_t, IndexChoice> choices{};  // by element: integers that may be one of several, and are judged by that
};

enum class TensorRole : uint8_t { output, input_after, attribute_after };

// One tensor that leaves a call, as eager has it and as the backend gave it.
struct TensorEvidence {
  std::string name;  // "y"
  TensorRole role = TensorRole::output;
  int call = 0;
  TensorType eager_type, actual_type;
  std::string eager_alias, actual_alias;  // what it shares storage with: "", "input x", "output y"
  ElementBits eager, actual;
  ElementBits actual_second_poison;  // the run with the second poison pattern; empty: not run
  // What memory of this tensor's type held before the first write, in the two runs; empty: neither run shows it.
  std::optional<uint64_t> poison, second_poison;
  ElementBits actual_repeat;        // the same run again; empty: not run
  ElementBits previous_call;        // the same output one call earlier; empty: none
  ElementReference target;          // under the target's declared arithmetic; what the result is held to
  bool zero_signs = false;          // the sign of every zero is part of the result
  std::vector<double> sharp_bound;  // beside it, in the sharp profile of the oracle; empty: not asked for
  ElementReference ideal;           // under the reference arithmetic of the rungs above `numerics`
  // Where the device has it; none: not asked for, or it is a view of what the device has.
  std::optional<DevicePlacement> placement;
};

// One rung of the ladder.
struct RungEvidence {
  std::string rung;  // "eager", "capture", ..., "numerics"
  Layer layer = Layer::capture;
  std::optional<Layer> also;  // a second layer whose work this stage of a compiler lets in
  bool ran = false;
  std::string why_not;             // it was not asked to run
  std::string raised;              // what its program raised, beside Evidence::eager_raised
  std::vector<std::string> state;  // beside Evidence::state, by index
  std::string ended;               // it ended without values: "crashed: ...", "hung"
  std::string structure;           // a type, shape or alias that is not eager's: "y is f32[65], eager has f16[65]"
  // Per tensor of Evidence::tensors: the values here (native), and in the field whether each element equals the
  // reference's.
  std::vector<ElementBits> values;
  std::vector<std::vector<uint8_t>> field_differs;  // empty: not run in the field
  int field_seeds = 0;  // in how many fields; two where something is decided by the order of floats
};

struct BrokenPromise {
  std::string promise, place, text;
};

struct VerifierEvidence {
  Layer layer = Layer::capture;
  bool ran = false;
  std::vector<BrokenPromise> findings;
};

// An operation whose results are not within their bound on its own operands, or a copy that changes what it should not.
struct StepEvidence {
  std::string operation;  // the ATen call that it belongs to; empty for copies
  TensorEvidence tensor;  // its results: `target` on the operands as they were, beside `actual`
  bool sums = false, approximates = false, copies = false;
};

struct SubstitutionEvidence {
  std::string name;  // "one core", "fusion off", "identity layout", "ideal synchronisation", "exact arithmetic"
  Layer layer = Layer::capture;
  bool ran = false, repaired = false;
};

// A graph that differs from the program's in one respect, and computes what a departing rung gave: what would have to
// be wrong for these values to be right.
struct HypothesisEvidence {
  std::string kind;  // of the taxonomy's rules: "other_axis"
  std::string text;  // "%3 f16[5] reduced over dim 2 in place of 1"
};

// A value of the program's host language that outlives a call (a list in a closure, an attribute), as text.
struct StateEvidence {
  std::string name;  // "closure table"
  int call = 0;
  std::string eager, actual;
};

// How the device run ended.
struct DeviceEvidence {
  enum class End : uint8_t { completed, error, hung };
  End end = End::completed;
  uint32_t error_code = 0;
  std::string error_name;
  std::string oldest_request;      // watchdog: the oldest outstanding request and its age
  std::vector<std::string> waits;  // who waits for whom
  std::vector<std::string> cycle;  // the wait cycle, if there is one
  int64_t ticks = 0;
  int64_t bytes_moved = 0, kernel_ticks = 0, transfer_ticks = 0;
  // Writes outside allocations: "device: write_guard of 2 bytes at byte 128 of y (128 bytes) by 3".
  std::vector<std::string> outside_writes;
  std::vector<BrokenPromise> transfer_findings;  // of the trace: submitted != completed, a byte written twice, ...
};

// One size of a sweep over the first dim that reproduces the mismatch.
struct SweepPoint {
  int64_t size = 0;
  std::string ended;      // empty, or how the run ended without values: "crashed: ...", "rejected: ...", "hung"
  TensorEvidence tensor;  // the tensor under suspicion at this size
};

struct Evidence {
  std::vector<TensorEvidence> tensors;
  std::vector<RungEvidence> rungs;
  std::vector<VerifierEvidence> verifiers;
  std::vector<StepEvidence> steps;  // the first that depart; layer 8's verifier saw them
  std::vector<SubstitutionEvidence> substitutions;
  std::vector<HypothesisEvidence> hypotheses;  // those that hold
  std::vector<SweepPoint> sweep;
  DeviceEvidence device;
  std::string rejected_subject, rejected_why;  // the backend refused
  std::string crashed;                         // the backend aborted: what it said
  // What eager raised, and what the backend's program did: "RuntimeError: ..."; empty: it returned. Compared by class.
  std::string eager_raised, actual_raised;
  std::vector<StateEvidence> state;
  std::string reference_in_doubt;        // eager itself leaves the bounds of the fp64 reference: where
  std::map<std::string, int64_t> units;  // unit hints in elements: "stick" -> 64, "core share" -> ...
  std::vector<std::string> operations;   // ATen calls, by index
  std::vector<int> tensor_operation;     // per tensor: the operation that made it
  std::vector<std::string> skipped;      // what was not run, and why
  // The run ended without results: refused, aborted, an error of the device, or no progress.
  bool ended() const {
    return !crashed.empty() || !actual_raised.empty() || !rejected_subject.empty() ||
           device.end != DeviceEvidence::End::completed;
  }
  // What the device computes was compared with the prims in the field, and is of the same operands. False: not looked
  // at by itself; the rungs may say more.
  bool dataflow_equal = false;
  bool reduces = false;       // the program has sums, products over a dim or contractions
  bool writes = false;        // it writes to an input or to its state
  bool broadcasts = false;    // an operand has fewer elements than what it is combined with
  bool approximates = false;  // it has functions that no machine rounds correctly
  int calls = 1;
  // The rungs let in one more stage of a compiler after the other, in its own order: not a prefix of the layers.
  bool by_stages = false;
  // Whether one of the program's operators by itself, on the operands that eager gives it, departs at the departing
  // rung; not tried, or the program has but one: none.
  std::optional<bool> operator_alone_departs;
  // Whether a program of one function is right on ordinary numbers: then values are wrong, and not places.
  std::optional<bool> right_on_ordinary_data;
};

}  // namespace faultline
