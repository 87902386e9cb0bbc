// Vectors computed apart from this code, the laws (docs/sources.md, Fingerprints), and what they are for: legal
// rewritings agree, faults do not.
#include "runtime/exact/fingerprint_domain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/philox.h"

namespace faultline {
namespace {

using Value = Fingerprint;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value unary(Function function, const Value& x) { return apply_law(function, x, x); }
Value literal(double number) { return fingerprint_literal(number); }
bool is_dead(const Value& x) { return (x.flags & Fingerprint::dead) != 0; }

class FingerprintTest : public ::testing::Test {
 protected:
  FingerprintDomain domain{host_arithmetic(), 1};
  const Value x0 = domain.leaf("x", 0), x1 = domain.leaf("x", 1);
};

void expect_pair(const Value& value, uint64_t a, uint64_t b) {
  EXPECT_EQ(value.a, a);
  EXPECT_EQ(value.b, b);
  EXPECT_FALSE(is_dead(value));
}

TEST(Field, FoldingAgreesWithDivision) {
  PhiloxStream stream(3, "field");
  const auto draw = [&] { return uint64_t{stream.next()} << 32 | stream.next(); };
  const auto slow = [](uint64_t x, uint64_t y, uint64_t m) {
    return static_cast<uint64_t>(static_cast<Wide>(x) * y % m);
  };
  constexpr uint64_t p = FirstField::modulus, q = SecondField::modulus;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t x = i % 5 == 0 ? p - 1 - i : draw() % p, y = i % 7 == 0 ? p - 1 : draw() % p;
    ASSERT_EQ(FirstField::multiply(x, y), slow(x, y, p));
    ASSERT_EQ(SecondField::multiply(x % q, y % q), slow(x % q, y % q, q));
    ASSERT_EQ(FirstField::reduce(static_cast<Wide>(x) << 61), slow(x, uint64_t{1} << 61, p));
  }
  for (const uint64_t exponent : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{256}, q - 1, q})
    EXPECT_EQ(power_of_two(exponent), FirstField::power(2, exponent));
  EXPECT_EQ(power_of_two(q), 1u);
  EXPECT_EQ(FirstField::multiply(FirstField::inverse(12345), 12345), 1u);
}

TEST_F(FingerprintTest, Vectors) {
  expect_pair(x0, 1625622900648814532, 600807282679523177);
  expect_pair(x1, 2436325396305699222, 1573420395337653010);
  expect_pair(add(x0, x1), 4061948296954513754, 2174227678017176187);
  expect_pair(multiply(x0, x1), 1974784012744842033, 1990884094699161503);
  expect_pair(divide(x0, x1), 1497316679281272420, 2134886217830520013);
  expect_pair(literal(0.1), 461168601842737632, 230584300921368816);
  expect_pair(literal(M_LOG2E), 1380642446336401075, 1659837419599582589);
  EXPECT_EQ(unary(Function::exp2, x0).a, 44282304080750158u);
  EXPECT_EQ(unary(Function::exp, x0).a, 3824672041865650668u);
  EXPECT_TRUE(is_dead(unary(Function::exp2, x0)) && is_dead(unary(Function::exp, x0)));
  expect_pair(unary(Function::tanh, x0), 3771009278358729082, 1205644661104209837);
  expect_pair(apply_law(Function::atan2, x0, x1), 3018277794656835632, 2288655278911603081);
  EXPECT_EQ(order_key(x0.a), 2090948750172940996u);
  EXPECT_EQ(order_key(x1.a), 1844029199515519336u);
  EXPECT_EQ(compare_order(x0, x1), 1);
}

TEST_F(FingerprintTest, SoftmaxVector) {
  Value s[4], largest = fingerprint_infinity(true), exps[4], sum = fingerprint_integer(0);
  for (int i = 0; i < 4; ++i) largest = apply_law(Function::maximum, largest, s[i] = domain.leaf("s", i));
  EXPECT_TRUE(equal(largest, s[3]));
  for (int i = 0; i < 4; ++i) sum = add(sum, exps[i] = unary(Function::exp, subtract(s[i], largest)));
  const uint64_t expected[] = {1971304731382345655u, 1422452418360110473u, 3360202667034656441u, 2469412220077640070u};
  for (int i = 0; i < 4; ++i) {
    const Value y = divide(exps[i], sum);
    EXPECT_EQ(y.a, expected[i]);
    EXPECT_TRUE(is_dead(y));
  }
}

