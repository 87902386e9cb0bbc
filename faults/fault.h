// A fault row: an immutable description of one way to break a layer. Where it strikes, when and how often is the
// instance's affair (FaultSpec); what it does is one of three hooks:
//
//   ArtefactHook     layers 1 to 6: lists an artefact's sites that qualify, and rewrites the artefact at one of them
//   TransferHook     layer 7: says whether a device request qualifies, and what the device does instead
//   ArithmeticHook   layer 8: wraps the number hardware
//
// `applies` is total: safe to ask of any artefact. `apply` is a pure function of artefact, site and spec.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/table.h"
#include "runtime/core/fault_spec.h"
#include "runtime/core/gate.h"

namespace faultline {

// A place in an artefact. `path` is what a spec's glob is matched with:
// "<operation>:<n>/<operand>/<core>.<tile>.<channel>", parts that mean nothing to a row left out. `at` is the row's own
// way back to the place.
struct FaultSite {
  std::string path;
  std::vector<int64_t> at;
};

struct ArtefactHook {
  std::vector<FaultSite> (*applies)(const void* artefact) = nullptr;
  void (*apply)(void* artefact, const FaultSite& site, const FaultSpec& spec) = nullptr;
};

// Makes an ArtefactHook of two functions on the layer's own artefact type:
//   static std::vector<FaultSite> applies(const TileProgram&);
//   static void apply(TileProgram&, const FaultSite&, const FaultSpec&);
template <auto Applies, auto Apply>
struct RewriteOf;
template <class A, std::vector<FaultSite> (*Applies)(const A&), void (*Apply)(A&, const FaultSite&, const FaultSpec&)>
struct RewriteOf<Applies, Apply> {
  static constexpr ArtefactHook hook = {[](const void* artefact) { return Applies(*static_cast<const A*>(artefact)); },
                                        [](void* artefact, const FaultSite& site, const FaultSpec& spec) {
                                          Apply(*static_cast<A*>(artefact), site, spec);
                                        }};
};
template <auto Applies, auto Apply>
inline constexpr ArtefactHook rewrite = RewriteOf<Applies, Apply>::hook;

struct TransferHook {
  bool (*applies)(const TransferSite& site) = nullptr;
  TransferAnswer (*answer)(const TransferSite& site, const FaultSpec& spec) = nullptr;
};

// Counts how often a wrapped arithmetic gave another value than the one it wraps.
class FiringCounter {
 public:
  void count() const { ++fired_; }
  int64_t fired() const { return fired_; }

 private:
  mutable int64_t fired_ = 0;
};
struct ArithmeticHook {
  // `base` and `counter` outlive the result.
  std::unique_ptr<Arithmetic> (*wrap)(const Arithmetic& base, const FaultSpec& spec,
                                      const FiringCounter& counter) = nullptr;
};

// A number of the spec that a row reads, and what it may be.
struct EffectSetting {
  std::string_view name;
  std::optional<int64_t> FaultSpec::* value = nullptr;
  int64_t least = 0, most = 0;
};

enum class Expect : uint8_t { detect, tolerate, benign };

struct Fault {
  std::string_view id;         // "schedule.piece_floor"
  std::string_view summary;    // what is changed, in one line
  std::string_view mechanism;  // a kind of the taxonomy: "schedule.trip"
  std::string_view origin;     // URL of the public report or document that shows it, or "constructed: <reason>"
  std::string_view targets;    // "spyre", or "any"
  Expect expect = Expect::detect;
  std::variant<ArtefactHook, TransferHook, ArithmeticHook> hook;
  std::string_view example;                         // program text (with calls where needed) on which it must fire
  std::span<const EffectSetting> effects = {};      // settings of its own, beside those of its kind of hook
  std::span<const std::string_view> triggers = {};  // triggers that it counts itself, where its kind of hook has none
};

#define FAULT(layer, name) extern const Fault fault_##layer##_##name;
#include "faults/faults.def"
#undef FAULT
extern const Table<Fault> faults;

Layer layer_of(const Fault& fault);
// Names of all settings that a fault takes, in the order in which they are printed.
std::vector<std::string> settings_of(const Fault& fault);
std::string_view name(Expect expect);

}  // namespace faultline
