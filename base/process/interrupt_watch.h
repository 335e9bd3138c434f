#pragma once

#include <signal.h>

namespace ablate::process {

/// Takes SIGINT and SIGTERM for as long as it lives, and notes that one of them arrived.
class interrupt_watch {
 public:
  interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;
  ~interrupt_watch();

  /// Whether a signal arrived since the newest watch began.
  static bool interrupted();

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

}  // namespace ablate::process