TEST_F(FingerprintTest, ExponentialIsAHomomorphism) {
  const auto exp = [](const Value& x) { return unary(Function::exp, x); };
  EXPECT_TRUE(equal(exp(add(x0, x1)), multiply(exp(x0), exp(x1))));
  EXPECT_TRUE(equal(exp(subtract(x0, x1)), divide(exp(x0), exp(x1))));
  EXPECT_TRUE(equal(exp(fingerprint_infinity(true)), literal(0)));
  EXPECT_TRUE(equal(exp(literal(0)), literal(1)));
  EXPECT_TRUE(equal(unary(Function::exp2, literal(3)), literal(8)));
  EXPECT_TRUE(equal(unary(Function::exp2, literal(-1)), literal(0.5)));
  // exp of a dead value is an oracle: no law, but a function still.
  const Value dead = exp(x0);
  EXPECT_FALSE(equal(exp(add(dead, dead)), multiply(exp(dead), exp(dead))));
  EXPECT_TRUE(equal(exp(dead), exp(dead)));
  // A compiler may write it as exp2.
  EXPECT_TRUE(equal(exp(dead), unary(Function::exp2, multiply(dead, literal(M_LOG2E)))));
  // ... until it is refreshed.
  const Value fresh = unary(Function::refresh, dead);
  EXPECT_TRUE(equal(fresh, dead));
  EXPECT_TRUE(equal(exp(add(fresh, fresh)), multiply(exp(fresh), exp(fresh))));
}

TEST_F(FingerprintTest, LiteralsAreTheirDecimals) {
  EXPECT_TRUE(equal(add(literal(0.1), literal(0.2)), literal(0.3)));
  EXPECT_TRUE(equal(multiply(literal(1e-3), literal(1e3)), literal(1)));
  EXPECT_TRUE(equal(divide(literal(1), literal(8)), literal(0.125)));
  EXPECT_TRUE(equal(literal(-2.5), negate(literal(2.5))));
  EXPECT_TRUE(equal(literal(123456789), fingerprint_integer(123456789)));
  EXPECT_TRUE(equal(fingerprint_integer(-5), add(literal(-2), literal(-3))));
  EXPECT_FALSE(equal(literal(0.1), literal(0.1000000001)));
}

TEST_F(FingerprintTest, NamedConstantsKeepTheirAlgebra) {
  EXPECT_TRUE(equal(multiply(literal(M_LN2), literal(M_LOG2E)), literal(1)));
  EXPECT_TRUE(equal(multiply(literal(M_LN10), literal(M_LOG10E)), literal(1)));
  EXPECT_TRUE(equal(divide(literal(M_LN2), literal(M_LN10)), literal(std::log10(2.0))));
  EXPECT_TRUE(equal(multiply(literal(M_SQRT2), literal(M_SQRT2)), literal(2)));
  EXPECT_TRUE(equal(multiply(literal(M_SQRT1_2), literal(M_SQRT2)), literal(1)));
  EXPECT_TRUE(equal(multiply(literal(M_SQRT2), literal(1 / std::sqrt(M_PI))), literal(std::sqrt(2 / M_PI))));
  EXPECT_TRUE(equal(literal(static_cast<double>(static_cast<float>(M_LOG2E))), literal(M_LOG2E)));
  EXPECT_TRUE(equal(literal(-M_LN2), negate(literal(M_LN2))));
  EXPECT_TRUE(equal(unary(Function::exp, literal(1)), literal(M_E)));
  EXPECT_TRUE(equal(unary(Function::sqrt, literal(2)), literal(M_SQRT2)));
  EXPECT_FALSE(equal(literal(1.4427), literal(M_LOG2E)));
  // exp(x) by exp2 with a scaled argument, and exp2(x) by exp.
  EXPECT_TRUE(equal(unary(Function::exp, multiply(x0, literal(M_LN2))), unary(Function::exp2, x0)));
}

