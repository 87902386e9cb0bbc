// A file that is there whole or not at all: written beside its place, then renamed.
#pragma once

#include <string>

namespace faultline {

// Both throw UserError where the file cannot be written; `option` is the one that its path was given to. The first
// finds out before the work is done, and leaves what is there as it is. Devices and pipes are written to, not replaced.
void check_writable(const std::string& path, const std::string& option);
void write_whole(const std::string& path, const std::string& text, const std::string& option);

}  // namespace faultline
