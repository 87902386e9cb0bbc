// The parts of verify_fuse: structure (verify_shape.cc), reads (verify_reads.cc), uses (verify_uses.cc). The later
// parts run only when the structure holds, so that they may index freely.
#pragma once

#include <string>
#include <vector>

#include "runtime/layers/fuse/fuse.h"

namespace faultline {

class FuseFindings {
 public:
  void add(std::string promise, std::string place, std::string text) {
    list_.push_back({"fuse", std::move(promise), std::move(place), std::move(text)});
  }
  size_t size() const { return list_.size(); }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  std::vector<Finding> list_;
};

// "kernel 3 k3_mm", "kernel 3 k3_mm, %2".
std::string kernel_place(const KernelProgram& program, size_t kernel, int node = -1);

// Numbers and lists that the other parts index by; true when all of them are in range.
bool check_program_shape(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings);
bool check_kernel_shape(const KernelProgram& program, size_t kernel, FuseFindings& findings);
void check_kernel_types(const KernelProgram& program, size_t kernel, FuseFindings& findings);
void check_kernel_reads(const KernelProgram& program, size_t kernel, FuseFindings& findings);
// Order, production, sizes; then operands and origins against the prim graph.
void check_buffers(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings);
void check_uses(const PrimGraph& graph, const KernelProgram& program, FuseFindings& findings);

// Equal numbers: equal values in every domain (equal prims on equal operands, literals folded).
std::vector<int> value_numbers(const PrimGraph& graph);

}  // namespace faultline
