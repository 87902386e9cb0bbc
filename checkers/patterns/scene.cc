// Building a scene: sampling, hints, buffers, and the codes whose length depends on sizes and hints alone.
#include "checkers/patterns/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "checkers/patterns/code_length.h"
#include "checkers/patterns/element.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

constexpr size_t kProbes = 64;

// Steele, Lea and Flood 2014 (https://doi.org/10.1145/2660193.2660195): positions to keep, without a period of their
// own.
uint64_t mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

// Keeps about `wanted` of `total`.
bool kept(int64_t flat, int64_t wanted, int64_t total) {
  return static_cast<double>(mix(static_cast<uint64_t>(flat)) >> 11) * 0x1p-53 * static_cast<double>(total) <
         static_cast<double>(wanted);
}

void check_case(const ObservedCase& one, const ObservedCase& first) {
  const auto count = static_cast<size_t>(element_count(one.sizes));
  const auto matches = [&](size_t size) { return size == 0 || size == count; };
  FAULTLINE_CHECK(one.got.size() == count && one.reference.size() == count && one.failing.size() == count,
                  fmt::format("{} elements, {} got, {} reference, {} verdicts", count, one.got.size(),
                              one.reference.size(), one.failing.size()));
  FAULTLINE_CHECK(
      matches(one.tolerance.size()) && matches(one.got_poison2.size()) && matches(one.previous_output.size()),
      fmt::format("{} elements", count));
  FAULTLINE_CHECK(one.dtype == first.dtype && one.sizes.size() == first.sizes.size(), "cases of one type and rank");
  FAULTLINE_CHECK(one.strides.empty() || one.strides.size() == one.sizes.size(), "one stride a size");
  for (const std::vector<double>& block : one.contraction_blocks) FAULTLINE_CHECK(matches(block.size()), "block sums");
  for (const std::vector<uint64_t>& repeat : one.repeats) FAULTLINE_CHECK(matches(repeat.size()), "repeats");
  for (const NamedBuffer& buffer : one.buffers)
    FAULTLINE_CHECK(static_cast<int64_t>(buffer.bits.size()) == element_count(buffer.sizes), buffer.name);
}

void choose_samples(CaseView& view, bool sampled) {
  const std::vector<uint8_t>& failing = view.source->failing;
  for (int64_t flat = 0; flat < view.count; ++flat)
    if (failing[static_cast<size_t>(flat)] != 0) view.failing_flat.push_back(flat);
  const auto wrong = static_cast<int64_t>(view.failing_flat.size());
  const int64_t right = view.count - wrong;
  view.failing_total = static_cast<double>(wrong);
  view.sampled = sampled && view.count > kSampleLimit;
  int64_t kept_of[2] = {0, 0};
  for (int64_t flat = 0; flat < view.count; ++flat) {
    const bool fails = failing[static_cast<size_t>(flat)] != 0;
    if (view.sampled && !kept(flat, kSampleLimit, fails ? wrong : right)) continue;
    ++kept_of[fails];
    view.flat.push_back(flat);
    view.failing.push_back(fails ? 1 : 0);
  }
  const float weight[2] = {kept_of[0] > 0 ? static_cast<float>(right) / static_cast<float>(kept_of[0]) : 1,
                           kept_of[1] > 0 ? static_cast<float>(wrong) / static_cast<float>(kept_of[1]) : 1};
  for (const uint8_t fails : view.failing) view.weight.push_back(weight[fails]);
}

void find_coordinates(CaseView& view) {
  view.coordinate.resize(view.sizes.size());
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    view.coordinate[d].reserve(view.flat.size());
    for (const int64_t flat : view.flat)
      view.coordinate[d].push_back(static_cast<int32_t>(view.coordinate_of(flat, static_cast<int>(d))));
  }
}

void find_storage_order(CaseView& view) {
  const ObservedCase& source = *view.source;
  if (source.strides.empty() || source.sizes.empty()) return;
  const TensorType type{source.dtype, source.sizes, source.strides, source.offset};
  if (is_contiguous(type)) return;
  view.storage_count = storage_elements(type);
  for (const int64_t flat : view.flat) view.storage.push_back(storage_index(type, flat));
  view.by_storage.resize(view.flat.size());
  std::iota(view.by_storage.begin(), view.by_storage.end(), 0);
  std::sort(view.by_storage.begin(), view.by_storage.end(), [&](int32_t a, int32_t b) {
    return view.storage[static_cast<size_t>(a)] < view.storage[static_cast<size_t>(b)];
  });
}

std::unique_ptr<Scene> empty_scene(std::span<const ObservedCase> cases) {
  auto scene = std::make_unique<Scene>();
  scene->cases = cases;
  scene->dtype = cases[0].dtype;
  scene->width = bit_width(scene->dtype);
  scene->rank = std::max(1, static_cast<int>(cases[0].sizes.size()));
  scene->largest.assign(static_cast<size_t>(scene->rank), 0);
  return scene;
}