TEST_F(FingerprintTest, ConstantsFold) {
  EXPECT_TRUE(equal(divide(literal(1), unary(Function::sqrt, literal(64))), literal(0.125)));
  EXPECT_TRUE(equal(unary(Function::rsqrt, literal(64)), literal(0.125)));
  EXPECT_TRUE(equal(unary(Function::sqrt, literal(0.01)), literal(0.1)));
  const Value root3 = unary(Function::sqrt, literal(3));
  EXPECT_FALSE(equal(multiply(root3, root3), literal(3)));  // declared no identity
  EXPECT_TRUE(root3.is_constant());
  EXPECT_NEAR(root3.constant, std::sqrt(3), 1e-15);
  EXPECT_TRUE(equal(unary(Function::floor, literal(2.75)), literal(2)));
  EXPECT_TRUE(equal(unary(Function::abs, literal(-2.75)), literal(2.75)));
  EXPECT_TRUE(equal(apply_law(Function::fmod, literal(7.5), literal(2)), literal(1.5)));
  EXPECT_TRUE(equal(apply_law(Function::remainder, literal(-7.5), literal(2)), literal(0.5)));
  EXPECT_TRUE(equal(apply_law(Function::pow, x0, literal(3)), multiply(x0, multiply(x0, x0))));
  EXPECT_TRUE(equal(apply_law(Function::pow, x0, literal(-2)), divide(literal(1), multiply(x0, x0))));
  EXPECT_TRUE(equal(unary(Function::rsqrt, x0), divide(literal(1), unary(Function::sqrt, x0))));
  EXPECT_LT(compare_order(literal(-1e4), literal(3)), 0);
  EXPECT_TRUE((unary(Function::log, literal(0)).flags & Fingerprint::minus_infinity) != 0);
  EXPECT_FALSE(add(literal(1), x0).is_constant());
}

TEST_F(FingerprintTest, OrderIsTotalOverConstantsAndOthers) {
  std::vector<Value> values = {literal(-3), literal(0),    literal(1e-9),
                               literal(2),  literal(1e30), fingerprint_infinity(true)};
  for (int i = 0; i < 6; ++i) values.push_back(domain.leaf("y", i));
  for (const Value& x : values)
    for (const Value& y : values)
      for (const Value& z : values) {
        ASSERT_EQ(compare_order(x, y), -compare_order(y, x));
        if (compare_order(x, y) <= 0 && compare_order(y, z) <= 0) {
          ASSERT_LE(compare_order(x, z), 0);
        }
        const auto most = [](const Value& a, const Value& b) { return apply_law(Function::maximum, a, b); };
        ASSERT_TRUE(equal(most(most(x, y), z), most(x, most(z, y))));
        ASSERT_TRUE(equal(most(x, x), x));
      }
}

TEST_F(FingerprintTest, InfinitiesNanAndPoison) {
  const Value inf = fingerprint_infinity(false), minus = fingerprint_infinity(true), nan = fingerprint_nan();
  const auto is = [](const Value& x, const Value& y) { return equal(x, y); };
  EXPECT_TRUE(is(add(inf, x0), inf));
  EXPECT_TRUE(is(subtract(inf, inf), nan));
  EXPECT_TRUE(is(multiply(inf, literal(0)), nan));
  EXPECT_TRUE(is(divide(x0, inf), literal(0)));
  EXPECT_TRUE(is(divide(x0, literal(0)), nan));
  const bool positive = compare_order(x0, literal(0)) > 0;
  EXPECT_TRUE(is(multiply(inf, x0), positive ? inf : minus));
  EXPECT_TRUE(is(multiply(inf, literal(-2)), minus));
  EXPECT_TRUE(is(apply_law(Function::maximum, minus, x0), x0));
  EXPECT_TRUE(is(apply_law(Function::maximum, nan, x0), nan));
  EXPECT_TRUE(is(unary(Function::tanh, inf), literal(1)));
  EXPECT_TRUE(is(apply_law(Function::fmod, x0, inf), x0));
  EXPECT_TRUE(is(unary(Function::atan, minus), literal(-M_PI_2)));
  EXPECT_TRUE(compare_fingerprints(Function::not_equal, nan, nan));
  EXPECT_FALSE(compare_fingerprints(Function::equal, nan, nan));
  const Value poison = fingerprint_poison(7);
  for (const Value& result : {add(poison, nan), multiply(nan, poison), divide(inf, poison),
                              unary(Function::tanh, poison), apply_law(Function::maximum, x0, poison)})
    EXPECT_TRUE(is(result, poison));
  EXPECT_FALSE(is(poison, fingerprint_poison(8)));
}

