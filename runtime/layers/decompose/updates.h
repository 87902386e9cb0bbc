// Writing to places that tensors of integers name, without a prim that scatters: every place looks at every update and
// takes those that are meant for it. What k updates do to n places is one reduction over n * k pairs, where an update
// that is not meant for a place gives the neutral element (docs/decisions/updates.md).
//
// Places lie along the last dim of a tensor, and updates along the last dim of theirs; all dims before are common.
#pragma once

#include "runtime/layers/decompose/op.h"

namespace faultline {

struct Updates {
  int index;   // [..., K] of i64: the place of each update; what is no place updates none
  int values;  // [..., K]
};

// [..., n] of bools: whether an update is meant for the place.
int is_updated(Builder& builder, int index, int64_t places);
// [..., n] of i64: how many are.
int update_count(Builder& builder, int index, int64_t places);
// `self` [..., n], with the last of the updates meant for a place in it, in the order of K: as eager does on a CPU,
// which goes through them one after the other.
int last_written(Builder& builder, int self, const Updates& updates);
// The updates meant for each place, with what `self` has there as the first of them; without it only places that are
// not updated keep it. Sums and products of bools are `any` and `all`.
int combined(Builder& builder, Reduction reduction, int self, const Updates& updates, bool include_self);
// The sum of them alone: [..., n], 0 where there are none.
int update_sum(Builder& builder, const Updates& updates, int64_t places);

// x[..., j] combined over j <= i (j < i where `exclusive`), for every i: a scan, as one reduction over pairs.
int scanned(Builder& builder, Reduction reduction, int x, bool exclusive = false);

// The node with dim `dim` and the last one exchanged, which is its own inverse.
int with_last(Builder& builder, int node, int dim);

// Throws Rejected where so many pairs would not fit into memory.
void require_pairs(const BoundCall& call, int64_t places, int64_t updates);

}  // namespace faultline
