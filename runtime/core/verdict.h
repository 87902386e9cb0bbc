// What a run means. One record; every report renders it (reports/), tests and graders read it. Fields are added, never
// changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/device_placement.h"
#include "taxonomy/layer.h"

namespace faultline {

enum class Outcome : uint8_t {
  pass,
  wrong_value,
  wrong_metadata,
  lost_mutation,
  rejected,
  crashed,
  hung,
  nondeterministic,
  slow,
  untrusted,
  unknown,
  // for a case with a planted fault
  detected,
  missed,
  masked,
  false_alarm,
  not_exercised,
};
std::string_view name(Outcome outcome);
// 0 as expected; 1 a real mismatch; 2 usage; 10 missed, 11 false_alarm, 12 not_exercised, 13 unknown, 14 crashed, 15
// hung, 16 slow, 17 rejected. `untrusted` is 13: it is not a pass.
int exit_code(Outcome outcome);

struct Origin {
  std::optional<Layer> layer;
  std::string mechanism;  // "schedule.trip", a kind of the taxonomy; empty: none singled out
  std::string family;     // "codegen" or "sync" in layer 6
  std::optional<double> confidence;
};

// Which elements are wrong, to be drawn (reports/picture.h). No part of the record.
struct WrongMap {
  std::string type;  // "f16[65]"
  std::vector<int64_t> sizes;
  std::vector<uint8_t> failing;  // by element, in row-major logical order
  std::vector<int64_t> units;    // by dim: the period or unit that the pattern speaks of, 0 for none
  std::optional<DevicePlacement> device;
};

struct WrongTensor {
  std::string name;
  int call = 0;
  std::string role;  // output, input_after, attribute_after
  int64_t total = 0, wrong = 0;
  std::string where;    // position set, logical
  std::string what;     // "unwritten", "stale: previous output", ...
  std::string pattern;  // the rule behind `where`, all sizes together: "tail of dim 0 beyond k*64"
  std::string unit;     // "stick 64"
  // Over the wrong elements: worst |difference| / bound, and worst |difference| where equality is due.
  std::optional<double> worst_ratio, worst_difference;
  std::string metadata;              // what of the metadata differs: "dtype f32, eager has f16"
  std::vector<std::string> samples;  // "[64]: 0x7E5A (nan), eager 0x5410 (65.0)"
  std::optional<WrongMap> map;       // none: eager's elements are not those of the backend's tensor
};

// What a run that passed was held to: the elements of its outputs, and those of them that no reference is evidence for.
struct Coverage {
  int64_t tensors = 0, elements = 0, unjudged = 0;
};

// One checker: what it looked at, and how often it spoke.
struct CheckLine {
  std::string checker;
  std::string looked_at;  // "65 elements of 1 output"; empty: its evidence was not there
  int64_t found = 0;
};

struct RungLine {
  std::string rung;
  std::optional<bool> agrees;  // null: not run
  std::string how;             // "bit-equal", "equal in the field (2 seeds)", "within bounds", "1 of 65 differs"
};
struct VerifierLine {
  Layer layer = Layer::capture;
  std::optional<bool> ok;
  std::vector<std::string> findings;
};
struct RuledOut {
  Layer layer = Layer::capture;
  std::string by;
};

// Added by the runner after the checkers have spoken.
struct Planted {
  std::string fault;
  int64_t fired = 0;
  std::string localised;  // exact, adjacent, wrong, none
};

struct Verdict {
  std::string case_line;
  Outcome outcome = Outcome::unknown;
  Outcome symptom_outcome = Outcome::unknown;  // what was seen, before planted faults were weighed
  Origin origin;
  std::optional<Layer> exposed, symptom;
  int operation_index = -1;
  std::string operation;
  std::vector<WrongTensor> tensors;
  Coverage coverage;
  std::vector<CheckLine> checks;
  std::vector<std::string> weak;  // of a pass: why it proves less than it seems ("y: all 65 elements are equal")
  std::vector<RungLine> rungs;
  std::vector<VerifierLine> verifiers;
  std::vector<std::string> evidence;
  std::vector<RuledOut> ruled_out;
  std::vector<std::string> next;
  std::vector<std::string> sweep;  // rows of the size sweep, ready to print
  std::string replay;
  std::map<std::string, int64_t> ticks;
  std::vector<std::string> skipped;
  std::optional<Planted> planted;
  std::string explanation;  // one paragraph for people
};

}  // namespace faultline
