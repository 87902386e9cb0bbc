// One launch at a time: the division of work from the boxes of its compute instructions, addresses from its copies and
// operands, operations from the emitted kernel.
#include "runtime/targets/spyre/superdsc.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/layers/schedule/machine_state.h"
#include "runtime/targets/spyre/superdsc_names.h"

namespace faultline::spyre {

namespace {

using Json = nlohmann::ordered_json;

// A tensor of the launch: a load or a store of its kernel.
struct Tensor {
  int node = -1, store = -1, buffer = 0;
  Access access;
  std::vector<std::string> order;      // dims from the outermost device dim in; those it does not have behind them
  std::vector<int> scale;              // by `order`
  std::vector<std::string> stick_dim;  // of one stick; empty where a stick holds one value
  std::string type;                    // entry of primaryDsInfo_
};

class Descriptors {
 public:
  Descriptors(const MachineProgram& program, const Launch& launch)
      : program_(program), launch_(launch), kernel_(program.operations[launch.kernel]) {}

  Json take() {
    divide();
    for (int n = 0; n < std::ssize(kernel_.nodes); ++n)
      if (kernel_.nodes[n].kind == ScalarNode::Kind::load) add_tensor(n, -1, kernel_.nodes[n].access);
    for (int s = 0; s < std::ssize(kernel_.stores); ++s) {
      Access identity{kernel_.stores[s].buffer, {}};
      for (int d = 0; d < kernel_.parallel; ++d) identity.coordinates.push_back({{0, {Term{d, 1, 1, 0}}}, -1});
      add_tensor(-1, s, std::move(identity));
    }
    Json slices = Json::object(), by_core = Json::object(), schedule = Json::object(), dsc = Json::object();
    for (size_t d = 0; d < begins_.size(); ++d) slices[label(d)] = begins_[d].size();
    for (const auto& [core, box] : work_) {
      Json mine = Json::object();
      for (size_t d = 0; d < begins_.size(); ++d) mine[label(d)] = slice_of(box, d);
      by_core[std::to_string(core)] = std::move(mine);
      dsc[std::to_string(core)] = 0;
      schedule[std::to_string(core)] = {{-1, 0, 0, 0}};
    }
    return {{launch_.name,
             {{"coreFoldProp_", fold("core", work_.size())},
              {"coreletFoldProp_", fold("corelet", 1)},
              {"numCoresUsed_", work_.size()},
              {"coreIdToDsc_", dsc},
              {"numWkSlicesPerDim_", slices},
              {"coreIdToWkSlice_", by_core},
              {"coreIdToDscSchedule", schedule},
              {"dscs_", Json::array({{{main_operation(kernel_, reduces_sticks()), design()}}})}}}};
  }

 private:
  static Json fold(const char* name, size_t factor) { return {{"factor_", factor}, {"label_", name}}; }
  std::string label(size_t dim) const {
    return fmt::format("{}{}", static_cast<int>(dim) < kernel_.parallel ? 'i' : 'r', dim);
  }
  bool reduces_sticks() const { return !launch_.computes.empty() && launch_.computes[0].lane_dim >= kernel_.parallel; }

  bool on_matrix_unit() const { return !launch_.computes.empty() && launch_.computes[0].unit == Unit::matrix; }

  // What each core works on, from the boxes of its compute instructions.
  void divide() {
    for (const Stream& stream : launch_.streams)
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.opcode != Opcode::compute) continue;
        const Box& box = launch_.computes[instruction.compute].box;
        Box& mine = work_.try_emplace(stream.core, box).first->second;
        for (size_t d = 0; d < box.end.size(); ++d) {
          if (box.end[d] <= box.begin[d]) continue;  // the finish of a joined sum
          mine.begin[d] = std::min(mine.begin[d], box.begin[d]);
          mine.end[d] = std::max(mine.end[d], box.end[d]);
        }
      }
    begins_.resize(kernel_.extents.size());
    total_.assign(kernel_.extents.size(), 0);
    for (const auto& [core, box] : work_)
      for (size_t d = 0; d < begins_.size(); ++d) {
        begins_[d].insert(box.begin[d]);
        total_[d] = std::max(total_[d], box.end[d]);
      }
  }
  int64_t slice_of(const Box& box, size_t dim) const {
    return std::distance(begins_[dim].begin(), begins_[dim].find(box.begin[dim]));
  }

  // The iteration dim that a host dim of an access runs along; -1 for a constant.
  static int dim_of(const Access& access, int host_dim) {
    const std::vector<Term>& terms = access.coordinates[host_dim].affine.terms;
    return terms.empty() ? -1 : terms[0].dim;
  }

