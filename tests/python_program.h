// Runs a file of Python's unittest as one test; what it prints is the failure's text.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "runtime/eager/eager.h"
#include "tests/worker_trial.h"

namespace faultline {

inline void run_python_tests(const std::string& file) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const std::string command = "cd " FAULTLINE_SOURCE_DIR " && FAULTLINE_ROOT=" FAULTLINE_SOURCE_DIR
                              " FAULTLINE_BUILD=" FAULTLINE_BINARY_DIR " PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 " +
                              project_python() + " " + file + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  std::array<char, 4096> part;
  for (size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << text;
  EXPECT_NE(text.find("\nOK"), std::string::npos) << text;
}

}  // namespace faultline
