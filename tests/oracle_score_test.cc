// The oracle's score and what it is made of: legal orders, mutants, published rules, one-sided suspects, intervals. The
// last tests are the score itself on few seeds; tests/oracle_score_full_test.cc has many.
#include "checkers/score/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "checkers/score/freedoms.h"
#include "checkers/score/judge.h"
#include "checkers/score/memory.h"
#include "checkers/score/mutants/mutant.h"
#include "checkers/score/rules/rule.h"
#include "checkers/suspects.h"
#include "tests/oracle_score_bars.h"

namespace faultline {
namespace {

const ScoreProgram& program_of(std::string_view op_class) {
  for (const ScoreProgram& program : score_programs())
    if (program.op_class == op_class) return program;
  throw std::runtime_error("no such class");
}

// Exact chances by integers of any size: 31 to 0: 9.3e-10; 30 to 0: 1.9e-9; 600 to 400: 2.7e-10; 590 to 410: 1.4e-8.
TEST(Suspects, AreOneSidedWhenTheCoinWouldNotBe) {
  EXPECT_TRUE(is_one_sided(31, 0));
  EXPECT_TRUE(is_one_sided(0, 31));
  EXPECT_FALSE(is_one_sided(30, 0));
  EXPECT_TRUE(is_one_sided(37, 1));
  EXPECT_FALSE(is_one_sided(34, 1));
  EXPECT_TRUE(is_one_sided(600, 400));
  EXPECT_FALSE(is_one_sided(590, 410));
  EXPECT_FALSE(is_one_sided(0, 0));
  EXPECT_FALSE(is_one_sided(5000, 5000));
  EXPECT_TRUE(is_one_sided(32768, 0));
}

// Every order adds every term once: with exact additions the sum is that of the terms, after one addition fewer.
TEST(SumOrder, TakesEveryTermOnce) {
  for (const size_t count : {1, 2, 3, 7, 8, 64, 65, 100}) {
    std::vector<double> terms(count);
    std::iota(terms.begin(), terms.end(), 1);
    for (int kind = 0; kind < kSumOrderCount; ++kind)
      for (const uint32_t parameter : {1, 2, 8, 32}) {
        size_t additions = 0;
        const SumOrder order{static_cast<SumOrder::Kind>(kind), parameter};
        const double total = sum_in_order(order, terms, [&](double a, double b) {
          ++additions;
          return a + b;
        });
        EXPECT_EQ(total, static_cast<double>(count * (count + 1) / 2)) << to_text(order) << " of " << count;
        EXPECT_EQ(additions, count - 1) << to_text(order) << " of " << count;
      }
  }
}

// a + b kept as (10 a + b): the order can be read off the digits.
TEST(SumOrder, IsWhatItsNameSays) {
  const std::vector<double> terms = {1, 2, 3, 4};
  const auto digits = [](double a, double b) { return 10 * a + b; };
  const auto in = [&](SumOrder::Kind kind, uint32_t parameter) {
    return sum_in_order({kind, parameter}, terms, digits);
  };
  EXPECT_EQ(in(SumOrder::Kind::forward, 0), 1234);
  EXPECT_EQ(in(SumOrder::Kind::reversed, 0), 4321);
  EXPECT_EQ(in(SumOrder::Kind::pairwise, 0), 10 * 12 + 34);
  EXPECT_EQ(in(SumOrder::Kind::blocked, 3), 10 * 123 + 4);
  EXPECT_EQ(in(SumOrder::Kind::lanes, 2), 10 * 13 + 24);
  EXPECT_EQ(in(SumOrder::Kind::split, 2), 10 * 12 + 34);
}

TEST(SumOrder, HasTheDepthOfItsTree) {
  EXPECT_EQ(depth_of({SumOrder::Kind::forward, 0}, 100), 99);
  EXPECT_EQ(depth_of({SumOrder::Kind::pairwise, 0}, 100), 7);
  EXPECT_EQ(depth_of({SumOrder::Kind::blocked, 10}, 100), 18);
  EXPECT_EQ(depth_of({SumOrder::Kind::lanes, 8}, 64), 7 + 3);
}

// Against double, over the range of a softmax. 3 ulp of f32 are at the least 3 * 2^-24 of the value.
TEST(Freedoms, AnExpByExp2KeepsToTheUlpsOfExp) {
  double worst = 0;
  for (int k = -80000; k <= 20000; ++k) {
    const double x = static_cast<float>(k / 1000.0), y = std::exp(x);
    worst = std::max(worst, std::abs(exp_by_exp2(x) - y) / ulp(Format::f32, y));
  }
  EXPECT_LT(worst, 3);
  EXPECT_GT(worst, 0.5) << "it is not exp";
}

// N(0,1) and [0,1) in f32: what the algorithms give lies within what they say of themselves.
TEST(Freedoms, VariancesKeepToTheirOwnBounds) {
  PhiloxStream stream(1, "variances");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> x(256);
    for (double& value : x) value = static_cast<float>(trial % 2 == 0 ? stream.normal() : 3 + stream.unit());
    double mean = 0, squares = 0;
    for (const double value : x) mean += value / 256;
    for (const double value : x) squares += (value - mean) * (value - mean);
    EXPECT_LE(std::abs(running_squares(x) - squares), running_squares_error(x));
    for (const SumOrder order : {SumOrder{}, SumOrder{SumOrder::Kind::pairwise, 0}})
      EXPECT_LE(std::abs(one_pass_squares(order, x) - squares), one_pass_squares_error(order, x));
  }
}

// Where the declared two passes have no room for one pass it is not taken: sums one by one of numbers on [0,1).
TEST(Freedoms, OnePassIsTakenOnlyWhereItConforms) {
  const auto& programs = score_programs();
  const auto program = std::find_if(programs.begin(), programs.end(),
                                    [](const ScoreProgram& p) { return p.text.starts_with("def layer_norm"); });
  const ScoreSubject subject(*program, DType::f32);
  const auto taken = [&](ScoreData data, SumOrder::Kind kind) {
    const ScoreTrial trial = make_trial(subject, data, 5);
    Implementation rewritten;
    rewritten.graph = subject.graph();
    rewritten.order.kind = kind;
    rewritten.freedoms = bit(Freedom::one_pass_variance);
    rewritten.squares_bound = trial.squares_bound;
    Freedoms found = 0;
    compute(rewritten, trial.inputs, &found);
    return found != 0;
  };
  EXPECT_FALSE(taken(ScoreData::uniform, SumOrder::Kind::forward));
  EXPECT_TRUE(taken(ScoreData::uniform, SumOrder::Kind::pairwise));
  EXPECT_TRUE(taken(ScoreData::normal, SumOrder::Kind::pairwise));
}

// Each alone changes bits somewhere, and nobody accuses it.
TEST(Freedoms, EachChangesResultsAndConforms) {
  for (int f = 0; f < kFreedomCount; ++f) {
    const Freedoms freedom = bit(static_cast<Freedom>(f));
    const Declared declared = (freedom & kFastFreedoms) != 0 ? Declared::fast : Declared::plain;
    const ScoreData data = freedom == bit(Freedom::flush) ? ScoreData::small : ScoreData::normal;
    int changed = 0;
    for (const ScoreProgram& program : score_programs()) {
      const ScoreSubject subject(program, DType::f32);
      if (element_count(subject.output().sizes) > 4096) continue;  // slow
      const ScoreTrial trial = make_trial(subject, data, 7, declared);
      Implementation rewritten;
      rewritten.graph = subject.graph();
      rewritten.order.kind = SumOrder::Kind::pairwise;
      rewritten.freedoms = freedom;
      rewritten.squares_bound = trial.squares_bound;
      Freedoms taken = 0;
      const Numbers result = compute(rewritten, trial.inputs, &taken);
      if (taken == 0) continue;
      rewritten.freedoms = 0;
      changed += !same_bits(result, compute(rewritten, trial.inputs));
      const std::vector<bool> accused = accusations(subject, trial, result);
      for (int judge = 0; judge < kOwnJudges; ++judge)
        EXPECT_FALSE(accused[judge]) << name(static_cast<Freedom>(f)) << " " << program.text;
    }
    EXPECT_GE(changed, 1) << name(static_cast<Freedom>(f));
  }
}

// Through right addresses a tensor comes back; through a tile's exchanged one it does not, and padding shows.
TEST(Memory, BringsATensorBackThroughEveryRightLayout) {
  for (const Sizes& sizes : {Sizes{5, 13}, Sizes{16, 16}, Sizes{40}}) {
    Numbers tensor(static_cast<size_t>(element_count(sizes))), earlier = tensor;
    for (size_t i = 0; i < tensor.size(); ++i) tensor[i].real = static_cast<double>(i), earlier[i].real = -1;
    const Matrix matrix = matrix_of(sizes);
    EXPECT_TRUE(same_bits(pass_through(dense_passage(earlier), tensor), tensor));
    EXPECT_TRUE(same_bits(pass_through(dense_passage(earlier, 3), tensor), tensor));
    Passage tiled = tiled_passage(matrix, earlier);
    EXPECT_TRUE(same_bits(pass_through(tiled, tensor), tensor));
    tiled.stores.clear();
    EXPECT_TRUE(same_bits(pass_through(tiled, tensor), earlier));
  }
}

// Under a change in place the other name's copy is the operand as it came: a row has the other sign.
TEST(Mutants, AnIgnoredAliasIsTheOperandBeforeTheChange) {
  const ScoreProgram program{"contraction",
                             "def f(x: TYPE[4,4]): v = aten.select.int(x, 0, 2); w = aten.neg_(v);"
                             " y = aten.add.Tensor(x, x); return y"};
  const ScoreSubject subject(program, DType::f32);
  Implementation wrong;
  wrong.graph = subject.graph();
  const std::vector<Numbers> inputs = subject.inputs(ScoreData::normal, 1);
  const Numbers right = compute(wrong, inputs);
  ASSERT_TRUE(mutants.at("alias_ignored", "mutant").plant(wrong, mutant_site(subject, 1)));
  const Numbers result = compute(wrong, inputs);
  for (size_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i].real, i / 4 == 2 ? -right[i].real : right[i].real);
}

