#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ablate::gate {

/// SIGINT or SIGTERM arrived.
struct interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A program that was launched did not do its part.
struct tool_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Takes SIGINT and SIGTERM for as long as it lives: what is running is ended, and the next call of
/// run_child or sleep_for throws `interrupted`. SIGCHLD is not ignored meanwhile.
class interrupt_watch {
 public:
  interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  ~interrupt_watch();
};

/// Runs a program to its end, what it says going to `log`, and returns its exit code (128 + the signal that
/// ended it). It ends when this process does, however that ends. Throws `interrupted`.
int run_child(const std::vector<std::string>& command, const std::filesystem::path& log);

/// Throws `interrupted`.
void sleep_for(double seconds);

}  // namespace ablate::gate
