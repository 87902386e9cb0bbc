// Every row of the op table on its samples: decomposed, verified, run, and held against eager torch element by element
// within the exact domain's bound, together with what is more than values: dtype, sizes, strides, offset, aliases and
// mutated inputs.
#include <gtest/gtest.h>

#include <fstream>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "runtime/eager/eager.h"
#include "runtime/layers/decompose/op.h"
#include "tests/against_eager.h"

namespace faultline {
namespace {

using testing::AgainstEager;
using testing::Sample;

class DecomposeOps : public ::testing::TestWithParam<Sample> {};

TEST_P(DecomposeOps, AgreesWithEager) {
  const EagerStatus status = eager_status();
  if (!status.available) GTEST_SKIP() << status.why_not;
  AgainstEager against(GetParam().text, 1);
  against.check();
  EXPECT_LE(against.untrusted(), against.elements()) << "more untrusted than trusted elements";
  if (HasFailure()) std::cout << GetParam().text << "\n" << to_text(against.graph());
}

std::string sample_name(const ::testing::TestParamInfo<Sample>& sample) {
  return fmt::format("{}_{}", sample.param.id, sample.index);
}
INSTANTIATE_TEST_SUITE_P(Rows, DecomposeOps, ::testing::ValuesIn(testing::all_samples()), sample_name);

// Every row is described, has samples in two dtypes, and is found under its name and its synonyms.
TEST(DecomposeTable, RowsAreComplete) {
  for (const OpRow* row : ops.rows) {
    EXPECT_FALSE(row->summary.empty()) << row->id;
    EXPECT_GE(row->samples.size(), 2u) << row->id;
    EXPECT_EQ(find_op("aten." + std::string(row->id) + ".default"), row) << row->id;
    for (const std::string_view synonym : row->synonyms)
      EXPECT_EQ(find_op("aten." + std::string(synonym) + ".default"), row) << synonym;
    EXPECT_FALSE(schema_overloads("aten." + std::string(row->id)).empty()) << row->id;
  }
}

// What the exported programs of the corpus call. Reads of numbers are capture's, and a result whose size depends on the
// data has no graph.
TEST(DecomposeTable, ExportedProgramsFindTheirRows) {
  const std::set<std::string> others = {"aten._local_scalar_dense.default", "aten.item.default", "aten.sym_size.int",
                                        "aten._assert_scalar.default", "aten.nonzero.default"};
  std::ifstream list(FAULTLINE_SOURCE_DIR "/corpora/pt2/ops.txt");
  int known = 0;
  for (std::string target; std::getline(list, target);) {
    if (target.empty()) continue;
    const bool found = find_op(target) != nullptr;
    EXPECT_NE(found, others.contains(target)) << target;
    known += found;
  }
  EXPECT_GE(known, 80);
}

TEST(DecomposeTable, RowsHaveSamplesInTwoDtypes) {
  for (const OpRow* row : ops.rows) {
    std::set<DType> dtypes;
    for (const std::string_view sample : row->samples) {
      const Program program = parse_program(testing::with_id(sample, row->id), std::string(row->id));
      for (const Parameter& parameter : program.parameters) dtypes.insert(parameter.tensor->dtype);
    }
    EXPECT_GE(dtypes.size(), 2u) << row->id;
  }
}

}  // namespace
}  // namespace faultline
