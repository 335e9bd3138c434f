#include "base/process/interrupt_watch.h"

namespace ablate::process {
namespace {

volatile sig_atomic_t signal_arrived = 0;

}  // namespace

interrupt_watch::interrupt_watch() {
  signal_arrived = 0;
  struct sigaction note {};
  note.sa_handler = [](int) { signal_arrived = 1; };
  sigaction(SIGINT, &note, &old_int_);
  sigaction(SIGTERM, &note, &old_term_);
}

interrupt_watch::~interrupt_watch() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

bool interrupt_watch::interrupted() { return signal_arrived; }

}  // namespace ablate::process
