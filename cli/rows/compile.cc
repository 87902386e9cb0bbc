// faultline compile: what one layer leaves of a program, as text.
#include <fmt/format.h>

#include "cli/case_arguments.h"
#include "cli/command.h"
#include "cli/emit_layer.h"
#include "reports/json.h"
#include "runtime/base/error.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

Layer layer_named(const std::string& text) {
  const std::optional<Layer> layer = layer_from_name(text);
  std::vector<std::string> names;
  for (const LayerRow& row : layer_rows()) names.emplace_back(row.id);
  if (!layer)
    throw UserError(fmt::format("unknown layer '{}'{}; 'faultline list layers'", text, did_you_mean(text, names)));
  return *layer;
}

void print(const std::vector<EmittedArtefact>& artefacts, Layer layer, bool json, Console& console) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const EmittedArtefact& artefact : artefacts) {
    list.push_back({{"segment", artefact.segment}, {"layer", name(layer)}, {"text", artefact.text}});
    if (!artefact.descriptors.empty()) list.back()["descriptors"] = nlohmann::ordered_json::parse(artefact.descriptors);
    if (json) continue;
    if (artefacts.size() > 1) console.out << (list.size() > 1 ? "\n" : "") << "# segment " << artefact.segment << "\n";
    console.out << artefact.text << (artefact.text.ends_with("\n") ? "" : "\n");
  }
  if (json) console.out << json_line(list) << "\n";
}

std::function<int(Console&)> declare(CLI::App& app) {
  struct Arguments {
    CaseArguments test_case;
    std::string layer;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  arguments->test_case.declare(app);
  app.add_option("--emit", arguments->layer, "the layer: capture, decompose, fuse, layout, tile, schedule, transfer")
      ->required()
      ->type_name("LAYER");
  app.add_flag("--json", arguments->json,
               "print an array of {segment, layer, text}; of schedule also the target's descriptors");
  return [arguments](Console& console) {
    const Layer layer = layer_named(arguments->layer);
    print(emit_layer(arguments->test_case.make(console.err), layer), layer, arguments->json, console);
    return 0;
  };
}

}  // namespace

extern const Command command_compile;
constinit const Command command_compile{
    .id = "compile",
    .summary = "print what a layer leaves: graph, kernels, layouts, tiles, machine program, job",
    .examples =
        "./faultline compile corpora/programs/clone65.fl --emit layout\n"
        "./faultline compile 'def f(x: f16[8,100]): y = aten.relu(x); return y' --emit schedule\n"
        "./faultline compile corpora/programs/clone65.fl --emit tile --fault 'tile.trip_floor(*)'\n"
        "./faultline compile corpora/programs/branch_on_sum.fl --emit capture --json",
    .declare = declare,
};

}  // namespace faultline