void add_view(Scene& scene, const ObservedCase& source, bool sampled) {
  CaseView view;
  view.source = &source;
  view.sizes = source.sizes.empty() ? Sizes{1} : source.sizes;
  view.inner = contiguous_strides(view.sizes);
  view.count = element_count(view.sizes);
  choose_samples(view, sampled);
  find_coordinates(view);
  find_storage_order(view);
  view.probes = spread_probes(view.failing_flat);
  scene.count_max = std::max(scene.count_max, view.count);
  for (size_t d = 0; d < view.sizes.size(); ++d) scene.largest[d] = std::max(scene.largest[d], view.sizes[d]);
  scene.failing_total += view.failing_total;
  scene.exact = scene.exact && source.tolerance.empty();
  // Each case's list is a code of its own: that is how the worked figures add up.
  scene.raw_bits += kFamilyBits + list_bits(static_cast<double>(view.count), view.failing_total, scene.width);
  scene.views.push_back(std::move(view));
}

std::string unit_text(const UnitHint& hint) {
  const bool numbered = hint.name.find_first_of("0123456789") != std::string::npos;
  return numbered ? hint.name : fmt::format("{} {}", hint.name, hint.elements);
}

void add_units(Scene& scene, std::span<const UnitHint> hints) {
  for (const UnitHint& hint : hints) {
    if (!hint.box.empty()) {
      if (hint.box.size() > static_cast<size_t>(scene.rank)) continue;
      const bool numbered = hint.name.find_first_of("0123456789") != std::string::npos;
      const std::string text = numbered ? hint.name : fmt::format("{} {}", hint.name, fmt::join(hint.box, "x"));
      scene.shapes.push_back({hint.box, std::nullopt, 0, text});
      continue;
    }
    if (hint.elements < 2) continue;
    scene.units.push_back({hint.elements, unit_text(hint), hint.dim});
    if (hint.dim && *hint.dim < scene.rank && hint.elements < scene.largest[static_cast<size_t>(*hint.dim)])
      scene.shapes.push_back({{}, hint.dim, hint.elements, unit_text(hint)});
  }
  // Square tiles of each unit that is smaller than both of the last dimensions: the shapes nobody named.
  if (scene.rank < 2) return;
  const auto last = static_cast<size_t>(scene.rank) - 1;
  const int64_t smaller = std::min(scene.largest[last], scene.largest[last - 1]);
  for (const ScalarUnit& unit : std::vector<ScalarUnit>(scene.units)) {
    if (unit.dim || unit.elements >= smaller) continue;
    const Sizes box{unit.elements, unit.elements};
    const bool known =
        std::any_of(scene.shapes.begin(), scene.shapes.end(), [&](const TileShape& s) { return s.extents == box; });
    if (!known) scene.shapes.push_back({box, std::nullopt, 0, fmt::format("tile {0}x{0}", unit.elements)});
  }
}

void add_buffers(Scene& scene) {
  KnownBuffer previous{.name = "previous output", .dtype = scene.dtype, .previous = true};
  for (size_t at = 0; at < scene.cases.size(); ++at) {
    if (scene.cases[at].previous_output.empty()) break;
    previous.bits.push_back(&scene.cases[at].previous_output);
    previous.sizes.push_back(scene.views[at].sizes);
    previous.strides.emplace_back();
  }
  if (previous.bits.size() == scene.cases.size()) scene.buffers.push_back(std::move(previous));
  for (const NamedBuffer& named : scene.cases[0].buffers) {
    KnownBuffer buffer{.name = named.name, .dtype = named.dtype.value_or(scene.dtype)};
    for (const ObservedCase& one : scene.cases)
      for (const NamedBuffer& other : one.buffers) {
        if (other.name != named.name) continue;
        buffer.bits.push_back(&other.bits);
        buffer.sizes.push_back(other.sizes);
        buffer.strides.push_back(other.strides);
        break;
      }
    if (buffer.bits.size() == scene.cases.size()) scene.buffers.push_back(std::move(buffer));
  }
}

void number_boxes(const Scene& scene, size_t at, CaseView& view) {
  for (const TileShape& shape : scene.shapes) {
    const Sizes grid = scene.grid(shape, at);
    const size_t lead = shape.dim ? static_cast<size_t>(*shape.dim) : view.sizes.size() - shape.extents.size();
    std::vector<int32_t> number(view.flat.size(), 0);
    for (size_t d = 0; d < grid.size(); ++d) {
      const auto extent = static_cast<int32_t>(shape.dim ? shape.slab : shape.extents[d]);
      const auto boxes = static_cast<int32_t>(grid[d]);
      for (size_t k = 0; k < number.size(); ++k) number[k] = number[k] * boxes + view.coordinate[lead + d][k] / extent;
    }
    view.box.push_back(std::move(number));
  }
}

