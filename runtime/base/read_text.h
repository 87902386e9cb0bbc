// Reads a file of text that somebody named, whatever it turns out to be.
#pragma once

#include <string>

namespace faultline {

// Whole. Throws UserError for what is no regular file and no pipe, and for what is longer than 64 MiB.
std::string read_text(const std::string& path);

}  // namespace faultline
