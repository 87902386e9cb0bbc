// Values that are elements of a known tensor (the reference or a buffer), found at another place: what the families of
// moved values share. Coordinates are those of the source's own shape, which may differ from the output's.
#pragma once

#include "checkers/patterns/proposals.h"

namespace faultline {

class Source {
 public:
  // buffer -1: the reference.
  explicit Source(const Scene& scene, int buffer = -1) : scene_(&scene), buffer_(buffer) {}

  bool is_reference() const { return buffer_ < 0; }
  const Sizes& sizes(size_t at) const;
  // The element at a flat position of the source, with the reference's tolerance there; unknown outside.
  Predicted element(size_t at, int64_t flat) const;
  // The same for an element that the rule moves to `flat`, or leaves there.
  Predicted moved(size_t at, int64_t flat, int64_t from) const {
    Predicted predicted = element(at, from);
    predicted.own = is_reference() && from == flat;
    return predicted;
  }
  // The source's flat position of the output's coordinates after `change(coordinates)`; -1 outside, or where the ranks
  // differ.
  template <class Change>
  int64_t position(size_t at, int64_t flat, Change&& change) const {
    const CaseView& view = scene_->views[at];
    const Sizes& own = sizes(at);
    if (own.size() != view.sizes.size()) return -1;
    int64_t coordinates[16];
    if (own.size() > std::size(coordinates)) return -1;
    for (size_t d = 0; d < own.size(); ++d) coordinates[d] = view.coordinate_of(flat, static_cast<int>(d));
    change(coordinates);
    int64_t result = 0;
    for (size_t d = 0; d < own.size(); ++d) {
      if (coordinates[d] < 0 || coordinates[d] >= own[d]) return -1;
      result = result * own[d] + coordinates[d];
    }
    return result;
  }
  int64_t coordinate(size_t at, int64_t flat, int d) const;

 private:
  const Scene* scene_;
  int buffer_;
};

// The reference's own value: what a rule predicts where it changes nothing.
Predicted reference_at(const Scene& scene, size_t at, int64_t flat);

// The one dimension in which the coordinates of a hit in `source` differ from the probe's, or -1.
int differing_dim(const Scene& scene, const Source& source, const Probe& probe, int64_t hit);

// Offers shifts along an axis and of the flat position: got_i = source_{i-n}.
void offer_shifts(Proposals& proposals, const Source& source, const std::vector<std::vector<int64_t>>& hits,
                  double base_bits, const std::string& prefix);

}  // namespace faultline
