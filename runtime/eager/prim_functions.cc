// Two switches, so that a new function does not compile without its line.
#include "runtime/eager/prim_functions.h"

namespace faultline {

std::string_view torch_target(Function function) {
  switch (function) {
    case Function::neg: return "aten.neg.default";
    case Function::add: return "aten.add.Tensor";
    case Function::sub: return "aten.sub.Tensor";
    case Function::mul: return "aten.mul.Tensor";
    case Function::div: return "aten.div.Tensor";
    case Function::reciprocal: return "aten.reciprocal.default";
    case Function::maximum: return "aten.maximum.default";
    case Function::minimum: return "aten.minimum.default";
    case Function::abs: return "aten.abs.default";
    case Function::sign: return "aten.sign.default";
    case Function::floor: return "aten.floor.default";
    case Function::ceil: return "aten.ceil.default";
    case Function::round: return "aten.round.default";
    case Function::trunc: return "aten.trunc.default";
    case Function::sqrt: return "aten.sqrt.default";
    case Function::rsqrt: return "aten.rsqrt.default";
    case Function::exp: return "aten.exp.default";
    case Function::exp2: return "aten.exp2.default";
    case Function::expm1: return "aten.expm1.default";
    case Function::log: return "aten.log.default";
    case Function::log2: return "aten.log2.default";
    case Function::log10: return "aten.log10.default";
    case Function::log1p: return "aten.log1p.default";
    case Function::sin: return "aten.sin.default";
    case Function::cos: return "aten.cos.default";
    case Function::tan: return "aten.tan.default";
    case Function::asin: return "aten.asin.default";
    case Function::acos: return "aten.acos.default";
    case Function::atan: return "aten.atan.default";
    case Function::sinh: return "aten.sinh.default";
    case Function::cosh: return "aten.cosh.default";
    case Function::tanh: return "aten.tanh.default";
    case Function::asinh: return "aten.asinh.default";
    case Function::acosh: return "aten.acosh.default";
    case Function::atanh: return "aten.atanh.default";
    case Function::erf: return "aten.erf.default";
    case Function::erfc: return "aten.erfc.default";
    case Function::lgamma: return "aten.lgamma.default";
    case Function::pow: return "aten.pow.Tensor_Tensor";
    case Function::fmod: return "aten.fmod.Tensor";
    case Function::remainder: return "aten.remainder.Tensor";
    case Function::atan2: return "aten.atan2.default";
    case Function::logical_not: return "aten.logical_not.default";
    case Function::bitwise_not: return "aten.bitwise_not.default";
    case Function::bitwise_and: return "aten.bitwise_and.Tensor";
    case Function::bitwise_or: return "aten.bitwise_or.Tensor";
    case Function::bitwise_xor: return "aten.bitwise_xor.Tensor";
    case Function::shift_left: return "aten.bitwise_left_shift.Tensor";
    case Function::shift_right: return "aten.bitwise_right_shift.Tensor";
    case Function::equal: return "aten.eq.Tensor";
    case Function::not_equal: return "aten.ne.Tensor";
    case Function::less: return "aten.lt.Tensor";
    case Function::less_equal: return "aten.le.Tensor";
    case Function::greater: return "aten.gt.Tensor";
    case Function::greater_equal: return "aten.ge.Tensor";
    case Function::is_nan: return "aten.isnan.default";
    case Function::is_infinite: return "aten.isinf.default";
    case Function::select:
    case Function::cast:
    case Function::refresh: break;
  }
  return {};
}

std::string_view torch_target(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return "aten.sum.dim_IntList";
    case Reduction::prod: return "aten.prod.dim_int";
    case Reduction::max: return "aten.amax.default";
    case Reduction::min: return "aten.amin.default";
    case Reduction::any: return "aten.any.dims";
    case Reduction::all: return "aten.all.dims";
    case Reduction::argmax: return "aten.argmax.default";
    case Reduction::argmin: return "aten.argmin.default";
  }
  return {};
}

}  // namespace faultline
