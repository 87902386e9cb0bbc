// What would have to be wrong for the values of a departing rung to be right. Each hypothesis is the unbroken graph of
// prims with one respect changed in which a layer may err (the kinds of the taxonomy say which), computed in the exact
// domain: where every value of the rung lies within the bounds of that, it holds.
#pragma once

#include "runtime/run/compare_case.h"

namespace faultline {

// Tries those that the rules of the departing rung's layer know, where its values are all there is to go by: no promise
// at or above it is broken. Fills `hypotheses`.
void try_hypotheses(const Subject& subject, Evidence& evidence);

}  // namespace faultline
