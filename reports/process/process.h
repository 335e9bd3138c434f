#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::reports {

/// Where PATH has a program of this name, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct process_result {
  int exit_code = 0;   ///< 128 + the signal for a process that one ended
  std::string output;  ///< stdout and stderr together
};

/// Runs a program to its end. Throws std::runtime_error when it cannot be started.
process_result run_process(const std::vector<std::string>& command);

/// As run_process, for a program that says more than is to be held at once: hands on what it says, piece by
/// piece, and returns the exit code.
int run_process(const std::vector<std::string>& command, const std::function<void(std::string_view)>& said);

}  // namespace ablate::reports