void find_period(Scene& scene) {
  constexpr int64_t kLongest = 8192;
  scene.period = 12;
  for (const ScalarUnit& unit : scene.units) {
    scene.period = std::lcm(scene.period, 12 * unit.elements);
    if (scene.period > kLongest) scene.period = 0;
    if (scene.period == 0) return;
  }
}

}  // namespace

std::vector<int64_t> spread_probes(const std::vector<int64_t>& positions) {
  if (positions.size() <= kProbes) return positions;
  // Neighbours at both ends show periods; the rest are taken without one.
  std::vector<int64_t> probes(positions.begin(), positions.begin() + kProbes / 4);
  probes.insert(probes.end(), positions.end() - kProbes / 4, positions.end());
  for (size_t k = 0; k < kProbes / 2; ++k) probes.push_back(positions[mix(k) % positions.size()]);
  std::sort(probes.begin(), probes.end());
  probes.erase(std::unique(probes.begin(), probes.end()), probes.end());
  return probes;
}

std::unique_ptr<Scene> make_scene(std::span<const ObservedCase> cases, std::span<const UnitHint> hints, bool sampled) {
  auto scene = empty_scene(cases);
  for (const ObservedCase& one : cases) {
    check_case(one, cases[0]);
    add_view(*scene, one, sampled);
  }
  add_units(*scene, hints);
  find_period(*scene);
  for (size_t at = 0; at < cases.size(); ++at) number_boxes(*scene, at, scene->views[at]);
  add_buffers(*scene);
  add_features(*scene);
  return scene;
}

double Scene::dim_bits() const { return choice_bits(rank); }
double Scene::unit_bits() const { return choice_bits(static_cast<double>(units.size())); }
double Scene::shape_bits() const { return choice_bits(static_cast<double>(shapes.size())); }
double Scene::row_bits(int d) const { return choice_bits(static_cast<double>(largest[static_cast<size_t>(d)])); }
double Scene::buffer_bits() const { return choice_bits(static_cast<double>(buffers.size())); }

double Scene::range_bits(int d) const {
  const int64_t size = d < 0 ? count_max : largest[static_cast<size_t>(d)];
  return 2 * choice_bits(static_cast<double>(size) + 1);
}

Sizes Scene::grid(const TileShape& shape, size_t at) const {
  const Sizes& sizes = views[at].sizes;
  if (shape.dim) return {(sizes[static_cast<size_t>(*shape.dim)] + shape.slab - 1) / shape.slab};
  Sizes counts;
  const size_t lead = sizes.size() - shape.extents.size();
  for (size_t d = 0; d < shape.extents.size(); ++d)
    counts.push_back((sizes[lead + d] + shape.extents[d] - 1) / shape.extents[d]);
  return counts;
}

std::vector<std::vector<int64_t>> find_values(const std::vector<uint64_t>& haystack,
                                              const std::vector<uint64_t>& needles, size_t limit) {
  std::vector<uint64_t> sorted = needles;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::vector<int64_t>> hits(sorted.size());
  for (size_t k = 0; k < haystack.size() && !sorted.empty(); ++k) {
    const auto it = std::lower_bound(sorted.begin(), sorted.end(), haystack[k]);
    if (it == sorted.end() || *it != haystack[k]) continue;
    std::vector<int64_t>& places = hits[static_cast<size_t>(it - sorted.begin())];
    if (places.size() < limit) places.push_back(static_cast<int64_t>(k));
  }
  std::vector<std::vector<int64_t>> result;
  for (const uint64_t needle : needles)
    result.push_back(
        hits[static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), needle) - sorted.begin())]);
  return result;
}

std::vector<std::vector<int64_t>> find_near_values(const Scene& scene, size_t at, const std::vector<uint64_t>& needles,
                                                   size_t limit) {
  const std::vector<uint64_t>& reference = scene.cases[at].reference;
  std::vector<std::pair<double, int64_t>> sorted;
  double widest = 0;
  for (size_t k = 0; k < reference.size(); ++k) {
    const double value = value_of(scene.dtype, reference[k]), tolerance = scene.cases[at].tolerance[k];
    if (!std::isfinite(value) || !std::isfinite(tolerance)) continue;
    sorted.emplace_back(value, static_cast<int64_t>(k));
    widest = std::max(widest, tolerance);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::vector<int64_t>> result;
  for (const uint64_t needle : needles) {
    const double value = value_of(scene.dtype, needle);
    std::vector<std::pair<double, int64_t>> near;
    auto it = std::lower_bound(sorted.begin(), sorted.end(), std::pair<double, int64_t>(value - widest, -1));
    for (; it != sorted.end() && it->first <= value + widest; ++it) {
      const double off = std::fabs(it->first - value);
      if (off <= scene.cases[at].tolerance[static_cast<size_t>(it->second)]) near.emplace_back(off, it->second);
    }
    std::sort(near.begin(), near.end());
    std::vector<int64_t>& places = result.emplace_back();
    for (size_t k = 0; k < near.size() && k < limit; ++k) places.push_back(near[k].second);
  }
  return result;
}

}  // namespace faultline
