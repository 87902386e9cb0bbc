// Products of any rank: broadcast the batches, flatten them to one dim, contract, and give the batches back.
#include "runtime/layers/decompose/contraction.h"

#include <fmt/format.h>

#include "runtime/base/error.h"

namespace faultline {

static void require_equal(int64_t left, int64_t right) {
  if (left != right) throw UserError(fmt::format("contracted sizes are {} and {}", left, right));
}

int matrix_product(Builder& builder, int a, int b) {
  require_equal(builder.size(a, 1), builder.size(b, 0));
  return builder.remove_dim(builder.dot(builder.insert_dim(a, 0), builder.insert_dim(b, 0)), 0);
}

static int as_batches(Builder& builder, int x, const Sizes& batch) {
  Sizes full = batch;
  const Sizes& own = builder.sizes(x);
  const int64_t rows = own[own.size() - 2], columns = own[own.size() - 1];
  full.push_back(rows);
  full.push_back(columns);
  return builder.reshape(builder.expand(x, full), {element_count(batch), rows, columns});
}

int general_product(Builder& builder, int a, int b) {
  const int rank_a = builder.rank(a), rank_b = builder.rank(b);
  if (rank_a == 0 || rank_b == 0) throw UserError("a matrix product of a tensor without dims");
  const int left = rank_a == 1 ? builder.insert_dim(a, 0) : a;
  const int right = rank_b == 1 ? builder.insert_dim(b, 1) : b;
  const Sizes sa = builder.sizes(left), sb = builder.sizes(right);
  require_equal(sa.back(), sb[sb.size() - 2]);
  Sizes result = broadcast_sizes(Sizes(sa.begin(), sa.end() - 2), Sizes(sb.begin(), sb.end() - 2));
  const bool one_matrix = sb.size() == 2;
  int product = 0;
  if (one_matrix) {
    // Every row of every batch meets the same matrix.
    const int64_t rows = element_count(Sizes(sa.begin(), sa.end() - 1));
    product = matrix_product(builder, builder.reshape(left, {rows, sa.back()}), right);
  } else {
    product = builder.dot(as_batches(builder, left, result), as_batches(builder, right, result));
  }
  if (rank_a > 1) result.push_back(sa[sa.size() - 2]);
  if (rank_b > 1) result.push_back(sb.back());
  return builder.reshape(product, result);
}

}  // namespace faultline
