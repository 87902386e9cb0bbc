// Transfer records of a layout. Host dims are independent of each other: each is cut into ranges in which the device
// coordinates of its dims count like digits, and a record is one range of every host dim.
#include <algorithm>

#include "runtime/device/job_plan.h"

namespace faultline {

namespace {

constexpr int kNoDeviceDim = 1 << 20;  // behind all others in order

// One digit of a host index: it stands for `host_stride` indices and steps `device_stride` elements. `order` is the
// place of its device dim in the layout.
struct Digit {
  int64_t count = 1, host_stride = 1, device_stride = 0;
  int order = 0;
};

// The indices host_offset + sum of digit * host_stride, and where they lie.
struct Range {
  int64_t host_offset = 0, device_offset = 0;
  std::vector<Digit> digits;
};

struct HostDim {
  std::vector<CoordinateTerm> terms;
  std::vector<Digit> digits;  // largest step first; count of the first is open
  int64_t at(int64_t index) const {
    int64_t address = 0;
    for (const CoordinateTerm& term : terms) address += term.at(index) * term.stride;
    return address;
  }
};

HostDim host_dim(const DeviceLayout& layout, const std::vector<int64_t>& strides, int host_dim) {
  HostDim dim;
  const std::vector<CoordinateTerm> terms = layout.terms();
  for (size_t j = 0; j < terms.size(); ++j) {
    if (terms[j].host_dim != host_dim) continue;
    dim.terms.push_back(terms[j]);
    dim.terms.back().stride = strides[j];
    // A wrapped dim of one position always stands at 0.
    if (terms[j].modulus != 1) dim.digits.push_back({terms[j].modulus, terms[j].step, strides[j], static_cast<int>(j)});
  }
  std::stable_sort(dim.digits.begin(), dim.digits.end(),
                   [](const Digit& a, const Digit& b) { return a.host_stride > b.host_stride; });
  return dim;
}

// Whether the digits are a mixed radix system: every step is the next smaller one times its count. Indices below the
// smallest step share a position, which a last digit without a device stride says.
bool make_radix(std::vector<Digit>& digits) {
  if (digits.empty() || digits.back().host_stride > 1)
    digits.push_back({digits.empty() ? 0 : digits.back().host_stride, 1, 0, kNoDeviceDim});
  if (digits.front().count != 0) return false;
  for (size_t j = 1; j < digits.size(); ++j)
    if (digits[j].host_stride * digits[j].count != digits[j - 1].host_stride) return false;
  return true;
}

// Full settings of the first digit, then what remains, in the digits behind it.
void cut(const std::vector<Digit>& digits, size_t first, int64_t size, Range prefix, std::vector<Range>& ranges) {
  if (size == 0) return;
  const Digit& digit = digits[first];
  const int64_t whole = size / digit.host_stride, rest = size % digit.host_stride;
  if (whole > 0) {
    Range full = prefix;
    full.digits.push_back({whole, digit.host_stride, digit.device_stride, digit.order});
    full.digits.insert(full.digits.end(), digits.begin() + static_cast<std::ptrdiff_t>(first) + 1, digits.end());
    ranges.push_back(std::move(full));
  }
  prefix.host_offset += whole * digit.host_stride;
  prefix.device_offset += whole * digit.device_stride;
  prefix.digits.push_back({1, digit.host_stride, digit.device_stride, digit.order});
  if (rest > 0) cut(digits, first + 1, rest, std::move(prefix), ranges);
}

// Without a system: runs of a constant step, found by looking at every index.
std::vector<Range> straight_runs(const HostDim& dim, int64_t size) {
  std::vector<Range> ranges;
  const int order = dim.digits.empty() ? 0 : dim.digits.back().order;
  for (int64_t index = 0; index < size;) {
    const int64_t start = dim.at(index);
    const int64_t step = index + 1 < size ? dim.at(index + 1) - start : 0;
    int64_t count = 1;
    while (index + count < size && dim.at(index + count) == start + count * step) ++count;
    ranges.push_back({index, start, {{count, 1, step, order}}});
    index += count;
  }
  return ranges;
}

std::vector<Range> ranges_of(HostDim dim, int64_t size) {
  std::vector<Range> ranges;
  if (!make_radix(dim.digits)) return straight_runs(dim, size);
  cut(dim.digits, 0, size, {}, ranges);
  return ranges;
}

TransferRecord join(const std::vector<const Range*>& choice, const std::vector<int64_t>& host_strides) {
  struct Ordered {
    int order = 0;
    TransferRecord::Level level;
  };
  TransferRecord record;
  std::vector<Ordered> levels;
  for (size_t d = 0; d < choice.size(); ++d) {
    record.host_offset += choice[d]->host_offset * host_strides[d];
    record.device_offset += choice[d]->device_offset;
    for (const Digit& digit : choice[d]->digits) {
      if (digit.order == kNoDeviceDim && digit.count == 1) continue;
      levels.push_back({digit.order, {digit.count, digit.host_stride * host_strides[d], digit.device_stride}});
    }
  }
  std::stable_sort(levels.begin(), levels.end(), [](const Ordered& a, const Ordered& b) { return a.order < b.order; });
  for (const Ordered& level : levels) record.levels.push_back(level.level);
  return record;
}

}  // namespace

int64_t TransferRecord::elements() const {
  int64_t product = 1;
  for (const Level& level : levels) product *= level.count;
  return product;
}

std::vector<TransferRecord> transfer_records(const DeviceLayout& layout, const Sizes& sizes) {
  std::vector<int64_t> strides = layout.flat_strides();
  for (int64_t& stride : strides) stride /= layout.flat_element_bytes();
  const std::vector<int64_t> host_strides = contiguous_strides(sizes);
  std::vector<std::vector<Range>> ranges;
  for (size_t d = 0; d < sizes.size(); ++d) {
    ranges.push_back(ranges_of(host_dim(layout, strides, static_cast<int>(d)), sizes[d]));
    if (ranges.back().empty()) return {};
  }
  std::vector<TransferRecord> records;
  std::vector<size_t> setting(sizes.size(), 0);
  while (true) {
    std::vector<const Range*> choice;
    for (size_t d = 0; d < sizes.size(); ++d) choice.push_back(&ranges[d][setting[d]]);
    records.push_back(join(choice, host_strides));
    size_t d = sizes.size();
    while (d > 0 && ++setting[d - 1] == ranges[d - 1].size()) setting[--d] = 0;
    if (d == 0) return records;
  }
}

}  // namespace faultline
