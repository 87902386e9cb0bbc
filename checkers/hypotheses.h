// What would have to be wrong for the values of a departing rung to be right. Each hypothesis is the unbroken graph of
// prims with one respect changed in which a layer may err (the kinds of the taxonomy say which), computed in the exact
// domain: where every value of the rung lies within the bounds of that, it holds.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/core/evidence.h"
#include "runtime/ir/prim.h"
#include "runtime/ir/program.h"

namespace faultline {

// A run of the rung `decompose` without roundings.
struct ExactRun {
  std::map<std::string, PrimGraph> graphs;  // by segment
  std::vector<ElementReference> values;     // by tensor of the evidence; empty where it did not end
};

// Whoever has the case carries out the runs that a hypothesis asks for. The hypothesis sees programs, graphs and
// values, never whether or what is planted.
class ExactRuns {
 public:
  virtual ~ExactRuns() = default;
  virtual const Program& program() const = 0;
  // The stack that was observed, with whatever is wrong with it.
  virtual ExactRun observed() = 0;
  // The stack as it should be; the same after `edit` of one of its graphs; the same on another program.
  virtual ExactRun unbroken() = 0;
  virtual ExactRun edited(const std::string& graph, const std::function<void(PrimGraph&)>& edit) = 0;
  virtual ExactRun of_program(const Program& program) = 0;  // no values where that is not valid
};

// Tries the hypotheses that the rules of the departing rung's layer know, where its values are all there is to go by:
// no promise at or above it is broken. Those that hold.
std::vector<HypothesisEvidence> hypotheses_that_hold(const Evidence& evidence, ExactRuns& runs);

}  // namespace faultline
