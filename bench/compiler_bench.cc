// Random prim graphs of at most twelve operations on compilers that take StableHLO: how long the text takes, and how
// many programs a second go through a worker with text, transport and compile. `harness_ms` is what a program costs
// besides the compiler and its program: wall time of a request and its text, less the phases compile and execute.
// Nothing is measured where the compiler is not set up.
#include <benchmark/benchmark.h>

#include <chrono>

#include "runtime/backends/emit/stablehlo.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/numerics/data_source.h"
#include "tests/fuse_random.h"

namespace faultline {
namespace {

constexpr uint64_t kGraphs = 50;

struct Program {
  PrimGraph graph;
  ValueList inputs;
};

std::vector<Program> programs() {
  std::vector<Program> made;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    SeededChoices choices(seed, "compiler bench");
    Program program{fuse_test::RandomGraph(choices).make(), {}};
    for (const GraphInput& input : program.graph.inputs)
      program.inputs.push_back({materialise(input.type, DataSource{}, seed, input.name)});
    made.push_back(std::move(program));
  }
  return made;
}

void emit(benchmark::State& state) {
  const std::vector<Program> all = programs();
  for (auto _ : state)
    for (const Program& program : all) benchmark::DoNotOptimize(to_stablehlo(program.graph));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kGraphs));
}
BENCHMARK(emit);

RunRequest request_of(const Program& program) {
  RunRequest request;
  request.form = "stablehlo";
  request.entry = "main";
  request.program = to_stablehlo(program.graph);
  request.settings = nlohmann::json::object();
  request.calls.push_back(program.inputs);
  return request;
}

void compile(benchmark::State& state, const std::string& name) {
  const WorkerPlace place = place_of(find_external(name));
  if (!place.unavailable.empty()) {
    state.SkipWithError(place.unavailable.c_str());
    return;
  }
  Worker worker(place.command);
  const std::vector<Program> all = programs();
  worker.run(request_of(all[0]));  // starts it
  const auto spent = [&] {
    int64_t nanoseconds = 0;
    for (const char* phase : {"compile", "execute"})
      if (const auto found = worker.phase_nanoseconds().find(phase); found != worker.phase_nanoseconds().end())
        nanoseconds += found->second;
    return nanoseconds;
  };
  const int64_t before = spent();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state)
    for (const Program& program : all)
      if (worker.run(request_of(program)).status != RunReply::Status::ok) state.SkipWithError("a program did not run");
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - start;
  const double count = static_cast<double>(state.iterations()) * static_cast<double>(kGraphs);
  state.counters["harness_ms"] = static_cast<double>(wall.count() - (spent() - before)) / 1e6 / count;
  state.counters["compiler_ms"] = static_cast<double>(spent() - before) / 1e6 / count;
  state.SetItemsProcessed(static_cast<int64_t>(count));
}
BENCHMARK_CAPTURE(compile, xla, "xla")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile, iree, "iree")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace faultline

BENCHMARK_MAIN();
