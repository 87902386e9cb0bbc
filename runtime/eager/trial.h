// Does something first in a forked child, to learn whether it ends or hangs the process.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace faultline {

// How the child ended if not well: "SIGSEGV", "no end within 10 s". What `work` writes to memory is lost with the
// child. A trial that cannot start (no process left) counts as gone well. Meant for short work in a process whose other
// threads hold no locks that `work` needs; a lock that is held at the fork shows as a hang.
std::optional<std::string> failed_trial(const std::function<void()>& work, unsigned seconds);

}  // namespace faultline
