// Sums over intervals of rows, shared by the families that work along one dimension.
#pragma once

#include <algorithm>
#include <vector>

#include "checkers/patterns/scorer.h"

namespace faultline {

// Running sums of the d_i along one dimension (or of any list of sums) in every case.
class IntervalSums {
 public:
  IntervalSums(const Scorer& scorer, int dim) {
    for (size_t at = 0; at < scorer.cases(); ++at) add(scorer.along(at, dim));
  }
  explicit IntervalSums(const std::vector<std::vector<double>>& lists) {
    for (const std::vector<double>& list : lists) add(list);
  }

  // Entries [begin, end), cut at the length of that case.
  double operator()(size_t at, int64_t begin, int64_t end) const {
    const std::vector<double>& running = running_[at];
    const auto last = static_cast<int64_t>(running.size()) - 1;
    begin = std::min(begin, last);
    end = std::min(end, last);
    return end > begin ? running[static_cast<size_t>(end)] - running[static_cast<size_t>(begin)] : 0;
  }
  int64_t length(size_t at) const { return static_cast<int64_t>(running_[at].size()) - 1; }
  int64_t longest() const {
    int64_t most = 0;
    for (size_t at = 0; at < running_.size(); ++at) most = std::max(most, length(at));
    return most;
  }
  size_t cases() const { return running_.size(); }
  std::vector<double> sums(int64_t begin, int64_t end) const {
    std::vector<double> result(cases());
    for (size_t at = 0; at < cases(); ++at) result[at] = (*this)(at, begin, end);
    return result;
  }

 private:
  void add(const std::vector<double>& list) {
    std::vector<double> running(list.size() + 1, 0.0);
    for (size_t k = 0; k < list.size(); ++k) running[k + 1] = running[k] + list[k];
    running_.push_back(std::move(running));
  }

  std::vector<std::vector<double>> running_;
};

// Whether an interval of rows shows where it begins: of its rows that tell anything, the first holds the value and lies
// in the first quarter.
inline bool begins_visibly(const std::vector<double>& along, int64_t begin, int64_t end) {
  const int64_t quarter = std::max<int64_t>(1, (end - begin) / 4);
  for (int64_t k = begin; k < begin + quarter; ++k)
    if (along[static_cast<size_t>(k)] != 0) return along[static_cast<size_t>(k)] < 0;
  return false;
}

// Offers the intervals that are best in one case each, and in all together: make(begin, end). One of `whole` entries is
// no interval.
template <class Make>
void offer_intervals(Scorer& scorer, const std::vector<std::vector<double>>& lists, double place_bits,
                     std::string_view unit, int64_t whole, Make&& make) {
  const IntervalSums sums(lists);
  std::vector<std::pair<int64_t, int64_t>> tried;
  std::vector<std::vector<double>> candidates = lists;
  if (lists.size() > 1) {
    std::vector<double>& together = candidates.emplace_back(static_cast<size_t>(sums.longest()), 0.0);
    for (const std::vector<double>& list : lists)
      for (size_t k = 0; k < list.size(); ++k) together[k] += list[k];
  }
  for (const std::vector<double>& list : candidates) {
    const std::pair<int64_t, int64_t> run = least_run(list);
    if (run.first == run.second || run.second - run.first >= whole ||
        std::find(tried.begin(), tried.end(), run) != tried.end())
      continue;
    tried.push_back(run);
    scorer.offer(place_bits, sums.sums(run.first, run.second), unit, [&] { return make(run.first, run.second); });
  }
}

}  // namespace faultline
