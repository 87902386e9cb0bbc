// The comparison on several threads: the result of the plain judge, whatever their number.
#include <gtest/gtest.h>

#include "tests/comparison_samples.h"

namespace faultline {
namespace {

// Large enough for threads: rows and columns, a transposed pair, a broadcast one.
TEST(ComparisonThreads, AnyNumber) {
  PhiloxStream draws(6, "threads");
  const Sizes sizes{1100, 1003};
  const TensorType rows = contiguous_type(DType::bf16, sizes);
  const TensorType columns{DType::bf16, sizes, {1, 1100}, 0}, repeated{DType::bf16, sizes, {0, 1}, 3};
  const Pairs asked = random_pairs(DType::bf16, 1100 * 1003, draws, 1);
  const BoundOfReference bound{1.6e-2, 0.5, 1e-5};
  for (const TensorType& left : {rows, columns})
    for (const TensorType& right : {rows, repeated}) {
      const Tensor actual = laid_out(left, asked.actual), reference = laid_out(right, asked.reference);
      const Pairs pairs{DType::bf16, elements_of(actual), elements_of(reference)};
      std::vector<uint8_t> verdicts(asked.actual.size());
      ComparisonOptions options{.threads = 3, .listed = 20};
      options.verdicts = verdicts;
      const auto compare = [&] { return compare_to_reference(view_of(actual), view_of(reference), bound, options); };
      const ElementComparison found = compare();
      expect_same(found, plainly(pairs, bound, options), to_text(left) + " against " + to_text(right));
      for (options.threads = 1; options.threads <= 2; ++options.threads)
        expect_same(compare(), found, std::to_string(options.threads) + " threads");
    }
}

}  // namespace
}  // namespace faultline
