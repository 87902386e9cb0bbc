// What stands between a program and its run is said by name, where it is: a statement that eager refuses, a device that
// there is not, memory that there is not; and what a run leaves beside its verdict is whole.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "runtime/eager/eager.h"
#include "runtime/run/memory_need.h"
#include "runtime/ir/program_text.h"
#include "tests/command_line.h"

namespace faultline {
namespace {

class CliRefusals : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  }
};

TEST_F(CliRefusals, NameTheStatement) {
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"def f(x: f16[65]): a = aten.neg(x); y = aten.clon(a); return y",
       "eager PyTorch refuses f at statement 2, y = aten.clon.default(a): AttributeError: unknown op "
       "aten.clon.default, "
       "did you mean 'aten.clone.default'?"},
      {"def f(x: f32[3], y: f32[4]): z = aten.add.Tensor(x, y); return z",
       "eager PyTorch refuses f at statement 1, z = aten.add.Tensor(x, y): RuntimeError: "},
      {"def f(x: f32[3], b: bool): if b { y = aten.neg(x) } else { y = aten.mm(x, x) }; return y; call f(b = False)",
       "eager PyTorch refuses f at statement 3, y = aten.mm.default(x, x): RuntimeError: "},
  };
  for (const auto& [program, says] : programs) {
    const CommandResult result = faultline_command({"run", program});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(result.err.starts_with("faultline: " + says)) << result.err;
  }
}

TEST_F(CliRefusals, AProgramsTensorsLiveOnTheCpu) {
  const std::string start = "def f(x: f32[3]): y = aten._to_copy(x, device = ", end = "); return y";
  const CommandResult result = faultline_command({"run", start + "\"cuda\"" + end});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("device 'cuda': a program's tensors live on the CPU"), std::string::npos) << result.err;
  EXPECT_EQ(faultline_command({"run", start + "\"cpu\"" + end}).code, 0);
}

TEST_F(CliRefusals, MemoryIsAskedForBeforeTheRun) {
  const std::string program = "def f(x: f32[1000000,100000], n: f32[50]): y = aten.neg(x); return y";
  const double elements = 1e11 + 50;
  EXPECT_DOUBLE_EQ(memory_need(parse_program(program, "f")), 300 * elements);
  EXPECT_DOUBLE_EQ(memory_need(parse_program(program + "; call f(); call f(x: f32[5])", "f")), 300 * (elements + 55));
  const CommandResult result = faultline_command({"run", program});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.err.starts_with("faultline: f: needs about 27939.7 GiB of memory, ")) << result.err;
}

TEST_F(CliRefusals, ATraceIsWholeOrNotThere) {
  const std::string program = "def f(x: f16[5,67]): y = aten.neg(x); return y; call f(); call f()";
  const std::string folder = testing::TempDir() + "cli_refusals_trace", path = folder + "/trace.json";
  std::filesystem::create_directory(folder);
  const CommandResult plain = faultline_command({"run", program, "--json"});
  const CommandResult traced = faultline_command({"run", program, "--json", "--trace", path});
  EXPECT_EQ(traced.out, plain.out);  // being watched changes nothing
  std::ifstream file(path);
  const nlohmann::json trace = nlohmann::json::parse(file);
  int copies = 0;
  double last = 0;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["name"] == "H2D x") {
      ++copies;
      EXPECT_GT(event["ts"].get<double>() + 1, last);  // the second call's job stands behind the first
      last = event["ts"].get<double>() + event["dur"].get<double>();
    }
  }
  EXPECT_EQ(copies, 2);
  const CommandResult refused = faultline_command({"ladder", program, "--trace", folder});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err, "faultline: --trace: " + folder + " cannot be written\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace faultline
