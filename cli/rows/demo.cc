// faultline demo: the worked example. Copying 65 16-bit floats on a machine that moves sticks of 64 lost the last one;
// three different layers can be to blame for that same wrong element, and each is planted and told apart here.
#include <array>
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/case_arguments.h"
#include "cli/run_report.h"
#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

namespace faultline {

namespace {

struct Culprit {
  std::string_view layer, fault;
};
constexpr std::array<Culprit, 3> kCulprits = {
    {{"schedule", "schedule.piece_floor(*)"}, {"tile", "tile.trip_floor(*)"}, {"layout", "layout.pad_floor(*)"}}};

std::string_view fault_at(const std::string& text) {
  const std::optional<Layer> layer = layer_from_name(text);
  std::vector<std::string> names;
  for (const Culprit& culprit : kCulprits) {
    if (layer && culprit.layer == name(*layer)) return culprit.fault;
    names.emplace_back(culprit.layer);
  }
  throw UserError(fmt::format("--at wants schedule, tile or layout, found '{}'{}", text, did_you_mean(text, names)));
}

int64_t size_from(const std::string& text) {
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size() || size < 1 || size > (int64_t{1} << 24))
    throw UserError(fmt::format("--size wants a number of elements from 1 to {}, found '{}'", 1 << 24, text));
  return size;
}

struct Arguments {
  std::string demo = "clone65", at = "schedule", size = "65", memory = "fresh";
  ReportArguments report;

  Case make() const {
    if (demo != "clone65") {
      const std::vector<std::string> names = {"clone65"};
      throw UserError(fmt::format("unknown demo '{}'{}", demo, did_you_mean(demo, names)));
    }
    Case made;
    const int64_t n = size_from(size);
    made.program = parse_program(fmt::format("def clone{0}(x: f16[{0}]): y = aten.clone(x); return y", n), "demo");
    made.faults = parse_faults(fault_at(at));
    made.memory = memory_named(memory);
    return made;
  }
};

std::function<int(Console&)> declare(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("DEMO", arguments->demo, "clone65: a copy that loses its last element")->required()->type_name("");
  app.add_option("--at", arguments->at, "the layer to break: schedule, tile or layout (schedule)")->type_name("LAYER");
  app.add_option("--size", arguments->size, "elements to copy (65)")->type_name("N");
  app.add_option("--memory", arguments->memory, "what device memory holds before: fresh (poison), zeroed, stale")
      ->type_name("STATE");
  arguments->report.declare(app);
  return [arguments](Console& console) {
    RunOptions options;
    options.ladder = true;
    return run_and_print(arguments->make(), options, arguments->report, console);
  };
}

}  // namespace

extern const Command command_demo;
constinit const Command command_demo{
    .id = "demo",
    .summary = "the worked example: a copy of 65 elements that loses the last one, at a layer you choose",
    .examples =
        "./faultline demo clone65\n"
        "./faultline demo clone65 --at tile --picture\n"
        "./faultline demo clone65 --at layout --memory zeroed\n"
        "./faultline demo clone65 --size 129 --json",
    .declare = declare,
};

}  // namespace faultline
