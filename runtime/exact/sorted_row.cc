// Both ends of every element are sorted by themselves. Places of an element are counted in the sorted ends: it comes
// behind all that are surely before it, and before all that are surely behind it.
#include "runtime/exact/sorted_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/error.h"

namespace faultline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An element as it stands in rising order: NaN is behind infinity, and descending rows are negated.
struct Ends {
  double low = 0, number = 0, high = 0;
  bool nan = false, exact = true;
};

bool is_before(const Ends& a, const Ends& b, double Ends::* mine, double Ends::* other) {
  return a.nan != b.nan ? b.nan : !a.nan && a.*mine < b.*other;
}

class SortedRow {
 public:
  SortedRow(DType dtype, const RowOrder& order, std::span<const Bounded> row) : order_(order), real_(is_float(dtype)) {
    for (const Bounded& element : row) {
      reasons_ |= element.reasons;
      const double number = real_ ? element.value : static_cast<double>(element.integer);
      const double error = real_ ? element.bound : 0;
      if (!std::isfinite(error)) reasons_ |= Bounded::overflow;
      Ends ends{number - error, number, number + error, std::isnan(number), error == 0};
      ends_.push_back(ends);
    }
    for (double Ends::* end : {&Ends::low, &Ends::number, &Ends::high}) sorted_.push_back(sorted_by(end));
    count_places();
  }

  uint32_t reasons() const { return reasons_; }

  // By how much the element at `place` may differ from its number.
  double bound(size_t place) const {
    const Ends &low = sorted_[0][place], &middle = sorted_[1][place], &high = sorted_[2][place];
    if (middle.nan || std::isinf(middle.number)) return 0;
    const double error = std::max(high.high - middle.number, middle.number - low.low);
    return error > 0 ? error + ulp(Format::f64, middle.number) : 0;
  }
  bool is_at(size_t place, double number) const {
    const Ends& due = sorted_[1][place];
    return due.nan ? std::isnan(number) : due.number == number;
  }
  std::vector<int64_t> candidates(size_t place) const {
    std::vector<int64_t> among;
    for (size_t i = 0; i < ends_.size(); ++i)
      if (first_[i] <= place && place <= last_[i] && is_near(ends_[i], place)) among.push_back(static_cast<int64_t>(i));
    return among;
  }

 private:
  bool comes_before(const Ends& a, const Ends& b, double Ends::* mine, double Ends::* other) const {
    if (!order_.descending) return is_before(a, b, mine, other);
    return a.nan != b.nan ? a.nan : !a.nan && a.*mine > b.*other;
  }
  std::vector<Ends> sorted_by(double Ends::* end) const {
    std::vector<Ends> sorted = ends_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Ends& a, const Ends& b) { return comes_before(a, b, end, end); });
    return sorted;
  }
  // The ends that the row shows first and last.
  double Ends::* front() const { return order_.descending ? &Ends::high : &Ends::low; }
  double Ends::* back() const { return order_.descending ? &Ends::low : &Ends::high; }

  // Exact elements equal to another one, earlier in the row and in all.
  struct Equals {
    size_t earlier = 0, later = 0;
  };
  Equals equals_of(size_t mine) const {
    Equals equals;
    const Ends& own = ends_[mine];
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (i == mine || !ends_[i].exact) continue;
      if (own.nan ? !ends_[i].nan : ends_[i].number != own.number) continue;
      ++(i < mine ? equals.earlier : equals.later);
    }
    return equals;
  }

  void count_places() {
    const std::vector<Ends>&by_front = sorted_[order_.descending ? 2 : 0],
          &by_back = sorted_[order_.descending ? 0 : 2];
    const size_t count = ends_.size();
    for (size_t i = 0; i < count; ++i) {
      const Ends& own = ends_[i];
      // Surely before it: those whose back is before its front.
      const auto before =
          std::partition_point(by_back.begin(), by_back.end(),
                               [&](const Ends& other) { return comes_before(other, own, back(), front()); }) -
          by_back.begin();
      const auto not_behind =
          std::partition_point(by_front.begin(), by_front.end(),
                               [&](const Ends& other) { return !comes_before(own, other, back(), front()); }) -
          by_front.begin();
      Equals equals;
      if (order_.stable && (own.exact || own.nan)) equals = equals_of(i);
      first_.push_back(static_cast<size_t>(before) + equals.earlier);
      last_.push_back(static_cast<size_t>(not_behind) - 1 - equals.later);
    }
  }

  // The element lies within the bound of what stands there, as far as its own error reaches.
  bool is_near(const Ends& element, size_t place) const {
    const Ends& due = sorted_[1][place];
    if (element.nan || due.nan) return element.nan == due.nan;
    if (element.number == due.number) return true;
    return std::fabs(element.number - due.number) <= (element.high - element.number) + bound(place);
  }

  RowOrder order_;
  bool real_;
  uint32_t reasons_ = 0;
  std::vector<Ends> ends_;
  std::vector<std::vector<Ends>> sorted_;  // by their lower ends, by the numbers, by their upper ends
  std::vector<size_t> first_, last_;       // places of each element
};

// The numbers are those of the row in order.
bool holds(const SortedRow& sorted, DType dtype, std::span<const Bounded> row, std::span<const Bounded> values,
           std::span<const Bounded> indices) {
  const auto number = [&](const Bounded& value) {
    return is_float(dtype) ? value.value : static_cast<double>(value.integer);
  };
  for (size_t p = 0; p < values.size(); ++p)
    if (!sorted.is_at(p, number(values[p]))) return false;
  for (size_t p = 0; p < indices.size(); ++p) {
    const int64_t index = indices[p].integer;
    if (index < 0 || index >= std::ssize(row) || !sorted.is_at(p, number(row[static_cast<size_t>(index)])))
      return false;
  }
  return true;
}

}  // namespace

void settle_sorted_row(ExactDomain& domain, DType dtype, const RowOrder& order, std::span<const Bounded> row,
                       std::span<Bounded> values, std::span<Bounded> indices) {
  const auto lost = [&](const Bounded& value) { return domain.is_poison(value); };
  if (std::any_of(row.begin(), row.end(), lost)) return;
  const SortedRow sorted(dtype, order, row);
  if (!holds(sorted, dtype, row, values, indices)) return;
  for (size_t p = 0; p < values.size(); ++p) {
    if (is_float(dtype)) values[p].bound = sorted.reasons() == 0 ? sorted.bound(p) : kInfinity;
    values[p].reasons = sorted.reasons();
  }
  const int64_t number = domain.new_row();
  std::shared_ptr<const std::vector<int64_t>> among;
  for (size_t p = 0; p < indices.size(); ++p) {
    indices[p].reasons = sorted.reasons();
    indices[p].choice = 0;
    if (sorted.reasons() != 0) continue;
    std::vector<int64_t> candidates = sorted.candidates(p);
    if (candidates.size() == 1) continue;
    FAULTLINE_CHECK(std::binary_search(candidates.begin(), candidates.end(), indices[p].integer), "an index in order");
    if (among == nullptr || *among != candidates)
      among = std::make_shared<const std::vector<int64_t>>(std::move(candidates));
    domain.leave_open(indices[p], {among, number, static_cast<int64_t>(p)});
  }
}

}  // namespace faultline
