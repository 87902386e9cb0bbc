// Tasks are taken from one counter.
#include "runtime/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace faultline {

void run_parallel(const std::vector<std::function<void()>>& tasks, int threads) {
  std::vector<std::exception_ptr> thrown(tasks.size());
  std::atomic<size_t> next = 1;
  const auto work = [&](size_t first) {
    for (size_t i = first; i < tasks.size(); i = next++) {
      try {
        tasks[i]();
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const size_t wanted = std::min(tasks.size(), static_cast<size_t>(std::max(threads, 1)));
    for (size_t t = 1; t < wanted; ++t) others.emplace_back([&] { work(next++); });
    work(0);
  }
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace faultline
