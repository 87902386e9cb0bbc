// The process around the command line: streams, terminal, signals.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "runtime/base/memory.h"
#include "runtime/core/verdict.h"

namespace {

// A closed standard stream would hand its number to the next file that is opened, and what is printed would go there.
// Opened for reading alone, writes to it still fail.
void hold_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) _exit(2);
}

bool is_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

// https://no-color.org: set and not empty.
bool wants_no_colour() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

// What the locale's variables name, the first that is set. The locale need not be installed: it is the reader's
// encoding that counts, and no text is translated.
bool is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string name;
    for (; *value != '\0'; ++value)
      if (*value != '-') name += *value >= 'A' && *value <= 'Z' ? static_cast<char>(*value + 32) : *value;
    return name.find(".utf8") != std::string::npos;
  }
  return false;
}

faultline::ConsoleStyle console_style() {
  faultline::ConsoleStyle style;
  style.unicode = is_utf8();
  style.terminal = is_terminal(STDOUT_FILENO);
  style.progress = is_terminal(STDERR_FILENO);
  style.report.colour = style.terminal && !wants_no_colour();
  winsize window{};
  if (style.terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    style.report.columns = std::clamp<int>(window.ws_col, 60, style.report.columns);
  return style;
}

// Whoever reads a pipe may have seen enough: no reason to complain.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  faultline::keep_freed_memory();
  faultline::answer_interrupts();
  std::signal(SIGPIPE, SIG_IGN);  // `faultline list ops | head` ends, it does not die
  const int code = faultline::run_command_line(argc, argv, std::cout, std::cerr, console_style());
  if (std::cout.flush() || reader_is_gone()) return code;
  std::cerr << "faultline: the output cannot be written\n";
  return faultline::exit_code(faultline::Outcome::unknown);
}