// Direct attention over a row of scores, and the blocked form with a running maximum and rescaling.
struct Attention {
  std::vector<Value> scores, values;

  Value direct() const {
    Value most = fingerprint_infinity(true), sum = fingerprint_integer(0), out = sum;
    for (const Value& s : scores) most = apply_law(Function::maximum, most, s);
    for (size_t i = 0; i < scores.size(); ++i) {
      const Value weight = unary(Function::exp, subtract(scores[i], most));
      sum = add(sum, weight);
      out = add(out, multiply(weight, values[i]));
    }
    return divide(out, sum);
  }
  Value blocked(size_t block, size_t skip_from, bool rescale) const {
    Value most = fingerprint_infinity(true), sum = fingerprint_integer(0), out = sum;
    for (size_t begin = 0; begin < skip_from; begin += block) {
      Value next = most;
      for (size_t i = begin; i < begin + block; ++i) next = apply_law(Function::maximum, next, scores[i]);
      const Value factor = rescale ? unary(Function::exp, subtract(most, next)) : fingerprint_integer(1);
      sum = multiply(sum, factor);
      out = multiply(out, factor);
      for (size_t i = begin; i < begin + block; ++i) {
        const Value weight = unary(Function::exp, subtract(scores[i], next));
        sum = add(sum, weight);
        out = add(out, multiply(weight, values[i]));
      }
      most = next;
    }
    return divide(out, sum);
  }
};

TEST(FingerprintPrograms, BlockedAttentionEqualsDirect) {
  for (const uint64_t seed : {1, 2, 3}) {
    Attention attention;
    for (uint64_t i = 0; i < 64; ++i) {
      attention.scores.push_back(unary(Function::refresh, fingerprint_leaf("s", i, seed)));
      attention.values.push_back(fingerprint_leaf("v", i, seed));
    }
    const Value direct = attention.direct();
    EXPECT_TRUE(equal(direct, attention.blocked(16, 64, true)));
    EXPECT_TRUE(equal(direct, attention.blocked(8, 64, true)));
    EXPECT_FALSE(equal(direct, attention.blocked(16, 48, true))) << "a dropped last block";
    EXPECT_FALSE(equal(direct, attention.blocked(16, 64, false))) << "a missing rescale";
  }
}

TEST(FingerprintPrograms, OnePassAndTwoPassVarianceAgree) {
  Value sum = fingerprint_integer(0), squares = sum, centred = sum;
  const Value n = fingerprint_integer(40);
  std::vector<Value> x;
  for (uint64_t i = 0; i < 40; ++i) x.push_back(fingerprint_leaf("x", i, 1));
  for (const Value& value : x) sum = add(sum, value), squares = add(squares, multiply(value, value));
  const Value mean = divide(sum, n);
  for (const Value& value : x) centred = add(centred, multiply(subtract(value, mean), subtract(value, mean)));
  EXPECT_TRUE(equal(divide(centred, n), subtract(divide(squares, n), multiply(mean, mean))));
}

TEST_F(FingerprintTest, SumsDoNotDependOnOrderOrSplit) {
  constexpr int n = 300;
  std::vector<Value> a, b;
  for (int i = 0; i < n; ++i) a.push_back(domain.leaf("a", i)), b.push_back(domain.leaf("b", i));
  Value slow = fingerprint_integer(0);
  for (int i = 0; i < n; ++i) slow = add(slow, multiply(a[i], b[i]));
  auto forward = domain.accumulator(Reduction::sum, DType::f16), low = forward, high = forward;
  for (int i = 0; i < n; ++i) domain.multiply_accumulate(DType::f16, &forward, &a[i], 0, &b[i], 0, 1);
  for (int i = n; i-- > 0;) domain.multiply_accumulate(DType::f16, i < 100 ? &low : &high, &a[i], 0, &b[i], 0, 1);
  domain.combine(Reduction::sum, DType::f16, &high, low);
  const Value whole = domain.finish(Reduction::sum, DType::f16, forward);
  EXPECT_TRUE(equal(whole, slow));
  EXPECT_EQ(whole.b, slow.b);
  EXPECT_TRUE(equal(whole, domain.finish(Reduction::sum, DType::f16, high)));
  domain.multiply_accumulate(DType::f16, &high, &a[5], 0, &b[5], 0, 1);
  EXPECT_FALSE(equal(whole, domain.finish(Reduction::sum, DType::f16, high))) << "a doubled term";
}