bool passes(std::string_view rule, DType dtype, std::vector<double> result, std::vector<double> reference) {
  return rules.at(rule, "rule").passes({dtype, result, reference, reference});
}

// At both sides of each published limit.
TEST(Rules, PassUpToTheirPublishedLimits) {
  const auto at = [](std::string_view rule, DType dtype, double reference, double within, double beyond) {
    EXPECT_TRUE(passes(rule, dtype, {reference + within}, {reference})) << rule;
    EXPECT_FALSE(passes(rule, dtype, {reference + beyond}, {reference})) << rule;
  };
  at("nnsmith", DType::f32, 1, 0.0109, 0.0111);
  at("torchfuzz", DType::f32, 100, 4.99, 5.01);
  at("torchfuzz", DType::f32, 1, 0.99, 1.01);
  EXPECT_TRUE(passes("torchfuzz", DType::f32, {NAN, 1}, {1, 1})) << "a NaN exceeds no limit";
  EXPECT_FALSE(passes("torchfuzz", DType::f32, {256, 2.9}, {246, 0})) << "5.2 %";
  EXPECT_TRUE(passes("torchfuzz", DType::bf16, {256, 2.9}, {246, 0})) << "the sum is 258 in bf16: 4.9 %";
  at("assert_close", DType::f32, 100, 139e-6, 141e-6);
  at("assert_close", DType::f16, 100, 0.1000, 0.1001);
  at("assert_close", DType::bf16, 100, 1.6, 1.601);
  at("xla", DType::f32, 100, 0.0999, 0.1001);
  at("xla", DType::f32, 0.01, 0.000999, 0.001001);
  at("polygraphy", DType::f32, 100, 0.000999, 0.001001);
  at("iree", DType::f32, 100, 1.09e-3, 1.11e-3);
  at("iree", DType::f16, 100, 1.99e-3, 2.01e-3);
  at("iree", DType::bf16, 100, 0.0109, 0.0111);
  EXPECT_FALSE(passes("iree", DType::f32, {NAN}, {1}));
  EXPECT_TRUE(passes("iree", DType::f32, {NAN}, {NAN}));
  at("tvm", DType::f32, 1, 1.99e-7, 2.01e-7);
}

