// The entry's guards alone must determine the trace. So a state is built from nothing but the guards, the program is
// traced again from the entry's position in that state, and the result must be this entry: a fact that is not guarded
// is either missing from the state (the trace asks for a name that nobody vouches for) or gives another segment.
#include "runtime/layers/capture/verify_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/layers/capture/position.h"

namespace faultline {

namespace {

// Guards of one entry, taken as the description of a state. Storages get identities by union of `same_storage`.
FrameState state_of_guards(const CaptureEntry& entry) {
  FrameState state;
  static const char kIdentities[4096] = {};
  std::map<std::string, size_t> storage;
  for (const Guard& guard : entry.guards) {
    if (guard.kind == Guard::Kind::tensor_type) {
      const size_t identity = storage.emplace(guard.name, storage.size()).first->second;
      state.tensors[guard.name] = {guard.type, &kIdentities[identity % sizeof kIdentities]};
    } else if (guard.kind == Guard::Kind::scalar_value) {
      state.scalars[guard.name] = guard.value;
    }
  }
  for (const Guard& guard : entry.guards) {
    if (guard.kind != Guard::Kind::same_storage) continue;
    const auto a = state.tensors.find(guard.name), b = state.tensors.find(guard.other);
    if (a != state.tensors.end() && b != state.tensors.end()) a->second.storage = b->second.storage;
  }
  return state;
}

void add(std::vector<Finding>& findings, const CaptureEntry& entry, std::string_view promise, std::string text) {
  findings.push_back({"capture", std::string(promise),
                      fmt::format("segment {} at {}", entry.segment.name, to_text(entry.position)), std::move(text)});
}

// What the segment and the exit show to have been used, without tracing: inputs, their types, and pairs of storages.
void check_inputs(const CaptureEntry& entry, std::vector<Finding>& findings) {
  const auto guarded = [&](auto&& test) { return std::any_of(entry.guards.begin(), entry.guards.end(), test); };
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const std::string& name = entry.inputs[i];
    const TensorType& type = entry.segment.inputs[i].type;
    if (!guarded(
            [&](const Guard& g) { return g.kind == Guard::Kind::tensor_type && g.name == name && g.type == type; }))
      add(findings, entry, "guard", fmt::format("the trace assumes {}: {}, and no guard says so", name, to_text(type)));
    for (size_t j = 0; j < i; ++j) {
      const bool pair = guarded([&](const Guard& g) {
        return g.kind >= Guard::Kind::same_storage && g.name == name && g.other == entry.inputs[j];
      });
      if (!pair)
        add(findings, entry, "guard",
            fmt::format("the trace assumes how {} and {} share storage, and no guard says so", name, entry.inputs[j]));
    }
  }
}

// Names that follow from `name` as the program reads: attributes under the names they are read by, scalars made of
// them.
void add_derived(const std::vector<Statement>& block, std::set<std::string>& names, bool& decides) {
  for (const Statement& statement : block) {
    if (const auto* read = std::get_if<ReadAttribute>(&statement.value)) {
      if (names.contains("self." + read->attribute)) names.insert(read->result);
    } else if (const auto* made = std::get_if<ScalarStatement>(&statement.value)) {
      for (const Argument& operand : made->operands)
        if (const auto* name = std::get_if<ValueName>(&operand.value); name != nullptr && names.contains(name->text))
          names.insert(made->result);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      decides = decides || names.contains(branch->condition);
      add_derived(branch->then_branch, names, decides);
      add_derived(branch->else_branch, names, decides);
    }
  }
}

// What was frozen where no guard speaks of `name`: the arm of a branch, the value of an attribute, or another fact.
void add_unguarded(const Program& program, const CaptureEntry& entry, const std::string& name,
                   std::vector<Finding>& findings) {
  std::set<std::string> names = {name};
  bool decides = false;
  add_derived(program.body, names, decides);
  const bool attribute = name.starts_with("self.");
  add(findings, entry,
      decides     ? "branch"
      : attribute ? "attribute"
                  : "guard",
      fmt::format("the program reads {} here{}, and no guard of the entry speaks of it", name,
                  decides ? " to choose a branch" : ""));
}

// The same values under each other's names.
bool are_exchanged(const std::vector<SegmentOutput>& mine, const std::vector<SegmentOutput>& due) {
  const auto sorted = [](const std::vector<SegmentOutput>& outputs, auto of) {
    std::vector<std::decay_t<decltype(of(outputs[0]))>> list;
    for (const SegmentOutput& output : outputs) list.push_back(of(output));
    std::sort(list.begin(), list.end());
    return list;
  };
  const auto name_of = [](const SegmentOutput& output) { return output.name; };
  const auto value_of = [](const SegmentOutput& output) { return output.value; };
  return sorted(mine, name_of) == sorted(due, name_of) && sorted(mine, value_of) == sorted(due, value_of);
}

bool updates_lost(const CaptureEntry& entry, const CaptureEntry& again) {
  return std::any_of(again.scalars.begin(), again.scalars.end(), [&](const auto& made) {
    return made.first.starts_with("self.") && !entry.scalars.contains(made.first);
  });
}

void compare(const CaptureEntry& entry, const CaptureEntry& again, std::vector<Finding>& findings) {
  if (entry.exit.breaks != again.exit.breaks || entry.exit.resume != again.exit.resume) {
    add(findings, entry, "break",
        fmt::format("the trace {} where the program {}", entry.exit.breaks ? "breaks" : "returns",
                    again.exit.breaks ? "reads a scalar" : "does not"));
  } else if (!(entry.exit == again.exit)) {
    add(findings, entry, "resume", "the resume code binds other names than the program's statement");
  }
  if (!(entry.segment.calls == again.segment.calls))
    add(findings, entry, "trace", "the segment's calls are not the program's statements under the guarded facts");
  if (entry.inputs != again.inputs) add(findings, entry, "inputs", "the segment reads other values than the program");
  if (!(entry.segment.outputs == again.segment.outputs)) {
    if (are_exchanged(entry.segment.outputs, again.segment.outputs))
      add(findings, entry, "resume", "values leave the segment under each other's names");
    else
      add(findings, entry, "outputs", "the segment's outputs are not what the rest of the program and its state need");
  }
  if (entry.scalars != again.scalars) {
    if (updates_lost(entry, again))
      add(findings, entry, "outputs", "the new value of an attribute is not stored");
    else
      add(findings, entry, "scalars", "scalars that the trace leaves are not the program's");
  }
}

}  // namespace

std::vector<Finding> verify_capture(const Program& program, const Capture& capture) {
  std::vector<Finding> findings;
  for (const CaptureEntry& entry : capture.entries) {
    const size_t before = findings.size();
    check_inputs(entry, findings);
    try {
      compare(entry, trace(program, entry.position, state_of_guards(entry), entry.segment.name), findings);
    } catch (const std::out_of_range& missing) {
      if (findings.size() == before) add_unguarded(program, entry, missing.what(), findings);
    }
  }
  return findings;
}

}  // namespace faultline
