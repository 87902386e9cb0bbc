// What ^C does: a command that has said nothing yet ends with one line; one that works off a list finishes its case.
#pragma once

namespace faultline {

constexpr int kInterruptedExit = 130;  // as a shell has it: 128 and the number of SIGINT

// From here on SIGINT ends the process with the line "faultline: interrupted" and exit code 130.
void answer_interrupts();

// While it lives, the first SIGINT is only noted; the second ends the process.
class NotesInterrupts {
 public:
  NotesInterrupts();
  ~NotesInterrupts();
  NotesInterrupts(const NotesInterrupts&) = delete;
  NotesInterrupts& operator=(const NotesInterrupts&) = delete;
  bool interrupted() const;
};

}  // namespace faultline