// One wrong element of many: the mean square hides it (RMSE of the reference 0.0266, error 22.6, limit from 90,000 on).
TEST(Rules, AnAggregateLosesOneElementAmongMany) {
  for (const auto& [count, caught] : {std::pair{4096, true}, std::pair{1 << 17, false}}) {
    std::vector<double> exact(static_cast<size_t>(count), 16), eager(exact), result;
    for (double& value : eager) value += 0.0266;
    result = eager;
    result[7] += 22.6;
    EXPECT_EQ(rules.at("same", "rule").passes({DType::bf16, result, eager, exact}), !caught) << count;
  }
}

TEST(Mutants, EachChangesResultsInEveryType) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    std::map<std::string_view, int> changed;
    for (const ScoreProgram& program : score_programs()) {
      const ScoreSubject subject(program, dtype);
      const std::vector<Numbers> inputs = subject.inputs(ScoreData::normal, 1);
      const MutantSite site = mutant_site(subject, 1);
      const Numbers right = compute(legal_implementation(subject.graph(), 1), inputs);
      for (const Mutant* mutant : mutants.rows) {
        if (changed[mutant->id] == 3) continue;
        Implementation wrong = legal_implementation(subject.graph(), 1);
        if (mutant->plant(wrong, site)) changed[mutant->id] += !same_bits(right, compute(wrong, inputs));
      }
    }
    for (const Mutant* mutant : mutants.rows) EXPECT_EQ(changed[mutant->id], 3) << mutant->id << " " << name(dtype);
  }
}

