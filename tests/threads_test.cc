// Cases whose runs take place on several threads: the record has the same bytes on any number of them. What the runs
// share differs with what the program does and with how the run that decides ends, so each way has a case here.
// ./check tsan runs this to see that no two threads meet. The run on one thread fills what is made once and kept.
#include <gtest/gtest.h>

#include <string>

#include "reports/json.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

struct Shared {
  const char *name, *line;
};
void PrintTo(const Shared& shared, std::ostream* stream) { *stream << shared.line; }

// Without data read the rungs share the artefacts and the decisions of the run that decided; with it each has its own.
// So has each where that run did not end.
const Shared kShared[] = {
    {"Clean", "program=@corpora/programs/clone65.fl"},
    {"Stale", "memory=stale program=@corpora/programs/matmul_gelu.fl"},
    {"WritesThroughViews", "memory=stale program=@corpora/programs/views_and_writes.fl"},
    {"StateBetweenCalls", "memory=stale program=@corpora/programs/counter.fl"},
    {"SizesThatChange", "program=@corpora/programs/growing_batch.fl"},
    {"Rejected", "program=@corpora/programs/overlapping_inputs.fl"},
    {"ReadsABranch", "memory=stale program=@corpora/programs/branch_on_sum.fl"},
    {"ReadsANumber",
     "memory=stale program=def f(x: f16[65]): s = aten.amax(x); n = s.item(); y = aten.mul.Scalar(x, n); return y; "
     "call f(); call f(x = arange())"},
    // Torch is asked in a child process first, which is forked while other threads run.
    {"ReadsBesideATrial",
     "program=def f(x: f32[4,6]): p = aten._safe_softmax(x, 1); s = aten.sum(p); n = s.item(); "
     "y = aten.mul.Scalar(p, n); z = aten._unsafe_view(y, [24]); return z; call f(); call f(x = arange())"},
    // A bound that gives up is measured by a run of its own.
    {"BoundsThatGiveUp",
     "program=def f(x: f16[5,33]): s = aten.mul.Scalar(x, 200.0); y = aten.softmax.int(s, 1); return y"},
    // More calls than the cache has entries.
    {"RunsEagerly",
     "program=def f(x: f16[4], n: int = 0): y = aten.add.Scalar(x, n); return y; call f(n = 1); call f(n = 2); "
     "call f(n = 3); call f(n = 4); call f(n = 5); call f(n = 6); call f(n = 7); call f(n = 8); call f(n = 9); "
     "call f(n = 10)"},
    {"WrongByCapture",
     "fault=capture.guard_shape program=def f(x: f16[4,5]): y = aten.exp(x); return y; call f(); call f(x: f16[5,4])"},
    {"WrongByTile", "memory=stale fault=tile.trip_floor program=def f(x: f16[3,97]): y = aten.clone(x); return y"},
    {"WrongByTransfer", "fault=transfer.cell_flip program=def f(x: f16[3,67]): y = aten.neg(x); return y"},
    {"WrongByArithmetic",
     "fault=numerics.flip1 program=def f(x: f16[67], y: f16[67]): z = aten.add.Tensor(x, y); return z"},
    {"WrongWhereItReads",
     "fault=tile.trip_floor program=def f(x: f16[65]): s = aten.amax(x); n = s.item(); y = aten.mul.Scalar(x, n); "
     "return y"},
    {"Crashes", "fault=schedule.piece_floor program=def f(x: f16[63]): y = aten.clone(x); return y"},
    {"Hangs", "fault=transfer.no_reply program=def f(x: f16[3,67]): y = aten.neg(x); return y"},
    {"ModelWithState", "memory=stale program=@corpora/pt2/state_f32.aten.pt2"},
    {"ModelOfDynamicSizes", "program=@corpora/pt2/dynamic_f32.export.pt2"},
    {"ModelOfLinearLayers", "program=@corpora/pt2/mlp_bf16.aten.pt2"},
};

class Threads : public testing::TestWithParam<Shared> {};

TEST_P(Threads, DoNotShow) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Case test_case = parse_case(GetParam().line, FAULTLINE_SOURCE_DIR);
  RunOptions options;
  options.ladder = true;
  const std::string alone = to_json(run_case(test_case, options)).dump();
  for (const int threads : {2, 20}) {
    options.threads = threads;
    EXPECT_EQ(to_json(run_case(test_case, options)).dump(), alone) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, Threads, testing::ValuesIn(kShared),
                         [](const testing::TestParamInfo<Shared>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace faultline