  void add_tensor(int node, int store, Access access) {
    Tensor tensor;
    tensor.node = node;
    tensor.store = store;
    tensor.buffer = access.buffer;
    tensor.access = std::move(access);
    const DeviceLayout& layout = program_.layouts[tensor.buffer];
    const auto add = [&](const std::string& dim, int scale) {
      if (std::find(tensor.order.begin(), tensor.order.end(), dim) != tensor.order.end()) return;
      tensor.order.push_back(dim);
      tensor.scale.push_back(scale);
    };
    for (const DeviceDim& dim : layout.dims)
      if (dim.host_dim >= 0 && dim_of(tensor.access, dim.host_dim) >= 0)
        add(label(static_cast<size_t>(dim_of(tensor.access, dim.host_dim))), 1);
    const int stick = layout.dims.back().host_dim;
    if (stick >= 0 && dim_of(tensor.access, stick) >= 0)
      tensor.stick_dim = {label(static_cast<size_t>(dim_of(tensor.access, stick)))};
    const int lane_dim = launch_.computes.empty() ? -1 : launch_.computes[0].lane_dim;
    for (int d = 0; d < std::ssize(kernel_.extents); ++d)
      add(label(static_cast<size_t>(d)), stick < 0 && d == lane_dim ? -2 : -1);
    tensor.type = tensor.store >= 0 ? "OUTPUT" : input_type(tensor);
    tensors_.push_back(std::move(tensor));
  }
  // Loads of one layout share an entry.
  std::string input_type(const Tensor& tensor) const {
    std::set<std::string> taken;
    for (const Tensor& other : tensors_) {
      if (other.order == tensor.order && other.stick_dim == tensor.stick_dim &&
          program_.layouts[other.buffer].dims.back() == program_.layouts[tensor.buffer].dims.back())
        return other.type;
      taken.insert(other.type);
    }
    if (taken.empty()) return "INPUT";
    return taken.size() == 1 ? "KERNEL" : fmt::format("INPUT{}", taken.size());
  }

  Json design() const {
    Json cores = Json::array(), masks = Json::object(), layouts = Json::object(), tree = Json::array(),
         labeled = Json::array();
    for (const auto& [core, box] : work_) cores.push_back(core);
    bool masked_sum = false;
    for (size_t d = 0; d < total_.size() && !launch_.computes.empty(); ++d) {
      const int64_t valid = launch_.computes[0].valid[d];
      if (valid >= total_[d]) continue;
      masks[label(d)] = {{valid, total_[d] - valid}};
      masked_sum = masked_sum || static_cast<int>(d) >= kernel_.parallel;
    }
    for (size_t t = 0; t < tensors_.size(); ++t) {
      const Tensor& tensor = tensors_[t];
      const DeviceLayout& layout = program_.layouts[tensor.buffer];
      layouts[tensor.type] = {{"layoutDimOrder_", tensor.order},
                              {"stickDimOrder_", tensor.stick_dim},
                              {"stickSize_", {layout.dims.back().extent}}};
      const bool in_device = add_allocations(tree, t);
      Json memory = Json::object();
      if (in_device) memory["hbm"] = {{"isPresent", 1}};
      memory["lx"] = {{"isPresent", 1}};
      labeled.push_back({{"ldsIdx_", t},
                         {"dsName_", fmt::format("Tensor{}", t)},
                         {"dsType_", tensor.type},
                         {"scale_", tensor.scale},
                         {"wordLength", layout.element_bytes},
                         {"dataFormat_", data_format(program_.buffers[tensor.buffer].dtype)},
                         {"memOrg_", memory}});
    }
    return {{"numCoresUsed_", work_.size()},
            {"numCoreletsUsed_", 1},
            {"coreIdsUsed_", cores},
            {"N_", extents("n", total_)},
            {"coordinateMasking_", masks},
            {"maskingConstId_", masked_sum ? 0 : -1},
            {"dataStageParam_", {{"0", {{"ss_", stage(false)}, {"el_", stage(true)}}}}},
            {"primaryDsInfo_", layouts},
            {"scheduleTree_", tree},
            {"labeledDs_", labeled},
            {"constantInfo_", masked_sum ? mask_constant() : Json("{}")},
            {"computeOp_", compute_operations(kernel_, on_matrix_unit(), reduces_sticks(), tensor_names())}};
  }

  Json extents(const char* name, const std::vector<int64_t>& sizes) const {
    Json made = {{"name_", name}};
    for (size_t d = 0; d < sizes.size(); ++d) made[label(d) + "_"] = sizes[d];
    return made;
  }
  // Steady state and epilogue: the first and the last slice of every dim.
  Json stage(bool last) const {
    std::vector<int64_t> sizes(total_.size(), 0);
    for (const auto& [core, box] : work_)
      for (size_t d = 0; d < sizes.size(); ++d)
        if (box.begin[d] == (last ? *begins_[d].rbegin() : *begins_[d].begin())) sizes[d] = box.end[d] - box.begin[d];
    return extents("core", sizes);
  }

