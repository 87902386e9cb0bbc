// Matrix products of any rank by the one contraction there is, dot [B, M, K] x [B, K, N].
#pragma once

#include "runtime/layers/decompose/op.h"

namespace faultline {

// Both of rank 2.
int matrix_product(Builder& builder, int a, int b);
// As torch.matmul: vectors, matrices, and batches of them that broadcast. Throws UserError for sizes that do not fit.
int general_product(Builder& builder, int a, int b);

}  // namespace faultline
