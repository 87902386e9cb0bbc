// Planting: asks the rows, matches sites, evaluates triggers, keeps the ledger. An alternative of a chain is asked only
// while those before it have not fired.
#include "faults/fault_gate.h"

#include <fmt/format.h>

#include "runtime/numerics/arithmetic.h"

namespace faultline {

struct FaultGate::Instance {
  explicit Instance(const FaultSpec& s) : spec(s), fault(&faults.at(s.id, "fault")), trigger(spec) {}
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

void check_faults(const std::vector<FaultChain>& chains) {
  for (const FaultChain& chain : chains)
    for (const FaultSpec& spec : chain) faults.at(spec.id, "fault");
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

static bool matches(const FaultSpec& spec, std::string_view path) {
  return glob_match(spec.site, path) && (spec.when.empty() || glob_match("*" + spec.when + "*", path));
}

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
