#include "base/process/sigchld_default.h"

#include <signal.h>

#include <mutex>
#include <optional>

namespace ablate::process {
namespace {

std::mutex in_use;
int users = 0;
std::optional<struct sigaction> ignored;

}  // namespace

sigchld_default::sigchld_default() {
  const std::lock_guard lock(in_use);
  ++users;
  struct sigaction action {};
  sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler != SIG_IGN && !(action.sa_flags & SA_NOCLDWAIT)) return;
  ignored = action;
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, nullptr);
}

sigchld_default::~sigchld_default() {
  const std::lock_guard lock(in_use);
  if (--users > 0 || !ignored) return;
  sigaction(SIGCHLD, &*ignored, nullptr);
  ignored.reset();
}

}  // namespace ablate::process
