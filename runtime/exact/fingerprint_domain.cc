// Functions on lanes, casts and memory; sums are in fingerprint_sums.cc.
#include "runtime/exact/fingerprint_domain.h"

#include <algorithm>

#include "runtime/base/philox.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

static_assert(ElementDomain<FingerprintDomain>);

using Value = FingerprintDomain::Value;

static Value concrete(int64_t number) {
  Value value;
  value.integer = number;
  return value;
}

static bool poisoned(const Value& value) { return value.has(Fingerprint::poison); }

template <class Law>
static void map_lanes(Value* dst, const Value* a, const Value* b, int n, Law law) {
  for (int k = 0; k < n; ++k) dst[k] = law(a[k], b[k]);
}

static Value compare(Function function, bool real, const Value& x, const Value& y) {
  if (poisoned(x)) return x;
  if (poisoned(y)) return y;
  if (!real) return concrete(scalar_compare(function, x.integer, y.integer));
  switch (function) {
    case Function::is_nan: return concrete((x.flags & Fingerprint::nan) != 0);
    case Function::is_infinite: return concrete((x.flags & Fingerprint::infinite) != 0);
    case Function::logical_not: return concrete(x.a == 0 && (x.flags & Fingerprint::special) == 0);
    default: return concrete(compare_fingerprints(function, x, y));
  }
}

std::vector<Value> FingerprintDomain::leaves(const std::string& name, size_t count) {
  auto& kept = leaves_[name];
  if (!kept || kept->size() < count) {
    std::vector<Value> made(count);
    for (size_t i = 0; i < count; ++i) made[i] = leaf(name, i);
    kept = std::make_shared<const std::vector<Value>>(std::move(made));
  }
  return {kept->begin(), kept->begin() + static_cast<int64_t>(count)};
}

int64_t FingerprintDomain::integer_of(Format format, const Value& value) {
  if ((value.flags & Fingerprint::special) == 0 && format == Format::bool8) return value.a != 0;
  if (value.is_constant()) return float_to_integer(format, value.constant);
  const auto found = recorded_.find(value.a);
  if (found != recorded_.end()) return wrap_integer(format, found->second);
  ++unrecorded_;
  // Small, so that it may serve as an index or a count.
  return static_cast<int64_t>(fingerprint_oracle("float_to_integer", value.a).a & 0x7F);
}

Value FingerprintDomain::cast(DType result, DType operand, const Value& value) {
  if (poisoned(value)) return value;
  const Format format = formats_.at(result).compute;
  if (is_float(result)) return is_float(operand) ? value : fingerprint_integer(value.integer);
  return concrete(is_float(operand) ? integer_of(format, value) : wrap_integer(format, value.integer));
}

void FingerprintDomain::apply(Function function, DType result, DType operand, Value* dst, const Value* a,
                              const Value* b, const Value* c, int n) {
  const bool real = is_float(operand);
  if (!b) b = a;  // unary
  switch (row(function).kind) {
    case FunctionKind::move:
      if (function == Function::cast) {
        for (int k = 0; k < n; ++k) dst[k] = cast(result, operand, a[k]);
        return;
      }
      if (function == Function::refresh) break;
      for (int k = 0; k < n; ++k) dst[k] = poisoned(a[k]) ? a[k] : a[k].integer != 0 ? b[k] : c[k];
      return;
    case FunctionKind::compare:
      return map_lanes(dst, a, b, n, [=](const Value& x, const Value& y) { return compare(function, real, x, y); });
    default: break;
  }
  if (real) return apply_law_lanes(function, dst, a, b, n);
  const Format format = formats_.at(result).compute;
  map_lanes(dst, a, b, n, [=](const Value& x, const Value& y) {
    if (poisoned(x) || poisoned(y)) return poisoned(x) ? x : y;
    return concrete(integer_function(function, format, x.integer, y.integer));
  });
}

Value FingerprintDomain::literal(const Literal& literal) const {
  if (is_float(literal.dtype)) return fingerprint_literal(literal.real);
  return concrete(formats_.arithmetic().integer_literal(literal));
}

Value FingerprintDomain::integer(int64_t number, DType dtype) const {
  return is_float(dtype) ? fingerprint_integer(number) : concrete(wrap_integer(formats_.at(dtype).compute, number));
}

bool FingerprintDomain::replaces(Reduction reduction, DType dtype, const Value& current, const Value& candidate) const {
  const bool most = reduction == Reduction::argmax;
  constexpr uint32_t extreme = Fingerprint::nan | Fingerprint::poison;
  if ((current.flags & extreme) != 0) return false;
  if ((candidate.flags & extreme) != 0) return true;
  const int order = is_float(dtype) ? compare_order(candidate, current)
                                    : (candidate.integer > current.integer) - (candidate.integer < current.integer);
  return most ? order > 0 : order < 0;
}

void FingerprintDomain::store(Cell* cells, DType dtype, const Value& value) {
  table_.store(cells, formats_.at(dtype).storage, is_float(dtype), value);
}

// Chains the pieces through philox: what each is (first part or integer, tags), which byte of it, in which format,
// flipped how.
Value FingerprintDomain::oracle_of_pieces(const Cell* cells, Format format) const {
  uint64_t state = static_cast<uint64_t>(format);
  for (int byte = 0; byte < byte_size(format); ++byte) {
    const auto& piece = table_.element(cells[byte]);
    const uint64_t number = piece.real ? piece.value.a : static_cast<uint64_t>(piece.value.integer);
    const uint32_t what = cells[byte].byte_number() | static_cast<uint32_t>(piece.format) << 3 |
                          uint32_t{piece.flipped} << 8 | uint32_t{piece.real} << 16 |
                          (piece.value.flags & Fingerprint::special) << 17;
    const PhiloxBlock block = philox4x32_10({static_cast<uint32_t>(state), static_cast<uint32_t>(state >> 32),
                                             static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)},
                                            {fnv1a32("piece"), what});
    state = block[0] | uint64_t{block[1]} << 32;
  }
  return fingerprint_oracle("pieces", state);
}

Value FingerprintDomain::load(const Cell* cells, DType dtype) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  const bool real = is_float(dtype);
  if (const auto* element = table_.whole(cells, formats.storage); element && element->real == real)
    return element->value;
  if (const Cell* poison = table_.poison(cells, formats.storage)) return fingerprint_poison(poison->element());
  for (int byte = 0; byte < byte_size(formats.storage); ++byte)
    if (const Value& piece = table_.element(cells[byte]).value; poisoned(piece)) return piece;
  if (real) return oracle_of_pieces(cells, formats.storage);
  uint64_t bits;
  const auto bits_of = [](const auto& piece) { return encode_integer(piece.format, piece.value.integer); };
  if (!table_.assemble(cells, formats.storage, bits, bits_of)) bits = oracle_of_pieces(cells, formats.storage).a;
  return concrete(wrap_integer(formats.compute, decode_integer(formats.storage, bits)));
}

bool FingerprintDomain::equal(DType dtype, const Value& x, const Value& y) {
  if (is_float(dtype) || poisoned(x) || poisoned(y)) return faultline::equal(x, y);
  return x.integer == y.integer;
}

}  // namespace faultline
