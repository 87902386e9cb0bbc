// Features of the values: what the places "by value" are made of. Exponent, sign and class of the reference, and of
// each input that has as many elements as the output.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "checkers/patterns/element.h"
#include "checkers/patterns/scene.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

constexpr std::string_view kFeatures[] = {"exponent", "sign", "class"};

// Classes, in order: zero, subnormal, normal, infinite, NaN. Integers: zero, other.
int class_of(DType dtype, uint64_t bits) {
  if (is_zero(dtype, bits)) return 0;
  if (!is_float(dtype)) return 2;
  if (is_nan(dtype, bits)) return 4;
  if (is_infinite(dtype, bits)) return 3;
  return is_subnormal(dtype, bits) ? 1 : 2;
}

void add_feature(Scene& scene, std::string_view feature, const std::string& source, DType dtype,
                 const std::vector<const std::vector<uint64_t>*>& bits) {
  for (size_t at = 0; at < scene.views.size(); ++at) {
    CaseView& view = scene.views[at];
    Feature values{std::string(feature), source, feature_bins(dtype, feature), {}};
    values.bin.reserve(view.flat.size());
    for (const int64_t flat : view.flat)
      values.bin.push_back(static_cast<int32_t>(feature_value(dtype, feature, (*bits[at])[static_cast<size_t>(flat)])));
    view.features.push_back(std::move(values));
  }
}

void order_by_magnitude(const Scene& scene, CaseView& view) {
  std::vector<double> magnitude;
  magnitude.reserve(view.flat.size());
  for (const int64_t flat : view.flat) {
    const double value = std::fabs(value_of(scene.dtype, view.source->reference[static_cast<size_t>(flat)]));
    // NaN has no magnitude and would break the order.
    magnitude.push_back(std::isnan(value) ? -1 : value);
  }
  view.by_magnitude.resize(view.flat.size());
  std::iota(view.by_magnitude.begin(), view.by_magnitude.end(), 0);
  std::stable_sort(view.by_magnitude.begin(), view.by_magnitude.end(), [&](int32_t a, int32_t b) {
    return magnitude[static_cast<size_t>(a)] < magnitude[static_cast<size_t>(b)];
  });
}

bool ascending(const Scene& scene) {
  for (const CaseView& view : scene.views)
    for (size_t k = 1; k < view.flat.size(); ++k) {
      const auto value = [&](size_t sample) {
        return value_of(scene.dtype, view.source->reference[static_cast<size_t>(view.flat[sample])]);
      };
      if (!(value(k - 1) <= value(k))) return false;
    }
  return true;
}

}  // namespace

int feature_bins(DType dtype, std::string_view feature) {
  if (feature == "sign") return 2;
  if (feature == "class") return 5;
  return is_float(dtype) ? 1 << float_fields(dtype).exponent : bit_width(dtype) + 1;
}

double feature_value(DType dtype, std::string_view feature, uint64_t bits) {
  if (feature == "exponent") return exponent_of(dtype, bits);
  if (feature == "sign") return is_negative(dtype, bits) ? 1 : 0;
  if (feature == "magnitude") return std::fabs(value_of(dtype, bits));
  return class_of(dtype, bits);
}

void add_features(Scene& scene) {
  if (scene.dtype == DType::boolean || scene.failing_total == 0) return;
  scene.monotone = ascending(scene);
  std::vector<const std::vector<uint64_t>*> reference;
  for (const ObservedCase& one : scene.cases) reference.push_back(&one.reference);
  for (const std::string_view feature : kFeatures) add_feature(scene, feature, "ref", scene.dtype, reference);
  for (const KnownBuffer& buffer : scene.buffers) {
    bool alike = !buffer.previous && buffer.dtype != DType::boolean;
    for (size_t at = 0; at < scene.views.size(); ++at)
      alike = alike && static_cast<int64_t>(buffer.bits[at]->size()) == scene.views[at].count;
    if (!alike) continue;
    for (const std::string_view feature : kFeatures)
      add_feature(scene, feature, buffer.name, buffer.dtype, buffer.bits);
  }
  for (CaseView& view : scene.views) order_by_magnitude(scene, view);
}

SetContext Scene::context(size_t at) const {
  const CaseView& view = views[at];
  SetContext context{view.sizes, view.source->strides, view.source->offset, {}};
  if (view.source->sizes.empty()) context.strides.clear();
  context.feature_of = [this, at](std::string_view from, std::string_view feature, int64_t flat) {
    const auto index = static_cast<size_t>(flat);
    if (from == "ref") return feature_value(dtype, feature, views[at].source->reference[index]);
    for (const KnownBuffer& buffer : buffers)
      if (buffer.name == from) return feature_value(buffer.dtype, feature, (*buffer.bits[at])[index]);
    FAULTLINE_CHECK(false, std::string(from));
    return 0.0;
  };
  return context;
}

}  // namespace faultline
