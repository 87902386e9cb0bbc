// The Python package with the compiler that generates code.
#include "tests/python_program.h"

namespace faultline {
namespace {

TEST(PythonPackageFull, ChecksCallablesUnderInductor) { run_python_tests("tests/python_package_full.py"); }

}  // namespace
}  // namespace faultline
