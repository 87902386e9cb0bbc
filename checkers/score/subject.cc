// Programs as text; their graphs by the passes that everything else uses.
#include "checkers/score/subject.h"

#include <algorithm>
#include <array>

#include "runtime/base/philox.h"
#include "runtime/ir/program_text.h"
#include "runtime/layers/capture/capture.h"
#include "runtime/layers/decompose/decompose.h"
#include "runtime/layers/decompose/opmath.h"
#include "runtime/numerics/declared_arithmetic.h"

namespace faultline {

namespace {

// Of every class one changes an operand in place through a view of it before it is read under its own name.
constexpr std::array kPrograms = {
    ScoreProgram{
        "pointwise",
        "def affine(x: TYPE[32,65], y: TYPE[32,65], z: TYPE[65]): u = aten.select.int(x, 0, 3); v = aten.neg_(u);"
        " a = aten.mul.Tensor(x, y);"
        " b = aten.add.Tensor(a, z); return b"},
    ScoreProgram{"pointwise",
                 "def gates(x: TYPE[32,65], y: TYPE[32,65]): a = aten.gelu(x); b = aten.sigmoid(y);"
                 " c = aten.mul.Tensor(a, b); return c"},
    ScoreProgram{"reduction", "def sum(x: TYPE[16,1000]): y = aten.sum.dim_IntList(x, [1]); return y"},
    ScoreProgram{"reduction",
                 "def mean(x: TYPE[256,24]): u = aten.select.int(x, 1, 5); v = aten.neg_(u);"
                 " y = aten.mean.dim(x, [0]); return y"},
    ScoreProgram{"contraction", "def mm(a: TYPE[16,256], b: TYPE[256,16]): y = aten.mm(a, b); return y"},
    ScoreProgram{"contraction",
                 "def linear(x: TYPE[12,96], w: TYPE[24,96], b: TYPE[24]): u = aten.select.int(w, 0, 5);"
                 " v = aten.neg_(u); y = aten.linear(x, w, b);"
                 " return y"},
    ScoreProgram{"softmax", "def softmax(x: TYPE[8,4096]): y = aten.softmax.int(x, 1); return y"},
    ScoreProgram{"softmax",
                 "def log_softmax(x: TYPE[12,256]): u = aten.select.int(x, 0, 5); v = aten.neg_(u);"
                 " y = aten.log_softmax.int(x, 1); return y"},
    ScoreProgram{"norm",
                 "def layer_norm(x: TYPE[8,256], w: TYPE[256], b: TYPE[256]):"
                 " y = aten.layer_norm(x, [256], w, b, 1e-05); return y"},
    ScoreProgram{"norm",
                 "def rms_norm(x: TYPE[8,256], w: TYPE[256]): u = aten.select.int(x, 0, 5); v = aten.neg_(u);"
                 " y = aten.rms_norm(x, [256], w, 1e-05); return y"},
    ScoreProgram{"convolution",
                 "def conv2d(x: TYPE[2,8,9,9], w: TYPE[8,8,3,3], b: TYPE[8]):"
                 " y = aten.conv2d(x, w, b, [1, 1], [1, 1]); return y"},
    ScoreProgram{"convolution",
                 "def conv1d(x: TYPE[2,8,40], w: TYPE[12,4,5]): u = aten.select.int(w, 0, 3); t = aten.neg_(u);"
                 " y = aten.conv1d(x, w, None, [1], [2], [1], 2); return y"},
    ScoreProgram{"attention",
                 "def attention(q: TYPE[1,2,16,32], k: TYPE[1,2,64,32], v: TYPE[1,2,64,32]):"
                 " t = aten.select.int(v, 1, 1); u = aten.neg_(t);"
                 " y = aten.scaled_dot_product_attention(q, k, v); return y"},
    ScoreProgram{"scatter",
                 "def scatter_add(x: TYPE[8,24], i: i64[40,24], s: TYPE[40,24]):"
                 " y = aten.scatter_add(x, 0, i, s); return y"},
    ScoreProgram{"scatter",
                 "def index_add(x: TYPE[8,33], i: i64[48], s: TYPE[48,33]):"
                 " u = aten.select.int(x, 0, 5); v = aten.neg_(u);"
                 " y = aten.index_add(x, 0, i, s); return y"},
};

// A type's name in place of the word.
std::string in_type(std::string_view text, DType dtype) {
  constexpr std::string_view kWord = "TYPE";
  std::string result;
  size_t from = 0;
  for (size_t at; (at = text.find(kWord, from)) != std::string_view::npos; from = at + kWord.size()) {
    result += text.substr(from, at - from);
    result += name(dtype);
  }
  return result + std::string(text.substr(from));
}

PrimGraph graph_of(const std::string& text) {
  const Program program = parse_program(text, "score");
  FrameState state;
  for (const Parameter& parameter : program.parameters)  // each in a storage of its own
    state.tensors[parameter.name] = {*parameter.tensor, &parameter};
  return with_opmath(decompose(trace(program, {0}, state, program.name).segment));
}

}  // namespace

std::span<const ScoreProgram> score_programs() { return kPrograms; }

std::vector<std::string> score_classes() {
  std::vector<std::string> classes;
  for (const ScoreProgram& program : kPrograms)
    if (classes.empty() || classes.back() != program.op_class) classes.emplace_back(program.op_class);
  return classes;
}

ScoreSubject::ScoreSubject(const ScoreProgram& program, DType dtype)
    : dtype_(dtype), graph_(graph_of(in_type(program.text, dtype))) {}

const ExactIntegers& ScoreSubject::exact_integers() const {
  if (!found_)
    found_ = find_exact_integers([this](const IntegerData& data) {
      return std::vector<IntegerReference>{{dtype_, reference(integers(data, 0), false)}};
    });
  return *found_;
}

Numbers ScoreSubject::input(int index, const IntegerData& data, uint64_t seed) const {
  const GraphInput& input = graph_.inputs[index];
  PhiloxStream stream(seed, "exact " + input.name);
  Numbers numbers(static_cast<size_t>(element_count(input.type.sizes)));
  for (NativeDomain::Value& number : numbers) {
    const double magnitude = 1 + stream.below(static_cast<uint32_t>(data.most));
    const bool zero = stream.below(static_cast<uint32_t>(data.each)) != 0;
    const double value = zero ? 0 : stream.below(2) == 0 ? magnitude : -magnitude;
    number.real = round_to(host_format(input.type.dtype), value);
  }
  return numbers;
}

static Numbers indices(const TensorType& type, std::string_view name, uint64_t seed) {
  PhiloxStream stream(seed, name);
  Numbers numbers(static_cast<size_t>(element_count(type.sizes)));
  for (NativeDomain::Value& number : numbers) number.integer = stream.below(8);
  return numbers;
}

std::vector<Numbers> ScoreSubject::integers(const IntegerData& data, uint64_t seed) const {
  std::vector<Numbers> all;
  for (size_t i = 0; i < graph_.inputs.size(); ++i)
    all.push_back(is_float(graph_.inputs[i].type.dtype) ? input(static_cast<int>(i), data, seed)
                                                        : indices(graph_.inputs[i].type, graph_.inputs[i].name, seed));
  return all;
}

std::vector<Numbers> ScoreSubject::inputs(ScoreData data, uint64_t seed) const {
  if (data == ScoreData::exact) return integers(exact_integers().exact, seed);
  if (data == ScoreData::wide) return integers(exact_integers().wide, seed);
  std::vector<Numbers> all = integers({}, seed);
  for (size_t i = 0; i < all.size(); ++i) {
    const GraphInput& input = graph_.inputs[i];
    if (!is_float(input.type.dtype)) continue;
    PhiloxStream stream(seed, input.name);
    const Format format = host_format(input.type.dtype);
    const double scale = data == ScoreData::small ? 4 * limits(format).smallest_normal : 1;
    for (NativeDomain::Value& number : all[i])
      number.real = round_to(format, scale * (data == ScoreData::uniform ? stream.unit() : stream.normal()));
  }
  return all;
}

static const Arithmetic& arithmetic_of(Declared declared) {
  static const DeclaredArithmetic fast = [] {
    DeclaredArithmetic arithmetic("fast");
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) arithmetic.formats(dtype).flushes_subnormals = true;
    return arithmetic;
  }();
  return declared == Declared::fast ? fast : host_arithmetic();
}

