// Spyre's descriptors of a machine program: the 65-element clone by hand, other programs against counts made here from
// sizes and layouts.
#include <gtest/gtest.h>

#include "runtime/targets/spyre/superdsc.h"
#include "runtime/targets/target.h"
#include "tests/schedule_trial.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

Json descriptor(const MachineProgram& program, size_t launch) {
  const Json all = spyre::superdsc(program);
  EXPECT_EQ(all.size(), program.launches.size());
  EXPECT_EQ(all[launch].begin().key(), program.launches[launch].name);
  return all[launch].begin().value();
}
Json design_of(const Json& descriptor) { return descriptor["dscs_"][0].begin().value(); }
// The address of one allocation on one core.
std::string address(const Json& design, const std::string& name, int core) {
  for (const Json& node : design["scheduleTree_"])
    if (node["name_"] == name)
      return node["startAddressCoreCorelet_"]["data_"].value(fmt::format("[{}, 0, 0]", core), "none");
  return "no such allocation";
}

// 65 values of two bytes are two sticks of 64: a core each. x lies at byte 128 of segment 0, y behind its 256 bytes and
// a guard of 128; a core's second operand follows its first in scratch. 63 of the 128 places are masked.
TEST(SuperDsc, Clone65OnTwoCores) {
  const Scheduled made = scheduled(clone_sample(65), spyre::SpyreTilePolicy({2, false, false}));
  const auto allocation = [](int number, const char* memory, const char* core0, const char* core1) {
    return fmt::format(R"({{"nodeType_": "allocate", "name_": "allocate-Tensor{0}_{1}", "prev_": "", "ldsIdx_": {0},
      "component_": "{1}", "layoutDimOrder_": ["i0"], "maxDimSizes_": [-1],
      "startAddressCoreCorelet_": {{"dim_prop_func": [{{"Map": {{}}}}, {{"Const": {{}}}}, {{"Const": {{}}}}],
        "dim_prop_attr": [{{"factor_": 2, "label_": "core"}}, {{"factor_": 1, "label_": "corelet"}},
                          {{"factor_": 1, "label_": "time"}}],
        "data_": {{"[0, 0, 0]": "{2}", "[1, 0, 0]": "{3}"}}}}}})",
                       number, memory, core0, core1);
  };
  const std::string labeled = R"("wordLength": 2, "dataFormat_": "SEN169_FP16",
      "memOrg_": {"hbm": {"isPresent": 1}, "lx": {"isPresent": 1}}})";
  const std::string layout = R"({"layoutDimOrder_": ["i0"], "stickDimOrder_": ["i0"], "stickSize_": [64]})";
  const std::string want =
      R"([{"k0_clone": {"coreFoldProp_": {"factor_": 2, "label_": "core"},
    "coreletFoldProp_": {"factor_": 1, "label_": "corelet"}, "numCoresUsed_": 2, "coreIdToDsc_": {"0": 0, "1": 0},
    "numWkSlicesPerDim_": {"i0": 2}, "coreIdToWkSlice_": {"0": {"i0": 0}, "1": {"i0": 1}},
    "coreIdToDscSchedule": {"0": [[-1, 0, 0, 0]], "1": [[-1, 0, 0, 0]]},
    "dscs_": [{"identity": {"numCoresUsed_": 2, "numCoreletsUsed_": 1, "coreIdsUsed_": [0, 1],
      "N_": {"name_": "n", "i0_": 128}, "coordinateMasking_": {"i0": [[65, 63]]}, "maskingConstId_": -1,
      "dataStageParam_": {"0": {"ss_": {"name_": "core", "i0_": 64}, "el_": {"name_": "core", "i0_": 64}}},
      "primaryDsInfo_": {"INPUT": )" +
      layout + R"(, "OUTPUT": )" + layout + R"(}, "scheduleTree_": [)" + allocation(0, "hbm", "128", "256") + "," +
      allocation(0, "lx", "0", "0") + "," + allocation(1, "hbm", "512", "640") + "," +
      allocation(1, "lx", "128", "128") + R"(], "labeledDs_": [
        {"ldsIdx_": 0, "dsName_": "Tensor0", "dsType_": "INPUT", "scale_": [1], )" +
      labeled + R"(, {"ldsIdx_": 1, "dsName_": "Tensor1", "dsType_": "OUTPUT", "scale_": [1], )" + labeled + R"(],
      "constantInfo_": "{}",
      "computeOp_": [{"exUnit": "sfp", "opFuncName": "identity",
        "attributes_": {"dataFormat_": "SEN169_FP16", "fidelity_": "regular"}, "location": "Inner",
        "inputLabeledDs": ["Tensor0-idx0"], "outputLabeledDs": ["Tensor1-idx1"]}]}}]}}])";
  EXPECT_EQ(spyre::superdsc(made.machine).dump(1), Json::parse(want).dump(1));
}

