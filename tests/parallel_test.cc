// Tasks on several threads: all run, the caller begins with the first, and exceptions come in the order of tasks.
#include "runtime/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace faultline {
namespace {

TEST(Parallel, EveryTaskRunsOnceForAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 3, 50}) {
    for (const size_t count : {0, 1, 2, 17}) {
      std::vector<int> runs(count, 0);
      std::vector<std::function<void()>> tasks;
      for (size_t i = 0; i < count; ++i) tasks.push_back([&runs, i] { ++runs[i]; });
      run_parallel(tasks, threads);
      EXPECT_EQ(runs, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(Parallel, TheCallingThreadTakesTheFirst) {
  std::thread::id first;
  run_parallel({[&] { first = std::this_thread::get_id(); }, [] {}, [] {}}, 3);
  EXPECT_EQ(first, std::this_thread::get_id());
}

TEST(Parallel, TheFirstTasksExceptionIsThrownAndTheOthersStillRan) {
  std::atomic<int> ran = 0;
  std::vector<std::function<void()>> tasks;
  for (int i = 0; i < 8; ++i)
    tasks.push_back([&ran, i] {
      ++ran;
      if (i == 3 || i == 6) throw std::runtime_error(std::to_string(i));
    });
  for (const int threads : {1, 4}) {
    ran = 0;
    try {
      run_parallel(tasks, threads);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_EQ(ran, 8);
  }
}

}  // namespace
}  // namespace faultline
