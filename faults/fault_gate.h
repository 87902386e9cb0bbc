// The Gate's answerer for planted faults: fault chains against rows, triggers and a ledger. One object for one run of a
// case.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "faults/fault.h"
#include "faults/trigger.h"

namespace faultline {

// Throws UserError for an unknown id (with the nearest one), and for a setting, a value, a site or a chain that the
// fault does not take.
void check_faults(const std::vector<FaultChain>& chains);

class FaultGate final : public Gate {
 public:
  explicit FaultGate(std::vector<FaultChain> chains);
  ~FaultGate() override;

  void artefact(Layer layer, std::string_view graph, void* artefact) override;
  TransferAnswer transfer(const TransferSite& site) override;
  const Arithmetic& arithmetic(const Arithmetic& base) override;

  // One line of the ledger for every fault: armed, reached, fired.
  struct Entry {
    const Fault* fault = nullptr;
    FaultSpec spec;
    bool armed = false;
    int64_t reached = 0, fired = 0;
    std::vector<std::string> sites;  // where it fired, at most the first eight
  };
  std::vector<Entry> ledger() const;

 private:
  struct Instance;
  std::list<Instance> instances_;
  std::vector<std::vector<Instance*>> chains_;
  std::map<const Arithmetic*, const Arithmetic*> wrapped_;
  std::vector<std::unique_ptr<Arithmetic>> owned_;
};

}  // namespace faultline
