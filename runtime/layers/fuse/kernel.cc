// What the kernel artefact can say about itself.
#include "runtime/layers/fuse/kernel.h"

namespace faultline {

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int64_t Affine::at(std::span<const int64_t> index) const {
  int64_t value = constant;
  for (const Term& term : terms) {
    int64_t part = index[static_cast<size_t>(term.dim)];
    if (term.divisor != 1) part = floor_divide(part, term.divisor);
    if (term.modulus != 0) part -= floor_divide(part, term.modulus) * term.modulus;
    value += term.coefficient * part;
  }
  return value;
}

Box whole_box(const Kernel& kernel) { return {std::vector<int64_t>(kernel.extents.size(), 0), kernel.extents}; }

}  // namespace faultline
