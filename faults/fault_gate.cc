// Planting: asks the rows, matches sites, evaluates triggers, keeps the ledger. An alternative of a chain is asked only
// while those before it have not fired.
#include "faults/fault_gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/numerics/arithmetic.h"

namespace faultline {

static std::string no_fault(const std::string& id) {
  std::string lower = id;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::vector<std::string> ways;
  for (const Fault* fault : faults.rows)
    if (fault->mechanism == lower) ways.emplace_back(fault->id);
  if (!ways.empty()) return fmt::format("'{}' is a mechanism, no fault; its faults: {}", id, fmt::join(ways, ", "));
  const std::string meant = did_you_mean(lower, faults.ids());
  return fmt::format("unknown fault '{}'{}", id, meant.empty() ? "; 'faultline list faults' names them" : meant);
}

static const Fault& fault_named(const std::string& id) {
  if (const Fault* fault = faults.find(id)) return *fault;
  throw UserError(no_fault(id));
}

struct FaultGate::Instance {
  explicit Instance(const FaultSpec& s) : spec(s), fault(&fault_named(s.id)), trigger(spec) {}
  FaultSpec spec;
  const Fault* fault;
  Trigger trigger;
  FiringCounter arithmetic;
  std::vector<std::string> sites;

  int64_t fired() const { return trigger.fired() + arithmetic.fired(); }
  void note(const std::string& site) {
    if (sites.size() < 8) sites.push_back(site);
  }
};

static void check_settings(const Fault& fault, const FaultSpec& spec) {
  const std::vector<std::string> taken = settings_of(fault);
  for (const std::string& given : given_settings(spec))
    if (std::find(taken.begin(), taken.end(), given) == taken.end())
      throw UserError(fmt::format("fault {} takes no setting '{}'{}; it takes {}", fault.id, given,
                                  did_you_mean(given, taken), fmt::join(taken, ", ")));
  for (const EffectSetting& effect : fault.effects) {
    const std::optional<int64_t>& value = spec.*effect.value;
    if (value && (*value < effect.least || *value > effect.most))
      throw UserError(fmt::format("fault {}: {}= wants a whole number from {} to {}, found {}", fault.id, effect.name,
                                  effect.least, effect.most, *value));
  }
  if (spec.seed != 0 && !spec.p && !spec.arm)
    throw UserError(fmt::format("fault {}: seed= is of the draws of p= and arm=, and neither is given", fault.id));
}

void check_faults(const std::vector<FaultChain>& chains) {
  for (const FaultChain& chain : chains) {
    for (const FaultSpec& spec : chain) {
      const Fault& fault = fault_named(spec.id);
      check_settings(fault, spec);
      if (!std::holds_alternative<ArithmeticHook>(fault.hook)) continue;
      // The number hardware is one for the whole run: where it is broken is not a place, and when it strikes shows only
      // after everything above has been asked.
      if (spec.site != "*")
        throw UserError(
            fmt::format("fault {0} takes no site, it strikes wherever the device computes: {0}(*), found "
                        "'{1}'",
                        fault.id, spec.site));
      if (chain.size() > 1) throw UserError(fmt::format("fault {} cannot be an alternative of '->'", fault.id));
    }
  }
}

FaultGate::FaultGate(std::vector<FaultChain> chains) {
  for (const FaultChain& chain : chains) {
    chains_.emplace_back();
    for (const FaultSpec& spec : chain) chains_.back().push_back(&instances_.emplace_back(spec));
  }
}

FaultGate::~FaultGate() = default;

template <class Hook>
static const Hook* hook_of(const Fault& fault, Layer layer) {
  return layer_of(fault) == layer ? std::get_if<Hook>(&fault.hook) : nullptr;
}

static bool matches(const FaultSpec& spec, std::string_view path) { return glob_match(spec.site, path); }

void FaultGate::artefact(Layer layer, std::string_view graph, void* artefact) {
  for (std::vector<Instance*>& chain : chains_) {
    for (Instance* instance : chain) {
      const auto* hook = hook_of<ArtefactHook>(*instance->fault, layer);
      if (hook != nullptr) {
        std::vector<FaultSite> firing;
        for (const FaultSite& site : hook->applies(artefact)) {
          const std::string path = fmt::format("compile/{}/{}", graph, site.path);
          if (!matches(instance->spec, path) || !instance->trigger.fires(path)) continue;
          firing.push_back(site);
          instance->note(path);
        }
        // Last site first, so that a row may remove what it strikes without moving the sites before it.
        for (size_t i = firing.size(); i-- > 0;) hook->apply(artefact, firing[i], instance->spec);
      }
      if (instance->fired() > 0) break;
    }
  }
}

static std::string path_of(const TransferSite& site) {
  constexpr std::string_view kKinds[] = {"h2d", "d2h", "descriptor", "launch", "patch", "completion", "signal"};
  return fmt::format("run/{}/{}:{}/{}/{}.{}.{}", site.call, site.kernel.empty() ? "host" : site.kernel, site.index,
                     site.buffer.empty() ? "-" : site.buffer, site.core, kKinds[static_cast<int>(site.kind)],
                     site.channel);
}

TransferAnswer FaultGate::transfer(const TransferSite& site) {
  for (std::vector<Instance*>& chain : chains_) {
    for (Instance* instance : chain) {
      const auto* hook = hook_of<TransferHook>(*instance->fault, Layer::transfer);
      if (hook != nullptr && hook->applies(site)) {
        const std::string path = path_of(site);
        if (matches(instance->spec, path) && instance->trigger.fires(path, site.bytes)) {
          instance->note(path);
          return hook->answer(site, instance->spec);
        }
      }
      if (instance->fired() > 0) break;
    }
  }
  return {};
}

const Arithmetic& FaultGate::arithmetic(const Arithmetic& base) {
  const auto known = wrapped_.find(&base);
  if (known != wrapped_.end()) return *known->second;
  const Arithmetic* current = &base;
  for (std::vector<Instance*>& chain : chains_) {
    for (Instance* instance : chain) {
      const auto* hook = hook_of<ArithmeticHook>(*instance->fault, Layer::numerics);
      if (hook == nullptr || !instance->trigger.armed()) continue;
      owned_.push_back(hook->wrap(*current, instance->spec, instance->arithmetic));
      current = owned_.back().get();
    }
  }
  wrapped_[&base] = current;
  return *current;
}

std::vector<FaultGate::Entry> FaultGate::ledger() const {
  std::vector<Entry> entries;
  for (const Instance& instance : instances_)
    entries.push_back({instance.fault, instance.spec, instance.trigger.armed(),
                       instance.trigger.reached() + instance.arithmetic.fired(), instance.fired(), instance.sites});
  return entries;
}

}  // namespace faultline
