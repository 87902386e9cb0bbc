// A size stands in types and, as a number, in arguments: both are changed together.
#include <algorithm>
#include <functional>
#include <numeric>

#include "reduce/program_edit.h"

namespace faultline {

namespace {

// Dense, with the dims in the order in which they lay.
void lay_dense(TensorType& type) {
  std::vector<size_t> order(type.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return type.strides[a] > type.strides[b]; });
  int64_t step = 1;
  for (size_t k = order.size(); k-- > 0;) {
    type.strides[order[k]] = step;
    step *= std::max<int64_t>(type.sizes[order[k]], 1);
  }
}

void resize(TensorType& type, int64_t from, int64_t to) {
  if (std::find(type.sizes.begin(), type.sizes.end(), from) == type.sizes.end()) return;
  std::replace(type.sizes.begin(), type.sizes.end(), from, to);
  lay_dense(type);
}

void resize(Argument& argument, int64_t from, int64_t to) {
  if (auto* number = std::get_if<int64_t>(&argument.value); number != nullptr && *number > 0 && *number % from == 0)
    *number = *number / from * to;
  if (auto* list = std::get_if<ArgumentList>(&argument.value))
    for (Argument& element : *list) resize(element, from, to);
}

void resize(std::vector<Statement>& block, int64_t from, int64_t to) {
  for (Statement& statement : block) {
    if (auto* call = std::get_if<CallStatement>(&statement.value))
      for (Argument& argument : call->arguments) resize(argument, from, to);
    if (auto* branch = std::get_if<IfStatement>(&statement.value)) {
      resize(branch->then_branch, from, to);
      resize(branch->else_branch, from, to);
    }
  }
}

// Every type whose data are made, not given.
void for_each_type(Program& program, const std::function<void(TensorType&)>& visit) {
  for (Parameter& parameter : program.parameters)
    if (parameter.tensor) visit(*parameter.tensor);
  for (auto& [path, attribute] : program.attributes)
    if (auto* tensor = std::get_if<Tensor>(&attribute.value); tensor != nullptr && tensor->storage == nullptr) {
      visit(attribute.type);
      tensor->type = attribute.type;
    }
  for (CallSpec& call : program.calls)
    for (auto& [name, input] : call.inputs)
      if (input.tensor) visit(*input.tensor);
}

}  // namespace

std::vector<int64_t> dim_sizes(const Program& program) {
  std::set<int64_t, std::greater<>> sizes;
  Program copy = program;
  for_each_type(copy, [&](const TensorType& type) { sizes.insert(type.sizes.begin(), type.sizes.end()); });
  std::vector<int64_t> found(sizes.begin(), sizes.end());
  std::erase_if(found, [](int64_t size) { return size <= 1; });
  return found;
}

Program with_size(const Program& program, int64_t from, int64_t to) {
  Program out = program;
  for_each_type(out, [&](TensorType& type) { resize(type, from, to); });
  resize(out.body, from, to);
  return out;
}

Program with_plain_place(const Program& program, size_t parameter) {
  Program out = program;
  Parameter& mine = out.parameters[parameter];
  mine.alias_of.clear();
  if (mine.tensor) mine.tensor = contiguous_type(mine.tensor->dtype, mine.tensor->sizes);
  for (CallSpec& call : out.calls)
    if (const auto input = call.inputs.find(mine.name); input != call.inputs.end() && input->second.tensor)
      input->second.tensor = contiguous_type(input->second.tensor->dtype, input->second.tensor->sizes);
  return out;
}

}  // namespace faultline
