#include "harness/gate/interruptible.h"

#include <signal.h>

#include <thread>
#include <utility>

#include "base/process/interrupt_watch.h"
#include "harness/timing/stopwatch.h"

namespace ablate::gate {
namespace {

void check_interrupt() {
  if (process::interrupt_watch::interrupted()) throw interrupted("interrupted");
}

}  // namespace

process::ending run_to_its_end(process::command of) {
  check_interrupt();
  process::child_process child(std::move(of));
  while (!child.wait_for(process::between_looks))
    if (process::interrupt_watch::interrupted()) {
      child.signal(SIGTERM);
      break;
    }
  const process::ending ended = child.wait();
  check_interrupt();
  return ended;
}

void sleep_for(double seconds) {
  const stopwatch watch;
  while (watch.seconds() < seconds) {
    check_interrupt();
    std::this_thread::sleep_for(process::between_looks);
  }
}

}  // namespace ablate::gate
