// Operators by name, each prepared when it is first asked for and kept.
#include "runtime/eager/torch/operator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

namespace faultline::torch_module {
namespace {

// Measured on torch 2.13 with MKL: products of matrices and vectors in f32 and f64 give other bits when an operand
// starts elsewhere within 64 bytes; elementwise operators, reductions, softmax and norms do not. Our storages start on
// any 16 bytes, so operands of these operators are copied to a place torch would give them, and a program gives the
// same bits every time.
bool needs_alignment(std::string_view name) {
  static constexpr std::string_view exact[] = {"mm",
                                               "bmm",
                                               "addmm",
                                               "baddbmm",
                                               "addbmm",
                                               "matmul",
                                               "linear",
                                               "dot",
                                               "vdot",
                                               "inner",
                                               "mv",
                                               "addmv",
                                               "tensordot",
                                               "einsum",
                                               "bilinear",
                                               "_trilinear",
                                               "chain_matmul",
                                               "_addmm_activation",
                                               "cdist",
                                               "_cdist_forward",
                                               "_euclidean_dist",
                                               "cov",
                                               "corrcoef",
                                               "matrix_power",
                                               "matrix_exp",
                                               "inverse",
                                               "pinverse",
                                               "cholesky",
                                               "cholesky_solve",
                                               "cholesky_inverse",
                                               "lu_solve",
                                               "svd",
                                               "qr",
                                               "geqrf",
                                               "orgqr",
                                               "ormqr",
                                               "triangular_solve",
                                               "det",
                                               "logdet",
                                               "slogdet",
                                               "_native_multi_head_attention"};
  static constexpr std::string_view prefixes[] = {"conv",
                                                  "_conv",
                                                  "slow_conv",
                                                  "lstm",
                                                  "gru",
                                                  "rnn_",
                                                  "linalg_",
                                                  "_linalg_",
                                                  "scaled_dot_product",
                                                  "_scaled_dot_product"};
  if (name.ends_with('_')) name.remove_suffix(1);
  return std::any_of(std::begin(exact), std::end(exact), [&](std::string_view row) { return name == row; }) ||
         std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view row) { return name.starts_with(row); });
}

std::string tag_text(const c10::OperatorHandle& handle) {
  std::vector<std::string> names;
  for (const at::Tag tag : handle.getTags()) {
    switch (tag) {
      case at::Tag::core: names.emplace_back("core"); break;
      case at::Tag::pointwise: names.emplace_back("pointwise"); break;
      case at::Tag::reduction: names.emplace_back("reduction"); break;
      case at::Tag::inplace_view: names.emplace_back("inplace_view"); break;
      case at::Tag::view_copy: names.emplace_back("view_copy"); break;
      case at::Tag::nondeterministic_seeded: names.emplace_back("nondeterministic_seeded"); break;
      case at::Tag::dynamic_output_shape: names.emplace_back("dynamic_output_shape"); break;
      case at::Tag::data_dependent_output: names.emplace_back("data_dependent_output"); break;
      case at::Tag::maybe_aliasing_or_mutating: names.emplace_back("maybe_aliasing_or_mutating"); break;
      default: break;
    }
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::unique_ptr<const TorchOp> make_operator(const c10::OperatorHandle& handle) {
  auto op = std::make_unique<TorchOp>(TorchOp{handle, {}, {}, {}});
  const c10::FunctionSchema& schema = handle.schema();
  for (const c10::Argument& argument : schema.arguments()) {
    op->plan.push_back(plan_argument(argument));
    op->writes |= op->plan.back().written;
  }
  std::ostringstream text;
  text << schema;
  op->schema = text.str();
  op->tags = tag_text(handle);
  std::string_view name = schema.name();
  name.remove_prefix(std::min(name.find("::") + 2, name.size()));
  op->aligned = needs_alignment(name);
  return op;
}

}  // namespace

const TorchOp* find_operator(const char* name, const char* overload) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<std::string, std::string>, std::unique_ptr<const TorchOp>>();
  const std::lock_guard lock(mutex);
  const auto key = std::make_pair(std::string(name), std::string(overload));
  const auto found = known.find(key);
  if (found != known.end()) return found->second.get();
  const auto handle = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!handle) return nullptr;
  return known.emplace(key, make_operator(*handle)).first->second.get();
}

}  // namespace faultline::torch_module
