// Rows in order of numbers that are equal within their errors: values are held to the bounds of sorting, indices to
// what they stand for, and both are judged throughout.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checkers/compare.h"
#include "runtime/base/philox.h"
#include "runtime/eager/eager.h"
#include "runtime/exact/sorted_row.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/arithmetic.h"
#include "runtime/run/compare_case.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

Bounded number(double value, double bound = 0) {
  Bounded result;
  result.value = value;
  result.bound = bound;
  return result;
}

Bounded whole(int64_t value) {
  Bounded result;
  result.integer = value;
  return result;
}

// The row in order by its numbers, ties by place, before anything is known of errors.
struct Row {
  std::vector<Bounded> elements, values, indices;

  Row(std::vector<Bounded> row, bool descending) : elements(std::move(row)) {
    std::vector<int64_t> order(elements.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    const auto key = [&](int64_t i) { return descending ? -elements[i].value : elements[i].value; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
    for (const int64_t i : order) values.push_back(elements[i]), indices.push_back(whole(i));
  }
};

// Every way to perturb: what a machine sorts lies within the bounds, and its indices are among the choices.
TEST(SortedRows, HoldEveryOrderOfPerturbedElements) {
  PhiloxStream stream(7, "rows");
  for (int trial = 0; trial < 300; ++trial) {
    const bool descending = trial % 2 != 0, stable = trial % 3 != 0;
    std::vector<Bounded> row;
    for (int i = 0; i < 9; ++i)
      row.push_back(number(stream.below(6) * 0.5, stream.below(3) == 0 ? 0 : stream.below(8) * 0.1));
    ExactDomain domain(host_arithmetic());
    Row ordered(row, descending);
    settle_sorted_row(domain, DType::f32, {descending, stable}, row, ordered.values, ordered.indices);
    for (int machine = 0; machine < 20; ++machine) {
      std::vector<Bounded> moved = row;
      for (Bounded& element : moved) element.value += element.bound * (stream.unit() * 2 - 1);
      const Row got(moved, descending);
      for (size_t p = 0; p < row.size(); ++p) {
        EXPECT_EQ(ordered.values[p].reasons, 0u);
        EXPECT_LE(std::fabs(got.values[p].value - ordered.values[p].value), ordered.values[p].bound * (1 + 1e-12));
        const IndexChoice* choice = domain.choice_of(ordered.indices[p]);
        const int64_t index = got.indices[p].integer;
        EXPECT_TRUE(choice != nullptr ? std::binary_search(choice->among->begin(), choice->among->end(), index)
                                      : index == ordered.indices[p].integer && ordered.indices[p].reasons == 0);
      }
    }
  }
}

TEST(SortedRows, AreTight) {
  ExactDomain domain(host_arithmetic());
  const std::vector<Bounded> row = {number(5), number(1, 0.25), number(1.25, 0.125), number(3, 0.5), number(NAN)};
  Row ordered(row, false);
  ordered.values = {row[1], row[2], row[3], row[0], row[4]};
  ordered.indices = {whole(1), whole(2), whole(3), whole(0), whole(4)};
  settle_sorted_row(domain, DType::f32, {false, true}, row, ordered.values, ordered.indices);
  EXPECT_NEAR(ordered.values[0].bound, 0.25, 1e-12);
  EXPECT_NEAR(ordered.values[1].bound, 0.125, 1e-12);
  EXPECT_NEAR(ordered.values[2].bound, 0.5, 1e-12);
  EXPECT_EQ(ordered.values[3].bound, 0);
  EXPECT_EQ(*domain.choice_of(ordered.indices[0])->among, (std::vector<int64_t>{1, 2}));
  for (const int sure : {2, 3, 4}) {
    EXPECT_EQ(domain.choice_of(ordered.indices[sure]), nullptr);
    EXPECT_EQ(ordered.indices[sure].reasons, 0u);
  }
}

// Where every element is exact: their order is sure if it is promised, and open among equal ones if it is not.
TEST(SortedRows, EqualElementsKeepTheirOrderIfThatIsPromised) {
  const std::vector<Bounded> row = {number(2), number(1), number(2), number(NAN), number(-0.0), number(0), number(NAN)};
  for (const bool stable : {true, false}) {
    ExactDomain domain(host_arithmetic());
    std::vector<Bounded> indices;
    for (const int64_t index : {4, 5, 1, 0, 2, 3, 6}) indices.push_back(whole(index));
    settle_sorted_row(domain, DType::f32, {false, stable}, row, {}, indices);
    std::vector<std::vector<int64_t>> among;
    for (const Bounded& index : indices) {
      const IndexChoice* choice = domain.choice_of(index);
      among.push_back(choice != nullptr ? *choice->among : std::vector<int64_t>{index.integer});
    }
    const std::vector<std::vector<int64_t>> sure = {{4}, {5}, {1}, {0}, {2}, {3}, {6}},
                                            open = {{4, 5}, {4, 5}, {1}, {0, 2}, {0, 2}, {3, 6}, {3, 6}};
    EXPECT_EQ(among, stable ? sure : open);
  }
}

// Numbers that are not those of the row in order: nothing is claimed of them.
TEST(SortedRows, ClaimNothingOfOtherNumbers) {
  ExactDomain domain(host_arithmetic());
  const std::vector<Bounded> row = {number(1, 0.5), number(2)};
  std::vector<Bounded> values = {number(2, 9), number(1, 9)};
  settle_sorted_row(domain, DType::f32, {}, row, values, {});
  EXPECT_EQ(values[0].bound, 9);
}

// The evidence of a case's outputs as they came, for changes to be judged.
struct Judged {
  std::vector<TensorEvidence> tensors;
};

Judged judged(const std::string& program, uint64_t seed) {
  Case test_case = parse_case("program=" + program);
  test_case.seed = seed;
  const Subject subject(test_case);
  Judged result;
  for (TensorEvidence& tensor : compare_case(subject, 1).evidence.tensors)
    if (tensor.role == TensorRole::output) result.tensors.push_back(std::move(tensor));
  return result;
}

int64_t wrong(const TensorEvidence& tensor, const ElementBits& bits) { return compare_elements(tensor, bits).wrong; }

// bf16 and f16 of exponentials in a narrow range: many are equal, or neighbours, which is within their errors.
std::string near_ties(const std::string& dtype, const std::string& call) {
  return "def f(x: " + dtype + "[3,40]): e = aten.exp(x); v, i = " + call + "; return v, i; call f(x = uniform())";
}

TEST(SortedRows, AreJudgedThroughTheWholeStack) {
  if (const EagerStatus status = eager_status(); !status.available) GTEST_SKIP() << status.why_not;
  for (const std::string dtype : {"f32", "f16", "bf16"})
    for (const std::string call : {"aten.sort(e, 1)", "aten.sort(e, 1, True)", "aten.topk(e, 7, 1)",
                                   "aten.topk(e, 7, 1, False)", "aten.max.dim(e, 1)", "aten.min.dim(e, 1)"}) {
      SCOPED_TRACE(dtype + " " + call);
      const Verdict verdict = run_case(parse_case("program=" + near_ties(dtype, call)), {});
      EXPECT_EQ(name(verdict.outcome), name(Outcome::pass)) << verdict.explanation;
      EXPECT_EQ(verdict.coverage.unjudged, 0) << "of " << verdict.coverage.elements;
      EXPECT_GT(verdict.coverage.elements, 0);
    }
}

TEST(SortedRows, WrongOnesAreFound) {
  if (const EagerStatus status = eager_status(); !status.available) GTEST_SKIP() << status.why_not;
  for (const std::string dtype : {"f32", "f16", "bf16"})
    for (const std::string call : {"aten.sort(e, 1)", "aten.topk(e, 20, 1)"}) {
      SCOPED_TRACE(dtype + " " + call);
      const Judged found = judged(near_ties(dtype, call), 3);
      const TensorEvidence &values = found.tensors.at(0), &indices = found.tensors.at(1);
      EXPECT_EQ(wrong(values, values.actual), 0);
      EXPECT_EQ(wrong(indices, indices.actual), 0);
      ElementBits swapped = values.actual;
      std::swap(swapped[0], swapped[15]);
      EXPECT_EQ(wrong(values, swapped), 2);
      swapped = indices.actual;
      std::swap(swapped[0], swapped[15]);
      EXPECT_EQ(wrong(indices, swapped), 2);
      int64_t off = 0, twice = 0, outside = 0;
      for (size_t p = 0; p + 1 < 20; ++p) {
        ElementBits bits = indices.actual;
        bits[p] = (bits[p] + 1) % 40;  // another element, or one that stands elsewhere in the row
        off += wrong(indices, bits) > 0;
        bits = indices.actual;
        bits[p] = bits[p + 1];
        twice += wrong(indices, bits) > 0;
        bits[p] = 40;
        outside += wrong(indices, bits) > 0;
      }
      EXPECT_GE(off, 15);  // the others are as near as their errors
      EXPECT_EQ(twice, 19);
      EXPECT_EQ(outside, 19);
    }
}

// What an open index reads is judged, and so is the index after arithmetic that maps it.
TEST(SortedRows, OpenIndicesPassThroughGather) {
  if (const EagerStatus status = eager_status(); !status.available) GTEST_SKIP() << status.why_not;
  const Verdict verdict = run_case(
      parse_case(
          "program=def f(x: bf16[3,40]): e = aten.exp(x); i = aten.argmax(e, 1, True); v = aten.gather(e, 1, i); "
          "return v, i; call f(x = uniform())"),
      {});
  EXPECT_EQ(name(verdict.outcome), name(Outcome::pass)) << verdict.explanation;
  EXPECT_EQ(verdict.coverage.unjudged, 0);
}

}  // namespace
}  // namespace faultline
