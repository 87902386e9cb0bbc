// Independent pieces of one job on several threads. Which thread does what shows nowhere: every task writes to places
// of its own, and who calls joins them in the order of their numbers.
#pragma once

#include <functional>
#include <vector>

namespace faultline {

// Runs all tasks on the calling thread and up to threads - 1 others, and returns when all are done. The calling thread
// begins with tasks[0]; with one thread they run in order. Rethrows what the first of those that threw has thrown.
void run_parallel(const std::vector<std::function<void()>>& tasks, int threads);

// What this machine offers; at least 1.
int hardware_threads();

}  // namespace faultline