  Json mask_constant() const {
    const std::string value = fmt::format("neutral({})", name(kernel_.reduction->reduction));
    return {{"0", {{"name_", "samv-maskvalue"}, {"data_", value}}}};
  }

  // An allocation in device memory, if the launch copies the tensor, and one in scratch memory.
  bool add_allocations(Json& tree, size_t number) const {
    const Tensor& tensor = tensors_[number];
    std::map<int, int64_t> device, scratch;
    const auto lower = [](std::map<int, int64_t>& addresses, int core, int64_t address) {
      int64_t& mine = addresses.try_emplace(core, address).first->second;
      mine = std::min(mine, address);
    };
    for (const Stream& stream : launch_.streams)
      for (const Instruction& instruction : stream.instructions) {
        if (instruction.opcode == Opcode::copy) {
          const Descriptor& copy = launch_.descriptors[instruction.descriptor];
          const Address& side = tensor.node >= 0 ? copy.source : copy.target;
          if (side.space == Space::device && side.buffer == tensor.buffer)
            lower(device, stream.core, base(tensor.buffer) + side.offset);
        } else if (instruction.opcode == Opcode::compute) {
          for (const OperandAddress& operand : launch_.computes[instruction.compute].operands)
            if (operand.node == tensor.node && operand.store == tensor.store) lower(scratch, stream.core, operand.base);
        }
      }
    if (!device.empty()) tree.push_back(allocation(number, "hbm", device));
    tree.push_back(allocation(number, "lx", scratch));
    return !device.empty();
  }

  int64_t base(int buffer) const {
    for (const Allocation& place : program_.allocations)
      if (place.buffer == buffer) return (static_cast<int64_t>(place.segment) << kSegmentShift) + place.offset;
    return 0;
  }

  Json allocation(size_t number, const std::string& memory, const std::map<int, int64_t>& addresses) const {
    const Tensor& tensor = tensors_[number];
    Json data = Json::object();
    for (const auto& [core, address] : addresses) data[fmt::format("[{}, 0, 0]", core)] = std::to_string(address);
    Json node = {
        {"nodeType_", "allocate"},
        {"name_", fmt::format("allocate-Tensor{}_{}", number, memory)},
        {"prev_", ""},
        {"ldsIdx_", number},
        {"component_", memory},
        {"layoutDimOrder_", tensor.order},
        {"maxDimSizes_", std::vector<int>(tensor.order.size(), -1)},
        {"startAddressCoreCorelet_",
         {{"dim_prop_func", {{{"Map", Json::object()}}, {{"Const", Json::object()}}, {{"Const", Json::object()}}}},
          {"dim_prop_attr", {fold("core", work_.size()), fold("corelet", 1), fold("time", 1)}},
          {"data_", data}}}};
    if (memory == "hbm") add_back_gaps(node, tensor);
    return node;
  }

  // Elements of a dim that the tensor holds behind what the launch runs over.
  void add_back_gaps(Json& node, const Tensor& tensor) const {
    for (int h = 0; h < std::ssize(tensor.access.coordinates); ++h) {
      const int dim = dim_of(tensor.access, h);
      if (dim < 0) continue;
      const int64_t gap = held_extent(program_.layouts[tensor.buffer], h) - total_[dim];
      if (gap > 0) node["backGapCore_"][label(static_cast<size_t>(dim))] = {{"-1", std::to_string(gap)}};
    }
  }

  TensorNames tensor_names() const {
    TensorNames names;
    for (size_t t = 0; t < tensors_.size(); ++t) {
      const std::string name = fmt::format("Tensor{}-idx{}", t, t);
      (tensors_[t].node >= 0 ? names.loads[tensors_[t].node] : names.stores[tensors_[t].store]) = name;
    }
    return names;
  }

  const MachineProgram& program_;
  const Launch& launch_;
  const Kernel& kernel_;
  std::map<int, Box> work_;                // by core
  std::vector<std::set<int64_t>> begins_;  // of the slices, by dim
  std::vector<int64_t> total_;             // extents over all cores
  std::vector<Tensor> tensors_;
};

}  // namespace

Json superdsc(const MachineProgram& program) {
  Json made = Json::array();
  for (const Launch& launch : program.launches) made.push_back(Descriptors(program, launch).take());
  return made;
}

}  // namespace faultline::spyre
