// A handler that does no more than what a handler may: it sets a flag, or writes a line and leaves.
#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace faultline {

static volatile std::sig_atomic_t notes = 0, noted = 0;

static void on_interrupt(int) {
  if (notes != 0 && noted == 0) {
    noted = 1;
    return;
  }
  constexpr char kLine[] = "faultline: interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine, sizeof(kLine) - 1);
  _exit(kInterruptedExit);
}

void answer_interrupts() { std::signal(SIGINT, on_interrupt); }

NotesInterrupts::NotesInterrupts() {
  noted = 0;
  notes = 1;
}

NotesInterrupts::~NotesInterrupts() { notes = 0; }

bool NotesInterrupts::interrupted() const { return noted != 0; }

}  // namespace faultline
