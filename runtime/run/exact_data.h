// A case on data for which its sums are exact.
#pragma once

#include <optional>

#include "checkers/exact_integers.h"
#include "runtime/core/case.h"

namespace faultline {

// Every input of floats whose data the case leaves open (none named, or normal(), or uniform()) gets that source.
Case with_source(const Case& test_case, const DataSource& source);
DataSource source_of(const IntegerData& data);

// Under the target's declared arithmetic. None where no input is left open, where eager refuses the program, or where
// it has no exact reference.
std::optional<ExactIntegers> exact_integers_of(const Case& test_case);

}  // namespace faultline
