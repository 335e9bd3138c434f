#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/process/sigchld_default.h"

namespace ablate::process {

/// What waits for a process or a signal looks again after this long.
constexpr std::chrono::milliseconds between_looks{10};

/// A program to run, and what it is given. Its stdin is empty.
struct command {
  std::vector<std::string> argv;               ///< the program is looked for in PATH if its name has no slash
  std::filesystem::path directory = {};        ///< where it runs; empty: where this process does
  std::vector<std::string> environment = {};   ///< "NAME=value", beside those of this process
  std::filesystem::path out = {}, error = {};  ///< files for its stdout and stderr; empty: this process's
  std::function<void(std::string_view)> said = {};  ///< takes both, piece by piece, in place of files
};

/// How a process ended.
struct ending {
  std::optional<int> exit_code = {};  ///< nothing if a signal ended it
  int signal = 0;                     ///< the signal that ended it, or 0

  /// "exited with code 3", "died of signal 9 (Killed)"
  std::string text() const;
};

/// A process that this one starts and waits for. It is ended with this object, and when the thread that
/// started it ends, however that happens.
class child_process {
 public:
  /// Runs a program as the leader of a process group of its own: what it started and left behind ends with
  /// it. SIGTERM tells it that this process is gone. Throws std::system_error when it cannot be started.
  explicit child_process(command);

  /// Runs `work` in a copy of this process, whose exit code it returns; 1 where it throws. SIGKILL ends the
  /// copy when this process is gone. Throws std::system_error.
  explicit child_process(const std::function<int()>& work);

  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  /// How it ended, or nothing while it still runs after this long. Throws std::system_error when somebody
  /// else waited for it.
  std::optional<ending> wait_for(std::chrono::duration<double> limit);
  ending wait();

  /// Sends it a signal, and nothing to what it started.
  void signal(int number);

  /// Ends it and what it started.
  ending kill();

 private:
  bool has_ended();
  void kill_group() const;
  void listen(std::chrono::milliseconds limit);
  void hear_the_rest();
  void close_pipe();

  const sigchld_default sigchld_;
  std::string name_;
  std::function<void(std::string_view)> said_;
  bool leads_group_ = false;
  pid_t pid_ = -1;
  int pipe_ = -1;  ///< its end to read from
  std::optional<ending> ended_;
};

/// How a program ended and what it said.
struct result : ending {
  bool timed_out = false;  ///< it was ended after the limit
  std::string output;      ///< stdout and stderr together
};

/// Runs a program to its end, or for `limit`. Throws std::system_error when it cannot be started.
result run(const std::vector<std::string>& argv,
           std::optional<std::chrono::duration<double>> limit = std::nullopt);

}  // namespace ablate::process
