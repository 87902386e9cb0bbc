// The artefact of `layout`: the kernels of `fuse` with a device layout for every buffer, relayout kernels inserted
// where an access does not run along the sticks of its buffer, and the lane dim of every kernel.
//
// What `layout` promises and verify_layout checks (the word in brackets is Finding::promise):
//
//   [held]           every element of every buffer lies within the extents of its layout
//   [one_to_one]     and has exactly one position there
//   [element_bytes]  a position has the bytes in which the machine stores the dtype
//   [padded]         padded is what layouts and kernel say, and covers the kernel's extents
//   [masked]         valid is the kernel's extents
//   [aligned]        every access of a kernel that is no movement runs along the lanes or is one element for all
//   [relayout]       a relayout kernel moves elements and computes none
#pragma once

#include <string>
#include <string_view>

#include "runtime/layers/fuse/kernel.h"
#include "runtime/layers/layout/device_layout.h"

namespace faultline {

struct KernelLayout {
  // The iteration dim that runs along the lanes of a stick or vector; for a reduction over the stick dim a reduction
  // dim.
  int lane_dim = 0;
  // Iteration points along lane_dim that lie in one stick or vector: the unit in which lane_dim is divided. 1 when
  // every buffer holds one value a stick.
  int64_t lanes = 1;
  // How far each iteration dim runs in device memory (whole sticks along lane_dim); at least kernel.extents for a legal
  // layout. Points at or beyond `valid` are masked.
  std::vector<int64_t> padded;
  std::vector<int64_t> valid;
  bool relayout = false;  // inserted by this layer: moves elements between layouts (restickify), no arithmetic
  bool operator==(const KernelLayout&) const = default;
};

struct LayoutProgram {
  KernelProgram program;
  std::vector<DeviceLayout> layouts;  // by buffer
  std::vector<KernelLayout> kernels;  // by kernel
  bool operator==(const LayoutProgram&) const = default;
};

// `padded` of a kernel, from the layouts: a parallel dim runs as far as the stored buffers hold it, a reduction dim as
// far as the loaded buffers do that it runs over from end to end, or else to its extent.
std::vector<int64_t> padded_extents(const LayoutProgram& program, int kernel);

// What moves elements without a lane structure: relayouts and the movement kernels of fuse.
bool is_movement(const LayoutProgram& program, int kernel);

std::string to_text(const LayoutProgram& program);
// Throws UserError.
LayoutProgram parse_layout_program(std::string_view text);

}  // namespace faultline
