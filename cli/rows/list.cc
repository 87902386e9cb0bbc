// faultline list: the tables, as text or as JSON. What is printed is read from the rows; nothing is repeated here.
#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "checkers/checker.h"
#include "cli/command.h"
#include "faults/fault.h"
#include "reports/columns.h"
#include "reports/json.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/layers/decompose/core_aten.h"
#include "runtime/layers/decompose/op.h"
#include "runtime/targets/target.h"
#include "taxonomy/mechanism.h"

namespace faultline {

namespace {

using Json = nlohmann::ordered_json;

Json target_rows() {
  Json list = Json::array();
  for (const Target* target : targets.rows) {
    Json options = Json::array(), parameters = Json::array();
    for (const TargetOption& option : target->options)
      options.push_back({{"id", option.id}, {"values", option.values}, {"summary", option.summary}});
    for (const TargetParameter& parameter : target->parameters)
      parameters.push_back({{"id", parameter.id},
                            {"value", parameter.value},
                            {"unit", parameter.unit},
                            {"provenance", std::string(1, parameter.provenance)},
                            {"source", parameter.source}});
    list.push_back(
        {{"id", target->id}, {"summary", target->summary}, {"options", options}, {"parameters", parameters}});
  }
  return list;
}

Json compiler_row(const Backend& backend) {
  Json versions = Json::array(), options = Json::array(), rungs = Json::array();
  for (const BackendVersion& version : backend.versions) versions.push_back(version.id);
  for (const BackendOption& option : backend.options)
    options.push_back({{"id", option.id}, {"values", option.values}, {"summary", option.summary}});
  for (const BackendRung& rung : backend.rungs)
    rungs.push_back({{"id", rung.id}, {"layer", name(rung.layer)}, {"summary", rung.summary}});
  const std::string unavailable = place_of({&backend, &backend.versions.front()}).unavailable;
  return {{"id", backend.id},
          {"kind", "compiler"},
          {"available", unavailable.empty()},
          {"summary", unavailable.empty() ? std::string(backend.summary) : "unavailable: " + unavailable},
          {"versions", versions},
          {"options", options},
          {"rungs", rungs}};
}

Json layer_table() {
  Json list = Json::array();
  for (const LayerRow& row : layer_rows())
    list.push_back({{"id", row.id},
                    {"number", number(row.layer)},
                    {"summary", row.long_name},
                    {"artefact", row.artefact},
                    {"aliases", row.aliases}});
  return list;
}

Json mechanism_rows() {
  Json list = Json::array();
  for (const Mechanism& row : mechanisms())
    list.push_back({{"id", row.id},
                    {"layer", name(row.layer)},
                    {"family", row.family},
                    {"symptoms", row.symptoms},
                    {"summary", row.summary}});
  return list;
}

Json fault_rows() {
  Json list = Json::array();
  for (const Fault* fault : faults.rows)
    list.push_back({{"id", fault->id},
                    {"layer", name(layer_of(*fault))},
                    {"mechanism", fault->mechanism},
                    {"expect", name(fault->expect)},
                    {"targets", fault->targets},
                    {"settings", settings_of(*fault)},
                    {"summary", fault->summary},
                    {"origin", fault->origin},
                    {"example", fault->example}});
  return list;
}

Json checker_rows() {
  Json list = Json::array();
  for (const Checker* checker : checkers.rows)
    list.push_back(
        {{"id", checker->id}, {"cost", checker->cost}, {"summary", checker->summary}, {"needs", checker->needs}});
  return list;
}

// "add.Tensor", and "clone" for "aten.clone.default".
std::string short_name(std::string_view target) {
  std::string name(target.substr(target.find('.') + 1));
  if (name.ends_with(".default")) name.resize(name.size() - std::string_view(".default").size());
  return name;
}

// The rows of the op table, each with the operators of Core ATen that it takes, then those that have no row.
Json op_rows() {
  const std::vector<CoreOp> core = core_ops();
  Json list = Json::array();
  for (const OpRow* op : ops.rows) {
    Json synonyms = Json::array(), targets = Json::array();
    for (const std::string_view synonym : op->synonyms) synonyms.push_back(synonym);
    for (const CoreOp& member : core)
      if (member.row == op) targets.push_back(member.target);
    list.push_back({{"id", op->id},
                    {"layer", name(Layer::decompose)},
                    {"route", name(CoreRoute::decompose)},
                    {"family", name(op->family)},
                    {"core", targets},
                    {"summary", op->summary},
                    {"synonyms", synonyms}});
  }
  for (const CoreRoute route : {CoreRoute::capture, CoreRoute::refused, CoreRoute::missing})
    for (const CoreOp& member : core)
      if (member.route == route)
        list.push_back({{"id", short_name(member.target)},
                        {"layer", name(route == CoreRoute::capture ? Layer::capture : Layer::decompose)},
                        {"route", name(route)},
                        {"family", ""},
                        {"core", Json::array({member.target})},
                        {"summary", route == CoreRoute::missing ? "no decomposition" : member.note},
                        {"synonyms", Json::array()}});
  return list;
}

// What a person reads: core operators marked, and those named that stand in another's row.
void mark_core(Json& row) {
  std::string others;
  for (const Json& target : row["core"]) {
    const std::string full = target.get<std::string>();
    const std::string packet = full.substr(5, full.rfind('.') - 5), own = row["id"].get<std::string>();
    if (own != packet && !own.starts_with(packet + ".") && others.find(packet) == std::string::npos)
      others += (others.empty() ? "" : ", ") + packet;
  }
  if (!others.empty()) row["summary"] = row["summary"].get<std::string>() + "; also " + others;
  row["core"] = row["core"].empty() ? "" : "core";
}

std::string core_line() {
  const CoreShare share = core_share(core_ops());
  const auto part = [](int some, int all) { return fmt::format("{} of {} ({:.1f} %)", some, all, 100.0 * some / all); };
  return fmt::format("Core ATen of {}: {} operators and {} overloads are supported\n", kCoreAtenVersion,
                     part(share.packets_supported, share.packets), part(share.overloads_supported, share.overloads));
}

// The only list that has to ask torch.
Json backend_rows() {
  const EagerStatus eager = eager_status();
  Json list = Json::array();
  list.push_back({{"id", "eager"},
                  {"kind", "reference"},
                  {"available", eager.available},
                  {"summary", eager.available ? fmt::format("PyTorch {} ({})", eager.version, eager.cpu_capability)
                                              : "unavailable: " + eager.why_not}});
  for (const Target* target : targets.rows)
    list.push_back({{"id", target->id}, {"kind", "modelled"}, {"available", true}, {"summary", target->summary}});
  for (const Backend* backend : external_backends.rows) list.push_back(compiler_row(*backend));
  return list;
}

struct Kind {
  std::string_view id, summary;
  Json (*rows)();
  std::array<std::string_view, 5> shown;  // keys of the columns in text, the last one the longest; empty: none
  void (*adapt)(Json& row) = nullptr;     // before it is shown as text
  std::string (*last_line)() = nullptr;
};
constexpr std::array<Kind, 7> kKinds = {{
    {"targets", "modelled accelerators, their switches and figures", target_rows, {"id", "summary"}},
    {"layers", "the eight layers and what each leaves", layer_table, {"number", "id", "summary", "artefact"}},
    {"mechanisms", "kinds of faults that a diagnosis can name", mechanism_rows, {"id", "family", "summary"}},
    {"faults", "faults that can be planted", fault_rows, {"id", "mechanism", "expect", "summary"}},
    {"checkers", "what is looked at after a run", checker_rows, {"id", "cost", "summary"}},
    {"ops",
     "ATen operators, what becomes of each, and the share of Core ATen",
     op_rows,
     {"route", "family", "id", "core", "summary"},
     mark_core,
     core_line},
    {"backends", "what can run a program, and whether it can here", backend_rows, {"id", "kind", "summary"}},
}};

const Kind& kind_named(const std::string& id) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (kind.id == id) return kind;
    names.emplace_back(kind.id);
  }
  throw UserError(fmt::format("unknown list '{}'{}; 'faultline list' names them", id, did_you_mean(id, names)));
}