// Published: f32 all far out; f16 nine to eleven times the bound; bf16 mostly suspects, and all on one side.
TEST(OracleScore, ASoftmaxOf4096WithoutItsLast32TermsIsSeenInEveryType) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const ScoreSubject subject(program_of("softmax"), dtype);
    const ScoreTrial trial = make_trial(subject, ScoreData::normal, 3);
    Implementation wrong;
    wrong.graph = subject.graph();
    const MutantSite site{dtype, subject.output(), {}, 3, {}};
    ASSERT_TRUE(mutants.at("last_dropped", "mutant").plant(wrong, site));
    const Numbers result = compute(wrong, trial.inputs);
    int64_t above = 0, below = 0;
    for (size_t i = 0; i < result.size(); ++i) {
      const double difference = result[i].real - trial.sharp.exact[i];
      if (std::abs(difference) > trial.sharp.bound[i]) ++(difference > 0 ? above : below);
    }
    EXPECT_GT(above, 16384) << name(dtype);
    EXPECT_EQ(below, 0) << name(dtype);
    const std::vector<bool> accused = accusations(subject, trial, result);
    EXPECT_TRUE(accused[kSoundJudge]) << name(dtype);
    EXPECT_TRUE(accused[kSharpJudge]) << name(dtype);
  }
}

ScoreCell cell_with(DType dtype, ScoreCount caught, int64_t alarms) {
  ScoreCell cell{"norm", dtype, std::vector<ScoreCount>(kOwnJudges, caught), std::vector<ScoreCount>(kOwnJudges), 0};
  for (ScoreCount& count : cell.alarms) count = {0, 100};
  cell.alarms[kSharpJudge].count = alarms;
  return cell;
}

TEST(Bars, AreOneForBf16AndOneForTheOthers) {
  OracleScore score;
  score.judges = {"sound", "sharp", "oracle"};
  score.cells = {cell_with(DType::f32, {99, 100}, 0), cell_with(DType::bf16, {98, 100}, 0)};
  EXPECT_TRUE(missed_bars(score).empty());
  EXPECT_EQ(exit_code(outcome_of(score)), 0);
  score.cells.push_back(cell_with(DType::f16, {98, 100}, 0));
  ASSERT_EQ(missed_bars(score).size(), 1u);
  EXPECT_FALSE(missed_bars(score)[0].alarm);
  EXPECT_EQ(exit_code(outcome_of(score)), 10);
  score.cells.push_back(cell_with(DType::f32, {100, 100}, 1));
  EXPECT_EQ(missed_bars(score)[1].judge, "sharp");
  EXPECT_EQ(exit_code(outcome_of(score)), 11);
}

// Rows of the published table.
TEST(Wilson, GivesThePublishedIntervals) {
  const auto at = [](int64_t k, int64_t n, double low, double high) {
    const Interval interval = wilson({k, n});
    EXPECT_NEAR(100 * interval.low, low, 0.05) << k << "/" << n;
    EXPECT_NEAR(100 * interval.high, high, 0.05) << k << "/" << n;
  };
  at(29, 29, 88.3, 100);
  at(58, 59, 91.0, 99.7);
  at(95, 100, 88.8, 97.8);
  at(0, 300, 0, 1.26);
  at(3, 300, 0.34, 2.90);
  at(0, 10000, 0, 0.04);
}

TEST(OracleScore, StaysAboveItsBarsOnFewSeeds) {
  expect_bars(score_oracle({.seeds = 1, .controls = 480, .threads = 2}));
}

}  // namespace
}  // namespace faultline
