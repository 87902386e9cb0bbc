// Names what is wrong with an output: WHERE (a set of positions) times WHAT (the value that stands there instead),
// chosen by minimum description length. It knows bit patterns, shapes and known buffers; nothing of faults, targets or
// layers. It never decides whether there is a mismatch: `failing` is the oracle's, and a pattern never rescues a
// failing element.
//
//   predicted output  o_i = V(i) for i in W, reference elsewhere;  exceptions X = { i : o_i and got_i differ }
//
// Places and values are scored together, so an element of W whose wrong value happens to equal the right one is no
// exception. The code length is that of code_length.h; several cases (sizes, seeds, runs) share the parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkers/patterns/position_set.h"
#include "runtime/ir/tensor.h"

namespace faultline {

// Another live tensor: an input, an intermediate. Bit patterns in row-major logical order.
struct NamedBuffer {
  std::string name;
  std::vector<uint64_t> bits;
  Sizes sizes;
  Sizes strides = {};                         // empty: contiguous; where given, memory order is told from logical order
  std::optional<DType> dtype = std::nullopt;  // none: the output's
};

// One run with a known reference. Every vector over elements is in row-major logical order of `sizes`; an empty one is
// absent. Bit patterns occupy the low bits.
struct ObservedCase {
  Sizes sizes;
  DType dtype = DType::f32;
  std::vector<uint64_t> got;
  std::vector<uint64_t> reference;
  std::vector<uint8_t> failing;  // verdict fail per element; suspects are not failing

  std::vector<double> tolerance = {};  // largest |got - reference| of each element that is no mismatch; empty: bitwise

  // What fresh memory held in the first run, and in a second run that differs by this alone.
  std::optional<uint64_t> poison1 = std::nullopt;
  std::optional<uint64_t> poison2 = std::nullopt;
  std::vector<uint64_t> got_poison2 = {};

  std::vector<uint64_t> previous_output = {};  // of the call before, with other inputs
  std::vector<NamedBuffer> buffers = {};
  Sizes strides = {};  // of the output; empty: contiguous
  int64_t offset = 0;

  std::vector<std::vector<uint64_t>> repeats = {};  // outputs of identical runs
  // [block][element]: what each block of a contraction's K adds to the element.
  std::vector<std::vector<double>> contraction_blocks = {};
  // The op also returns values, and those are right: an index output of zeros then has a name of its own.
  bool partner_right = false;
  // Where these elements live if not in the output: "padding", "input 0".
  std::string place = {};
};

// A period that the machine is known to have.
struct UnitHint {
  int64_t elements = 0;
  std::string name;                       // "stick", "lanes", "core share", "tile"
  std::optional<int> dim = std::nullopt;  // none: the flat position and every dimension
  Sizes box = {};                         // extents over the last dimensions: a tile; `elements` is then its product
};

enum class PatternStatus : uint8_t {
  clean,         // nothing fails
  named,         // the best explanation leads every different one by 10 bits
  ambiguous,     // several explanations, or too little data to choose
  partial,       // a name with exceptions over 5 % of its positions, or a place without a rule for its values
  composite,     // several explanations that hold together
  unstructured,  // nothing leads the list of the wrong elements by 10 bits
};
std::string_view name(PatternStatus status);

struct Explanation {
  PositionSet set;
  std::string where;  // text of `set`; parses back
  std::string what;
  std::string where_family;  // "W1" .. "W15", "W0" for everything
  std::string what_family;   // "V1" .. "V24"
  std::string unit;          // "stick 64", empty where no hint is used
  double bits = 0;           // of this explanation alone, all cases together
  int64_t exceptions = 0;
  int64_t covered = 0;                // positions of W, all cases together
  double informative = 0;             // share of them where the value differs from the reference
  std::vector<std::string> layers;    // mechanisms it points to: suggestions, never proof
  std::vector<std::string> variants;  // other texts of the same predicted output, within 10 bits
};

// Where wrong values occur otherwise, over all cases.
struct ValueSource {
  std::string place;                  // "reference", "previous output", "input 0"
  int64_t elements = 0;               // wrong values that occur there
  std::vector<std::string> examples;  // "got[64] = reference[0]", at most four
};

struct PatternReport {
  PatternStatus status = PatternStatus::clean;
  // named, partial: one. ambiguous: the best, then its rivals, three at most. composite: the parts. else none.
  std::vector<Explanation> explanations;
  double bits = 0;            // of the explanation, or of the composite
  double raw_bits = 0;        // of the plain list of wrong elements
  double best_rule_bits = 0;  // of the best rule, even where it loses to the list; infinity where there is none
  double margin = 0;          // to the best different explanation or the plain list
  int64_t wrong = 0, total = 0;
  double informative_share = 0;
  std::string organisation;            // "index", "value", "both", "everywhere", "neither" or empty
  std::vector<std::string> positions;  // failing positions of each case: "[64,65)"
  std::vector<std::string> next;       // experiments that part the rivals or confirm the name
  std::vector<std::string> notes;
  std::vector<ValueSource> sources;
  std::vector<std::string> layers;  // suggestions of the explanations printed
};

// Cases must agree in dtype and rank; sizes may differ. Aborts where a vector does not match its sizes.
PatternReport name_pattern(std::span<const ObservedCase> cases, std::span<const UnitHint> hints);

// Several lines, the verdict first.
std::string to_text(const PatternReport& report);

}  // namespace faultline
