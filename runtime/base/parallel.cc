// Tasks are taken from one counter.
#include "runtime/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#ifdef __SANITIZE_THREAD__
extern "C" void AnnotateIgnoreSyncBegin(const char* file, int line);
extern "C" void AnnotateIgnoreSyncEnd(const char* file, int line);
#endif

namespace faultline {

namespace {

// Where two tasks happen to take one lock in turn, that of a cache say, the thread sanitizer sees an order between them
// and misses what they do to each other before and after. Built with it, threads are ordered by their start and end
// alone while one of these lives; what they share under a lock must then be there before they start.
class Unordered {
#ifdef __SANITIZE_THREAD__
 public:
  Unordered() { AnnotateIgnoreSyncBegin(__FILE__, __LINE__); }
  ~Unordered() { AnnotateIgnoreSyncEnd(__FILE__, __LINE__); }
  Unordered(const Unordered&) = delete;
  Unordered& operator=(const Unordered&) = delete;
#endif
};

}  // namespace

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
    for (size_t t = 1; t < wanted; ++t)
      others.emplace_back([&] {
        [[maybe_unused]] const Unordered unordered;
        work(next++);
      });
    work(0);
  }
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace faultline