static ErrorProfile profile_of(Declared declared, bool sharp) {
  ErrorProfile profile;
  profile.sharp = sharp;
  profile.fast_division = declared == Declared::fast;
  return profile;
}

PrimResult<ExactDomain> ScoreSubject::exact_run(const std::vector<Numbers>& inputs, const Arithmetic& declared,
                                                const ErrorProfile& profile, bool nodes) const {
  ExactDomain domain(declared, profile);
  PrimValues<ExactDomain> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType dtype = graph_.inputs[i].type.dtype;
    std::vector<Bounded> exact(inputs[i].size());
    for (size_t k = 0; k < exact.size(); ++k) {
      if (is_float(dtype))
        exact[k] = domain.held(dtype, inputs[i][k].real);
      else
        exact[k].integer = inputs[i][k].integer;
    }
    values.push_back(std::move(exact));
  }
  PrimRunOptions<ExactDomain> options;
  options.keep_nodes = nodes;
  return run_prims(graph_, domain, values, options);
}

static ElementReference reference_of(const PrimResult<ExactDomain>& result) {
  ElementReference reference;
  for (const Bounded& value : result.outputs[0]) {
    reference.exact.push_back(value.value);
    reference.bound.push_back(value.bound);
    reference.untrusted.push_back(value.reasons);
  }
  return reference;
}

ElementReference ScoreSubject::reference(const std::vector<Numbers>& inputs, bool sharp, Declared declared) const {
  return reference_of(exact_run(inputs, arithmetic_of(declared), profile_of(declared, sharp), false));
}

ElementReference ScoreSubject::reference(const std::vector<Numbers>& inputs, const Arithmetic& declared) const {
  return reference_of(exact_run(inputs, declared, {}, false));
}

std::vector<double> ScoreSubject::bounds_of(int node, const std::vector<Numbers>& inputs, Declared declared) const {
  const PrimResult<ExactDomain> result = exact_run(inputs, arithmetic_of(declared), profile_of(declared, false), true);
  std::vector<double> bounds;
  for (const Bounded& value : result.nodes[static_cast<size_t>(node)]) bounds.push_back(value.bound);
  return bounds;
}

}  // namespace faultline
