// The Python package: what tests/python_package.py says about it, with compilers that generate no code.
#include "tests/python_program.h"

namespace faultline {
namespace {

TEST(PythonPackage, ChecksCallables) { run_python_tests("tests/python_package.py"); }

TEST(PythonPackage, CarriesValues) { run_python_tests("tests/python_carry.py"); }

TEST(PythonPackage, RunsGraphsOnAModelledTarget) { run_python_tests("tests/python_target.py"); }

TEST(PythonPackage, LooksAtWhatAFileLeaves) { run_python_tests("tests/python_files.py"); }

TEST(PythonPackage, RunsThePageOnIt) { run_python_tests("tests/python_docs.py"); }

}  // namespace
}  // namespace faultline
