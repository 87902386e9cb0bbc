// Places are row-major numbers, so one loop over the elements fills the cells of either plane.
#include "reports/wrong_plane.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/phrases.h"

namespace faultline {

namespace {

// A vector's rows: whole units that fit into so many places, or one unit that does not.
constexpr int64_t kFold = 64;

int64_t folded_width(int64_t unit) {
  if (unit <= 1) return kFold;
  return unit < kFold ? kFold / unit * unit : unit;
}

WrongPlane logical_plane(const WrongMap& map) {
  WrongPlane plane;
  const size_t rank = map.sizes.size();
  plane.title = "logical " + clean(map.type);
  plane.failing = map.failing;
  plane.total = static_cast<int64_t>(map.failing.size());
  plane.across = "the one element";
  if (rank == 0) {
    plane.height = plane.total;
    return plane;
  }
  plane.width = rank == 1 ? std::min(plane.total, folded_width(map.units[0])) : map.sizes.back();
  plane.height = (plane.total + plane.width - 1) / plane.width;
  plane.across = fmt::format("dim {}", rank - 1);
  plane.unit_across = map.units.back();
  if (rank == 1) {
    if (plane.unit_across == plane.width) plane.unit_across = 0;
    if (plane.height > 1) plane.across = fmt::format("dim 0 in rows of {}", plane.width);
    plane.row_step = plane.width;
    return plane;
  }
  plane.row_sizes.assign(map.sizes.begin(), map.sizes.end() - 1);
  plane.down = rank == 2 ? "dim 0" : fmt::format("dims 0 to {}", rank - 2);
  plane.unit_down = rank == 2 ? map.units[0] : map.sizes[rank - 2];
  return plane;
}

// Elements that lie beyond what the layout has.
std::string outside_text(const DevicePlacement& device) {
  const int64_t outside = std::count_if(device.positions.begin(), device.positions.end(),
                                        [&](int64_t position) { return position >= device.held; });
  if (outside == 0) return {};
  return fmt::format("{} element{} outside of the layout, which ends at position {}", outside,
                     outside == 1 ? " lies" : "s lie", device.held);
}

WrongPlane device_plane(const WrongMap& map) {
  const DevicePlacement& device = *map.device;
  WrongPlane plane;
  plane.title = "device " + clean(device.layout);
  plane.failing = map.failing;
  plane.places = device.positions;
  plane.width = device.row;
  plane.total = std::max(device.held, *std::max_element(device.positions.begin(), device.positions.end()) + 1);
  plane.height = (plane.total + plane.width - 1) / plane.width;
  const std::string row = device.row_name.empty() ? "row" : clean(device.row_name);
  plane.across = fmt::format("lane of a {}", row);
  plane.down = row;
  plane.unit_down = device.rows_together > 1 ? device.rows_together : 0;
  plane.note = outside_text(device);
  return plane;
}

bool is_drawable(const DevicePlacement& device, const WrongMap& map) {
  return device.row >= 1 && device.positions.size() == map.failing.size() &&
         std::all_of(device.positions.begin(), device.positions.end(), [](int64_t position) { return position >= 0; });
}

// Places a cell: enough for the cells to be no more than `most`, and if it costs little in step with the unit.
int64_t step_of(int64_t places, int64_t most, int64_t unit) {
  const int64_t least = (places + most - 1) / most;
  if (unit > 1 && least > 1)
    for (int64_t step = least; step <= 2 * least; ++step)
      if (unit % step == 0 || step % unit == 0) return step;
  return least;
}

}  // namespace

std::string WrongPlane::row_name(int64_t number) const {
  if (row_sizes.empty()) return std::to_string(number * row_step);
  std::string text;
  for (size_t d = row_sizes.size(); d-- > 0; number /= row_sizes[d])
    text = std::to_string(number % row_sizes[d]) + (text.empty() ? "" : ",") + text;
  return text;
}

std::vector<WrongPlane> planes_of(const WrongTensor& tensor) {
  if (!tensor.map || tensor.wrong == 0 || tensor.map->failing.empty()) return {};
  std::vector<WrongPlane> planes = {logical_plane(*tensor.map)};
  if (tensor.map->device && is_drawable(*tensor.map->device, *tensor.map)) planes.push_back(device_plane(*tensor.map));
  return planes;
}

int PlaneCell::shade() const { return elements == 0 ? 0 : static_cast<int>((4 * wrong + elements - 1) / elements); }

PlaneCells shrink(const WrongPlane& plane, int64_t columns_max, int64_t rows_max) {
  PlaneCells shrunk;
  shrunk.step_across = step_of(plane.width, columns_max, plane.unit_across);
  shrunk.step_down = step_of(plane.height, rows_max, plane.unit_down);
  shrunk.columns = (plane.width + shrunk.step_across - 1) / shrunk.step_across;
  shrunk.rows = (plane.height + shrunk.step_down - 1) / shrunk.step_down;
  shrunk.cells.resize(static_cast<size_t>(shrunk.columns * shrunk.rows));
  for (int64_t row = 0; row < shrunk.rows; ++row)
    for (int64_t column = 0; column < shrunk.columns; ++column)
      shrunk.cells[static_cast<size_t>(row * shrunk.columns + column)].exists =
          row * shrunk.step_down * plane.width + column * shrunk.step_across < plane.total;
  for (size_t element = 0; element < plane.failing.size(); ++element) {
    const int64_t place = plane.places.empty() ? static_cast<int64_t>(element) : plane.places[element];
    const int64_t row = place / plane.width / shrunk.step_down, column = place % plane.width / shrunk.step_across;
    PlaneCell& cell = shrunk.cells[static_cast<size_t>(row * shrunk.columns + column)];
    ++cell.elements;
    cell.wrong += plane.failing[element] != 0 ? 1 : 0;
  }
  return shrunk;
}

bool has_line(int64_t unit, int64_t step, int64_t cell) {
  return unit > 1 && cell > 0 && cell * step / unit != (cell - 1) * step / unit && unit >= 2 * step;
}

std::string axes_text(const WrongPlane& plane, const PlaneCells& cells) {
  std::string text = plane.across + " across";
  if (!plane.down.empty()) text += fmt::format(", {} down", plane.down);
  if (cells.is_reduced()) text += fmt::format("; a cell is {} x {}", cells.step_down, cells.step_across);
  return text;
}

std::string picture_headline(const WrongTensor& tensor) {
  std::string text = fmt::format("{}: {} of {} elements wrong", tensor_name(tensor), tensor.wrong, tensor.total);
  if (!tensor.pattern.empty()) text += "; " + clean(tensor.pattern);
  if (!tensor.what.empty()) text += (tensor.pattern.empty() ? "; " : ": ") + clean(tensor.what);
  if (!tensor.unit.empty()) text += fmt::format(" ({})", clean(tensor.unit));
  return text;
}

}  // namespace faultline
