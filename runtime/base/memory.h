// How a process that runs many cases keeps its memory, and how much there is.
#pragma once

#include <cstdint>
#include <optional>

namespace faultline {

// Every run of a case allocates arrays of the same sizes and frees them. From here on the allocator keeps what is freed
// instead of handing pages back to the system and asking for them again: a ladder is a sixth faster. Memory in use at
// the peak stays the process's to its end.
void keep_freed_memory();

// Bytes that the process could still take: what the system says is available, or less where a control group limits it.
// Nothing where the system does not say.
std::optional<uint64_t> available_memory();

}  // namespace faultline
