// Random programs as text, valid but for what eager alone can tell: statements over the operators of program text, with
// state, branches, aliases and several calls. Every decision comes from Choices, so that a seed, a recorded list, the
// bytes of a fuzzer or a property's shrinking list makes one.
#pragma once

#include <string>

#include "generate/scope.h"

namespace faultline::generate {

// "def f(x0: f16[65]): v0 = aten.neg(x0); return v0", with attributes in front and calls behind where it has some.
std::string random_program(Choices& choices, const ProgramStyle& style = {});

}  // namespace faultline::generate