std::string cell(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// A target's switches stand under it: they are what --option takes.
std::string options_text(const Json& row, int columns) {
  std::vector<TextRow> rows;
  for (const Json& option : row["options"])
    rows.push_back({cell(option["id"]), cell(option["values"]), cell(option["summary"])});
  return table_text(rows, 4, columns);
}

std::string text_of(const Kind& kind, const Json& list, int columns) {
  std::vector<TextRow> rows;
  std::string text;
  for (Json row : list) {
    if (kind.adapt != nullptr) kind.adapt(row);
    TextRow cells;
    for (const std::string_view key : kind.shown)
      if (!key.empty()) cells.push_back(cell(row[std::string(key)]));
    rows.push_back(std::move(cells));
    if (!row.contains("options")) continue;
    text += table_text(rows, 0, columns) + options_text(row, columns);
    rows.clear();
  }
  text += table_text(rows, 0, columns);
  return kind.last_line == nullptr ? text : text + kind.last_line();
}

std::string kinds_text(int columns) {
  std::vector<TextRow> rows;
  for (const Kind& kind : kKinds) rows.push_back({std::string(kind.id), std::string(kind.summary)});
  return table_text(rows, 0, columns);
}

std::function<int(Console&)> declare(CLI::App& app) {
  struct Arguments {
    std::string kind;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("WHAT", arguments->kind, "targets, layers, mechanisms, faults, checkers, ops or backends")
      ->type_name("");
  app.add_flag("--json", arguments->json, "print an array of rows with all their columns");
  return [arguments](Console& console) {
    const int columns = console.style.terminal ? console.style.report.columns : 0;
    if (arguments->kind.empty() && arguments->json) throw UserError("list: --json wants to know which list");
    if (arguments->kind.empty()) {
      console.out << kinds_text(columns);
      return 0;
    }
    const Kind& kind = kind_named(arguments->kind);
    const Json rows = kind.rows();
    console.out << (arguments->json ? json_line(rows) + "\n" : text_of(kind, rows, columns));
    return 0;
  };
}

}  // namespace

extern const Command command_list;
constinit const Command command_list{
    .id = "list",
    .summary = "the tables: targets, layers, mechanisms, faults, checkers, ops, backends",
    .examples =
        "./faultline list faults\n"
        "./faultline list targets\n"
        "./faultline list ops --json\n"
        "./faultline list backends",
    .declare = declare,
};

}  // namespace faultline
