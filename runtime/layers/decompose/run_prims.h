// Runs the artefact of `decompose` alone, prim by prim on dense logical arrays: slow and obvious, with whole vectors of
// lanes where a prim is a plain loop. Sums are taken in row-major order of the reduced dims, products in rising k.
#pragma once

#include <functional>
#include <vector>

#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/ir/prim.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

// Values in row-major order of the sizes, one vector a tensor.
template <class D>
using PrimValues = std::vector<std::vector<typename D::Value>>;

template <class D>
struct PrimResult {
  PrimValues<D> outputs;      // one a graph output
  PrimValues<D> write_backs;  // one a write-back
  PrimValues<D> nodes;        // one a node, if they were asked for
};

template <class D>
struct PrimRunOptions {
  bool keep_nodes = false;
  // Called before a node is computed, with the values so far. Values that no later node needs are gone by then, unless
  // kept.
  std::function<void(int node, const PrimValues<D>& values)> before = {};
  // Called when it is, while its operands are still there.
  std::function<void(int node, const PrimValues<D>& values)> after = {};
};

// `inputs`: the values of each graph input. An index outside its tensor (gather) reads poison. The graph must satisfy
// verify().
template <class D>
PrimResult<D> run_prims(const PrimGraph& graph, D& domain, const PrimValues<D>& inputs,
                        const PrimRunOptions<D>& options = {});

// Runs the graph in fingerprints beside a native run of it (`native` has its nodes): every float that the native run
// turned into an integer is recorded in the domain first, so that the rungs below find the same integers.
PrimResult<FingerprintDomain> run_prims_in_lockstep(const PrimGraph& graph, FingerprintDomain& domain,
                                                    const PrimValues<FingerprintDomain>& inputs,
                                                    const PrimResult<NativeDomain>& native);

}  // namespace faultline
