// W0: every position. What stands there must then be a rule that leaves right elements right, such as a clamp, or be
// wrong everywhere that data can show it.
#include "checkers/patterns/scorer.h"

namespace faultline {

namespace {

void propose(Scorer& scorer) {
  std::vector<double> sums(scorer.cases());
  for (size_t at = 0; at < sums.size(); ++at) sums[at] = scorer.everything(at);
  scorer.offer(0, sums, "", [] { return PositionSet::everything(); });
}

}  // namespace

constinit const WhereFamily where_everything{.id = "W0", .name = "everything", .layers = "", .propose = propose};

}  // namespace faultline
