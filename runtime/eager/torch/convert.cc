// One table of dtypes, and one function a kind of argument: what torch.ops takes is taken, the rest is a TypeError.
#include "runtime/eager/torch/convert.h"

#include <ATen/ScalarOps.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/util/Exception.h>

#include <cstring>

namespace faultline::torch_module {
namespace {

using Kind = ArgumentKind;

// In the order of faultline::DType.
constexpr c10::ScalarType kTypes[] = {
    c10::ScalarType::Double,        c10::ScalarType::Float,       c10::ScalarType::Half, c10::ScalarType::BFloat16,
    c10::ScalarType::Float8_e4m3fn, c10::ScalarType::Float8_e5m2, c10::ScalarType::Long, c10::ScalarType::Int,
    c10::ScalarType::Short,         c10::ScalarType::Char,        c10::ScalarType::Byte, c10::ScalarType::Bool,
};

Kind kind_of(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType: return Kind::tensor;
    case c10::TypeKind::NumberType: return Kind::scalar;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return Kind::integer;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType: return Kind::real;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType: return Kind::boolean;
    case c10::TypeKind::StringType: return Kind::text;
    case c10::TypeKind::ScalarTypeType: return Kind::dtype;
    case c10::TypeKind::LayoutType: return Kind::layout;
    case c10::TypeKind::DeviceObjType: return Kind::device;
    case c10::TypeKind::MemoryFormatType: return Kind::memory_format;
    case c10::TypeKind::GeneratorType: return Kind::generator;
    default: return Kind::other;
  }
}

[[noreturn]] void refuse(const c10::Argument& argument, const TorchCell& cell) {
  static constexpr const char* names[] = {"None",   "a bool",  "an int",   "a float",
                                          "a word", "a dtype", "a tensor", "a list"};
  C10_THROW_ERROR(TypeError, "argument '" + argument.name() + "' takes " + argument.real_type()->str() + ", got " +
                                 names[cell.kind]);
}

bool is_number(const TorchCell& cell) {
  return cell.kind == kTorchBoolean || cell.kind == kTorchInteger || cell.kind == kTorchReal;
}

c10::Scalar number(const TorchCell& cell) {
  if (cell.kind == kTorchReal) return cell.real;
  if (cell.kind == kTorchBoolean) return cell.integer != 0;
  return cell.integer;
}

int64_t memory_format(const c10::Argument& argument, const TorchCell& cell) {
  static constexpr struct {
    const char* name;
    c10::MemoryFormat format;
  } rows[] = {{"contiguous_format", c10::MemoryFormat::Contiguous},
              {"preserve_format", c10::MemoryFormat::Preserve},
              {"channels_last", c10::MemoryFormat::ChannelsLast},
              {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d}};
  for (const auto& row : rows)
    if (std::strcmp(row.name, cell.text) == 0) return static_cast<int64_t>(row.format);
  refuse(argument, cell);
}

c10::IValue number_value(Kind kind, const c10::Argument& argument, const TorchCell& cell) {
  if (kind == Kind::scalar && is_number(cell)) return number(cell);
  if (kind == Kind::real && is_number(cell))
    return cell.kind == kTorchReal ? cell.real : static_cast<double>(cell.integer);
  if (kind == Kind::integer && (cell.kind == kTorchInteger || cell.kind == kTorchBoolean)) return cell.integer;
  if (kind == Kind::boolean && cell.kind == kTorchBoolean) return cell.integer != 0;
  refuse(argument, cell);
}

// A device is always the CPU: a program exported on another one is judged by its values.
c10::IValue word_value(Kind kind, const c10::Argument& argument, const TorchCell& cell) {
  if (kind == Kind::dtype && cell.kind == kTorchDType)
    return static_cast<int64_t>(to_torch(static_cast<int32_t>(cell.integer)));
  if (cell.kind != kTorchText) refuse(argument, cell);
  switch (kind) {
    case Kind::text: return std::string(cell.text);
    case Kind::memory_format: return memory_format(argument, cell);
    case Kind::device: return c10::Device(c10::kCPU);
    case Kind::layout:
      if (std::strcmp(cell.text, "strided") == 0) return static_cast<int64_t>(c10::Layout::Strided);
      refuse(argument, cell);
    default: refuse(argument, cell);
  }
}

// A number stands for a tensor without dims, whose type gives way to the other operand's ("wrapped number").
at::Tensor tensor_value(const c10::Argument& argument, const TorchCell& cell, const std::vector<at::Tensor>& tensors) {
  if (cell.kind == kTorchTensor) return tensors.at(static_cast<size_t>(cell.integer));
  if (!is_number(cell)) refuse(argument, cell);
  return at::native::wrapped_scalar_tensor(number(cell));
}

c10::IValue single_value(const ArgumentPlan& plan, const c10::Argument& argument, const TorchCell& cell,
                         const std::vector<at::Tensor>& tensors) {
  switch (plan.kind) {
    case Kind::tensor: return tensor_value(argument, cell, tensors);
    case Kind::scalar:
    case Kind::integer:
    case Kind::real:
    case Kind::boolean: return number_value(plan.kind, argument, cell);
    case Kind::generator:
    case Kind::other: throw Unsupported("argument '" + argument.name() + "' has a type that programs do not have");
    default: return word_value(plan.kind, argument, cell);
  }
}

template <class Element, class Convert>
c10::IValue list_of(const TorchCell* first, size_t given, size_t size, Convert convert) {
  c10::List<Element> list;
  list.reserve(size);
  for (size_t i = 0; i < size; ++i) list.push_back(convert(first[given == size ? i : 0]));
  return list;
}

c10::IValue list_value(const ArgumentPlan& plan, const c10::Argument& argument, const TorchCell* first, size_t given,
                       size_t size, const std::vector<at::Tensor>& tensors) {
  const auto one = [&](const TorchCell& cell) { return number_value(plan.kind, argument, cell); };
  switch (plan.kind) {
    case Kind::integer:
      return list_of<int64_t>(first, given, size, [&](const TorchCell& cell) { return one(cell).toInt(); });
    case Kind::real:
      return list_of<double>(first, given, size, [&](const TorchCell& cell) { return one(cell).toDouble(); });
    case Kind::boolean:
      return list_of<bool>(first, given, size, [&](const TorchCell& cell) { return one(cell).toBool(); });
    case Kind::scalar: {
      c10::impl::GenericList list(c10::NumberType::get());
      for (size_t i = 0; i < size; ++i) list.push_back(one(first[given == size ? i : 0]));
      return list;
    }
    case Kind::tensor:
      if (!plan.optional_elements)
        return list_of<at::Tensor>(first, given, size,
                                   [&](const TorchCell& cell) { return tensor_value(argument, cell, tensors); });
      return list_of<std::optional<at::Tensor>>(first, given, size, [&](const TorchCell& cell) {
        if (cell.kind == kTorchNone) return std::optional<at::Tensor>();
        return std::optional<at::Tensor>(tensor_value(argument, cell, tensors));
      });
    default: throw Unsupported("argument '" + argument.name() + "' has a type that programs do not have");
  }
}

}  // namespace

