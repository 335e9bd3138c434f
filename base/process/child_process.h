#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/sigchld_default.h"

namespace ablate::process {

/// Polling interval for a process or a signal.
constexpr std::chrono::milliseconds between_looks{10};

/// A program to run, with its arguments and environment. Its stdin is empty.
struct command {
  std::vector<std::string> argv;         ///< the program is searched for in PATH if its name has no slash
  std::filesystem::path directory = {};  ///< working directory; empty: this process's
  std::vector<std::string> environment = {};   ///< "NAME=value", added to this process's
  std::filesystem::path out = {}, error = {};  ///< files for its stdout and stderr; empty: this process's
  std::function<void(std::string_view)> on_output = {};  ///< takes both, chunk by chunk, instead of files
};

/// How a process ended.
struct ending {
  std::optional<int> exit_code = {};  ///< nothing if a signal ended it
  int signal = 0;                     ///< the signal that ended it, or 0

  /// "exited with code 3", "died of signal 9 (Killed)"
  std::string text() const;
};

/// A process that this one starts and waits for. It is ended when this object is destroyed, and when the
/// thread that started it ends for whatever reason.
class child_process {
 public:
  /// Runs a program as the leader of its own process group: processes that it started and left behind end
  /// with it. It receives SIGTERM when this process is gone. Throws std::system_error when it cannot be
  /// started.
  explicit child_process(command);

  /// Runs `work` in a fork of this process and exits with the code that it returns, or 1 if it throws.
  /// SIGKILL ends the fork when this process is gone. Throws std::system_error.
  explicit child_process(const std::function<int()>& work);

  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  /// How it ended, or nothing while it still runs after this long. Throws std::system_error if someone else
  /// has reaped it.
  std::optional<ending> wait_for(std::chrono::duration<double> limit);
  ending wait();

  /// Sends a signal to it, but not to processes that it started.
  void signal(int number);

  /// Kills it and the processes that it started.
  ending kill();

 private:
  bool has_ended();
  void kill_group() const;
  void listen(std::chrono::milliseconds limit);
  void drain_output();
  void close_pipe();

  const sigchld_default sigchld_;
  std::string name_;
  std::function<void(std::string_view)> on_output_;
  bool leads_group_ = false;
  pid_t pid_ = -1;
  int pipe_ = -1;  ///< read end
  std::optional<ending> ended_;
};

/// How a program ended and what it said.
struct result : ending {
  bool timed_out = false;  ///< killed at the time limit
  std::string output;      ///< stdout and stderr together
};

/// Runs a program to completion, or for `limit` at most. Throws std::system_error when it cannot be started.
result run(const std::vector<std::string>& argv,
           std::optional<std::chrono::duration<double>> limit = std::nullopt);

}  // namespace ablate::process