TEST_F(FingerprintTest, SumsCarryTagsAndConstants) {
  const auto sum_of = [&](std::vector<Value> terms) {
    auto accumulator = domain.accumulator(Reduction::sum, DType::f32);
    for (const Value& term : terms) domain.accumulate(Reduction::sum, DType::f32, &accumulator, &term, 1);
    return domain.finish(Reduction::sum, DType::f32, accumulator);
  };
  const Value inf = fingerprint_infinity(false);
  EXPECT_TRUE(equal(sum_of({x0, inf, x1}), inf));
  EXPECT_TRUE(equal(sum_of({inf, fingerprint_infinity(true)}), fingerprint_nan()));
  EXPECT_TRUE(equal(sum_of({fingerprint_nan(), fingerprint_poison(3), fingerprint_poison(4)}), fingerprint_poison(3)));
  const Value constant = sum_of({literal(1.5), literal(2)});
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.constant, 3.5);
  EXPECT_FALSE(sum_of({literal(1.5), x0}).is_constant());
}

TEST_F(FingerprintTest, CastsReplayTheNativeIntegers) {
  const auto cast = [&](DType result, DType operand, Value value) {
    domain.apply(Function::cast, result, operand, &value, &value, nullptr, nullptr, 1);
    return value;
  };
  EXPECT_EQ(cast(DType::i32, DType::f32, literal(-2.9)).integer, -2);
  EXPECT_TRUE(equal(cast(DType::f32, DType::i32, domain.integer(7, DType::i32)), literal(7)));
  EXPECT_TRUE(equal(cast(DType::f16, DType::f32, x0), x0));
  const int64_t guessed = cast(DType::i32, DType::f32, x0).integer;
  EXPECT_EQ(guessed, cast(DType::i32, DType::f32, x0).integer);
  EXPECT_EQ(domain.unrecorded_integers(), 2);
  domain.record_integer(x0.a, -1234);
  EXPECT_EQ(cast(DType::i32, DType::f32, x0).integer, -1234);
  EXPECT_EQ(cast(DType::i8, DType::f32, x0).integer, static_cast<int8_t>(-1234 & 0xFF));
  EXPECT_EQ(cast(DType::boolean, DType::f32, x0).integer, 1);
  EXPECT_EQ(cast(DType::boolean, DType::f32, subtract(x0, x0)).integer, 0);
}

TEST_F(FingerprintTest, MemoryShowsTornAndSwappedBytes) {
  std::vector<ElementCell> cells(12);
  domain.store(&cells[0], DType::f32, x0);
  domain.store(&cells[4], DType::f32, x1);
  EXPECT_TRUE(equal(domain.load(&cells[0], DType::f32), x0));
  const Value torn = domain.load(&cells[2], DType::f32);
  EXPECT_FALSE(equal(torn, x0) || equal(torn, x1));
  std::vector<ElementCell> swapped = {cells[1], cells[0], cells[2], cells[3]};
  EXPECT_FALSE(equal(domain.load(swapped.data(), DType::f32), x0));
  std::vector<ElementCell> copied = {cells[4], cells[5], cells[6], cells[7]};
  EXPECT_TRUE(equal(domain.load(copied.data(), DType::f32), x1)) << "bytes moved whole keep the value";
  EXPECT_FALSE(equal(domain.load(&cells[0], DType::f16), x0)) << "half of a wider element";
  FingerprintDomain other(host_arithmetic(), 1);
  std::vector<ElementCell> again(8);
  for (int i = 0; i < 5; ++i) other.store(&again[0], DType::f32, x0);
  other.store(&again[4], DType::f32, x1);
  EXPECT_TRUE(equal(other.load(&again[2], DType::f32), torn))
      << "what is read does not depend on the history of the table";
  for (int byte = 0; byte < 4; ++byte) cells[8 + byte] = domain.poison_cell(9, byte);
  EXPECT_TRUE(equal(domain.load(&cells[8], DType::f32), fingerprint_poison(9)));
  EXPECT_TRUE(domain.is_poison(domain.load(&cells[6], DType::f32)));
}