// Slices of all cores make up the whole, and the cores are all their combinations.
void expect_whole(const Json& descriptor) {
  const Json design = design_of(descriptor);
  int64_t combinations = 1;
  for (const auto& [dim, slices] : descriptor["numWkSlicesPerDim_"].items()) {
    combinations *= slices.get<int64_t>();
    const int64_t steady = design["dataStageParam_"]["0"]["ss_"][dim + "_"],
                  last = design["dataStageParam_"]["0"]["el_"][dim + "_"];
    EXPECT_EQ((slices.get<int64_t>() - 1) * steady + last, design["N_"][dim + "_"].get<int64_t>()) << dim;
  }
  EXPECT_EQ(combinations, descriptor["numCoresUsed_"].get<int64_t>());
}

// out[3,65] = relu(a[3,256] @ b[256,65] + bias[65]) with K over four cores, a stick of K each.
TEST(SuperDsc, MatmulWithKOverFourCores) {
  Trial policy({4, false, false}, spyre::kLxUsableBytes);
  policy.splits = {1, 1, 4};
  const Scheduled made = scheduled(matmul_sample(3, 256, 65, false), policy);
  const Json all = descriptor(made.machine, 0), design = design_of(all);
  expect_whole(all);
  EXPECT_EQ(all["dscs_"][0].begin().key(), "batchmatmul");
  EXPECT_EQ(design["N_"], Json::parse(R"({"name_": "n", "i0_": 3, "i1_": 128, "r2_": 256})"));
  EXPECT_EQ(design["coordinateMasking_"], Json::parse(R"({"i1": [[65, 63]]})"));
  // a [256/64 sticks, 3, 64], b [65/64 sticks, 256, 64], bias [2 sticks, 64]; a dim that a tensor lacks has scale -1.
  EXPECT_EQ(design["primaryDsInfo_"]["INPUT"]["layoutDimOrder_"], Json({"r2", "i0", "i1"}));
  EXPECT_EQ(design["primaryDsInfo_"]["INPUT"]["stickDimOrder_"], Json({"r2"}));
  EXPECT_EQ(design["primaryDsInfo_"]["KERNEL"]["layoutDimOrder_"], Json({"i1", "r2", "i0"}));
  EXPECT_EQ(design["labeledDs_"][0]["scale_"], Json({1, 1, -1}));
  EXPECT_EQ(design["labeledDs_"][2]["scale_"], Json({1, -1, -1}));
  for (int core = 0; core < 4; ++core) {
    // A stick of K is 3 rows of a, and 64 rows of every stick of b.
    const auto& places = made.machine.allocations;
    EXPECT_EQ(address(design, "allocate-Tensor0_hbm", core), std::to_string(places[0].offset + core * 3 * 128));
    EXPECT_EQ(address(design, "allocate-Tensor1_hbm", core), std::to_string(places[1].offset + core * 64 * 128));
    EXPECT_EQ(address(design, "allocate-Tensor2_hbm", core), std::to_string(places[2].offset));
    EXPECT_EQ(address(design, "allocate-Tensor3_hbm", core), core < 3 ? "none" : std::to_string(places[3].offset));
  }
  std::vector<std::string> operations;
  for (const Json& operation : design["computeOp_"])
    operations.push_back(operation["exUnit"].get<std::string>() + " " + operation["opFuncName"].get<std::string>());
  EXPECT_EQ(operations, (std::vector<std::string>{"pt batchmatmul", "sfp add", "sfp maximum"}));
  EXPECT_EQ(design["computeOp_"][2]["inputLabeledDs"], Json({"%5", "0:f16"}));
}

