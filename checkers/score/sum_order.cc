// Each order as what it does with the terms; they share a chain and a tree.
#include "checkers/score/sum_order.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/base/philox.h"

namespace faultline {

namespace {

using Add = std::function<double(double, double)>;

double chain(std::span<const double> terms, const Add& add) {
  if (terms.empty()) return 0;
  double total = terms[0];
  for (const double term : terms.subspan(1)) total = add(total, term);
  return total;
}

double tree(std::span<const double> terms, const Add& add) {
  if (terms.size() < 2) return terms.empty() ? 0 : terms[0];
  const size_t half = (terms.size() + 1) / 2;
  return add(tree(terms.first(half), add), tree(terms.subspan(half), add));
}

double blocks(std::span<const double> terms, size_t length, const Add& add) {
  std::vector<double> partial;
  for (size_t k = 0; k < terms.size(); k += length)
    partial.push_back(chain(terms.subspan(k, std::min(length, terms.size() - k)), add));
  return chain(partial, add);
}

double lanes(std::span<const double> terms, size_t count, const Add& add) {
  std::vector<double> partial(terms.begin(), terms.begin() + static_cast<int64_t>(std::min(count, terms.size())));
  for (size_t k = count; k < terms.size(); ++k) partial[k % count] = add(partial[k % count], terms[k]);
  return tree(partial, add);
}

std::vector<double> shuffled(std::span<const double> terms, uint64_t seed) {
  std::vector<double> mixed(terms.begin(), terms.end());
  PhiloxStream stream(seed, "sum order");
  for (size_t k = mixed.size(); k > 1; --k) std::swap(mixed[k - 1], mixed[stream.below(static_cast<uint32_t>(k))]);
  return mixed;
}

}  // namespace

std::string to_text(const SumOrder& order) {
  static constexpr const char* kNames[kSumOrderCount] = {"forward", "reversed", "shuffled", "pairwise",
                                                         "blocked", "lanes",    "split"};
  const char* kind = kNames[static_cast<int>(order.kind)];
  return order.parameter == 0 ? kind : fmt::format("{}({})", kind, order.parameter);
}

double sum_in_order(const SumOrder& order, std::span<const double> terms, const Add& add) {
  const size_t parameter = std::max<size_t>(order.parameter, 1);
  switch (order.kind) {
    case SumOrder::Kind::forward: return chain(terms, add);
    case SumOrder::Kind::reversed: return chain(std::vector<double>(terms.rbegin(), terms.rend()), add);
    case SumOrder::Kind::shuffled: return chain(shuffled(terms, order.parameter), add);
    case SumOrder::Kind::pairwise: return tree(terms, add);
    case SumOrder::Kind::blocked: return blocks(terms, parameter, add);
    case SumOrder::Kind::lanes: return lanes(terms, parameter, add);
    case SumOrder::Kind::split: return blocks(terms, (terms.size() + parameter - 1) / parameter, add);
  }
  return 0;
}

int64_t depth_of(const SumOrder& order, int64_t terms) {
  const std::vector<double> leaves(static_cast<size_t>(terms));
  return static_cast<int64_t>(sum_in_order(order, leaves, [](double a, double b) { return std::max(a, b) + 1; }));
}

}  // namespace faultline
