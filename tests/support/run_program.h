#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process/child_process.h"
#include "tests/support/paths.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::test_support {

struct program_result {
  std::optional<int> exit_code;  ///< nothing when a signal ended it
  std::string out, error;
};

/// Runs `words` (a program and its arguments) with `environment` assignments ("NAME=value") added, in
/// `directory` when one is given.
inline program_result run_program(const std::vector<std::string>& words,
                                  const std::vector<std::string>& environment = {},
                                  const std::filesystem::path& directory = {}) {
  const temporary_directory files;
  const auto out = files.path() / "out", error = files.path() / "error";
  process::child_process program(
      {.argv = words, .directory = directory, .environment = environment, .out = out, .error = error});
  const auto exit_code = program.wait().exit_code;
  return {exit_code, slurp(out), slurp(error)};
}

/// The program `ablate` of this build, and its arguments.
inline std::vector<std::string> ablate_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), test_support::program_path());
  return arguments;
}

/// Runs the program `ablate` of this build.
inline program_result run_ablate(std::vector<std::string> arguments,
                                 const std::vector<std::string>& environment = {},
                                 const std::filesystem::path& directory = {}) {
  return run_program(ablate_command(std::move(arguments)), environment, directory);
}

}  // namespace ablate::test_support