// The maximum over sticks takes neutral(max) in the 63 places behind the 65th value, the sum over rows needs no mask;
// the row maximum is sparse, one value a stick; d stays in scratch.
TEST(SuperDsc, ReductionsAndResidency) {
  const Scheduled made = scheduled(reduction_sample(3, 65), spyre::SpyreTilePolicy({1, true, false}));
  const Json rows = descriptor(made.machine, 0), design = design_of(rows);
  expect_whole(rows);
  EXPECT_EQ(rows["dscs_"][0].begin().key(), "max");
  EXPECT_EQ(design["coordinateMasking_"], Json::parse(R"({"r1": [[65, 63]]})"));
  EXPECT_EQ(design["maskingConstId_"], 0);
  EXPECT_EQ(design["constantInfo_"]["0"]["data_"], "neutral(max)");
  EXPECT_EQ(design["labeledDs_"][1]["scale_"], Json({1, -2}));
  EXPECT_EQ(design["primaryDsInfo_"]["OUTPUT"]["stickDimOrder_"], Json::array());
  const Json columns = descriptor(made.machine, 4);
  EXPECT_EQ(columns["dscs_"][0].begin().key(), "sumnonstick");
  EXPECT_EQ(design_of(columns)["maskingConstId_"], -1);
  const int d = buffer_named(made.tiles.layout.program, "d");
  const Residency* residency = residency_of(made.tiles, d);
  ASSERT_NE(residency, nullptr);
  EXPECT_EQ(address(design_of(columns), "allocate-Tensor0_hbm", 0), "no such allocation");
  EXPECT_EQ(address(design_of(columns), "allocate-Tensor0_lx", 0), std::to_string(residency->address));
}

// The first 64 columns of 130: the tensor holds two sticks more than the launch runs over.
TEST(SuperDsc, BackGap) {
  const KernelProgram kernels = parse_kernel_program(R"(kernels head:
  input x: f16[4,130]
  output y: f16[4,64]
  takes x
  k0 pointwise (i0 < 4, i1 < 64):
    %0: f16 = load x[i0, i1]
    %1: f16 = neg(%0)
    y = %1
  return y
)");
  const Scheduled made = scheduled(kernels, spyre::SpyreTilePolicy({1, false, false}));
  const Json design = design_of(descriptor(made.machine, 0));
  EXPECT_EQ(design["scheduleTree_"][0]["backGapCore_"], Json::parse(R"({"i1": {"-1": "128"}})"));
  EXPECT_FALSE(design["scheduleTree_"][2].contains("backGapCore_"));
}

TEST(SuperDsc, EverySampleIsWhole) {
  for (const auto& [name, kernels] : named_samples()) {
    SCOPED_TRACE(name);
    const Scheduled made = scheduled(kernels, spyre::SpyreTilePolicy({32, true, false}));
    for (size_t launch = 0; launch < made.machine.launches.size(); ++launch)
      expect_whole(descriptor(made.machine, launch));
  }
}

TEST(SuperDsc, ReachedThroughTheTarget) {
  const Scheduled made = scheduled(clone_sample(65), spyre::SpyreTilePolicy({2, false, false}));
  const std::unique_ptr<TargetModel> model = make_target(target_spyre, {});
  EXPECT_EQ(Json::parse(model->descriptors(made.machine)), spyre::superdsc(made.machine));
}

}  // namespace
}  // namespace faultline