TEST_F(FingerprintTest, FlippedBitsAreOraclesAndFlipBack) {
  ElementCell cells[2];
  domain.store(cells, DType::f16, x0);
  const ElementCell before = cells[0];
  cells[0] = domain.flip_cell(cells[0], 4);
  const Value once = domain.load(cells, DType::f16);
  EXPECT_FALSE(equal(once, x0));
  cells[0] = domain.flip_cell(cells[0], 8);
  EXPECT_FALSE(equal(domain.load(cells, DType::f16), once));
  cells[0] = domain.flip_cell(cells[0], 12);
  EXPECT_EQ(cells[0], before);
  ElementCell single;
  domain.store(&single, DType::f8e4m3, x0);
  single = domain.flip_cell(single, 1);
  EXPECT_FALSE(equal(domain.load(&single, DType::f8e4m3), x0));
}

TEST_F(FingerprintTest, IntegersInMemoryAreTheirBytes) {
  ElementCell cells[16];
  domain.store(cells, DType::i64, domain.integer(0x1122334455667788, DType::i64));
  domain.store(cells + 8, DType::i64, domain.integer(-1, DType::i64));
  EXPECT_EQ(domain.load(cells, DType::i64).integer, 0x1122334455667788);
  EXPECT_EQ(domain.load(cells, DType::i32).integer, 0x55667788);
  EXPECT_EQ(domain.load(cells + 6, DType::i32).integer, static_cast<int32_t>(0xFFFF1122));
  cells[0] = domain.flip_cell(cells[0], 0x0F);
  EXPECT_EQ(domain.load(cells, DType::i64).integer, 0x1122334455667787);
}

TEST_F(FingerprintTest, IntegerLanesAreConcrete) {
  const Value a = domain.integer(100, DType::i8), b = domain.integer(100, DType::i8);
  Value out;
  domain.apply(Function::add, DType::i8, DType::i8, &out, &a, &b, nullptr, 1);
  EXPECT_EQ(out.integer, -56);
  domain.apply(Function::less, DType::boolean, DType::f32, &out, &x1, &x0, nullptr, 1);
  EXPECT_EQ(out.integer, 1);
  const Value poison = fingerprint_poison(2);
  domain.apply(Function::add, DType::i8, DType::i8, &out, &a, &poison, nullptr, 1);
  EXPECT_TRUE(domain.is_poison(out));
  domain.apply(Function::select, DType::f32, DType::f32, &out, &poison, &x0, &x1, 1);
  EXPECT_TRUE(domain.is_poison(out));
  EXPECT_TRUE(domain.replaces(Reduction::argmax, DType::f32, x1, x0));
  EXPECT_FALSE(domain.replaces(Reduction::argmax, DType::f32, x0, x0));
  const Value neutral = domain.literal(neutral_literal(Reduction::max, DType::f16));
  EXPECT_TRUE(equal(neutral, fingerprint_infinity(true)));
}

// One inversion for many lanes gives what one a lane does, zeros, lost parts and special values among them.
TEST_F(FingerprintTest, LanesDivideAsOneByOne) {
  Value dead = domain.leaf("d", 0);
  dead.flags |= Fingerprint::dead;
  std::vector<Value> x, y = {fingerprint_integer(0), dead, fingerprint_nan(), fingerprint_infinity(false)};
  while (y.size() < 67) y.push_back(domain.leaf("y", y.size()));
  for (size_t k = 0; k < y.size(); ++k) x.push_back(domain.leaf("x", k));
  std::vector<Value> expected;
  for (size_t k = 0; k < y.size(); ++k) expected.push_back(divide(x[k], y[k]));
  domain.apply(Function::div, DType::f32, DType::f32, y.data(), x.data(), y.data(), nullptr, 67);
  for (size_t k = 0; k < y.size(); ++k) {
    EXPECT_TRUE(equal(y[k], expected[k])) << k;
    EXPECT_EQ(y[k].flags, expected[k].flags) << k;
    if ((y[k].flags & (Fingerprint::dead | Fingerprint::special)) == 0) {
      EXPECT_EQ(y[k].b, expected[k].b) << k;
    }
  }
}

}  // namespace
}  // namespace faultline
