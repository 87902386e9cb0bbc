// .pt2 archives as torch.export.save writes them (schema major version 8: torch 2.8 and newer), read without
// libtorch.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/ir/program.h"

namespace faultline {

// The exported program: user inputs as parameters, weights, buffers and constants as attributes with their bytes.
// Both kinds of export are taken: straight from torch.export (TRAINING) and after run_decompositions() (ATEN). Sizes
// that are symbols have the number of the exporter's example. Outputs that are None or constants are not part of the
// Program.
//
// The file is untrusted: whatever it holds, the result is a Program that its own text form reads back, or UserError
// with one line "<file>: member '<m>' at ...: ...". Memory stays within a small multiple of the file's size.
Program read_pt2(const std::string& path);
Program read_pt2(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace faultline