ArgumentPlan plan_argument(const c10::Argument& argument) {
  ArgumentPlan plan;
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) {
    plan.optional = true;
    type = optional->getElementType();
  }
  if (const auto list = type->cast<c10::ListType>()) {
    plan.list = true;
    plan.list_size = argument.N().value_or(0);
    type = list->getElementType();
    if (const auto optional = type->cast<c10::OptionalType>()) {
      plan.optional_elements = true;
      type = optional->getElementType();
    }
  }
  plan.kind = kind_of(*type);
  plan.written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  return plan;
}

c10::ScalarType to_torch(int32_t dtype) {
  if (dtype < 0 || dtype >= static_cast<int32_t>(std::size(kTypes))) throw Unsupported("unknown dtype number");
  return kTypes[dtype];
}

int32_t dtype_number(c10::ScalarType type) {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (kTypes[i] == type) return static_cast<int32_t>(i);
  throw Unsupported(std::string("programs have no ") + c10::toString(type) + " tensors");
}

c10::IValue argument_value(const ArgumentPlan& plan, const c10::Argument& argument, const TorchCell*& cell,
                           const TorchCell* end, const std::vector<at::Tensor>& tensors) {
  if (cell == end) C10_THROW_ERROR(TypeError, "argument '" + argument.name() + "' is missing");
  const TorchCell& head = *cell++;
  if (head.kind == kTorchNone) {
    if (plan.optional) return {};
    refuse(argument, head);
  }
  if (head.kind == kTorchList) {
    const TorchCell* first = cell;
    cell += head.integer;
    if (!plan.list || cell > end) refuse(argument, head);
    return list_value(plan, argument, first, static_cast<size_t>(head.integer), static_cast<size_t>(head.integer),
                      tensors);
  }
  if (!plan.list) return single_value(plan, argument, head, tensors);
  if (plan.list_size == 0) refuse(argument, head);
  return list_value(plan, argument, &head, 1, static_cast<size_t>(plan.list_size), tensors);
}

}  // namespace faultline::torch_module
