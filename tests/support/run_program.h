#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::test_support {

struct program_result {
  int exit_code = -1;  ///< -1 when a signal ended it
  std::string out, error;
};

/// Runs `words` (a program and its arguments, passed as they are) with `environment` assignments
/// ("NAME=value") added, in `directory` when one is given.
inline program_result run_program(const std::vector<std::string>& words,
                                  const std::vector<std::string>& environment = {},
                                  const std::filesystem::path& directory = {}) {
  const auto quoted = [](const std::string& word) {
    std::string text = "'";
    for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
  };
  const temporary_directory files;
  std::string command = directory.empty() ? "" : "cd " + quoted(directory.string()) + " && ";
  command += "env";
  for (const std::string& assignment : environment) command += " " + quoted(assignment);
  for (const std::string& word : words) command += " " + quoted(word);
  command +=
      " >" + quoted((files.path() / "out").string()) + " 2>" + quoted((files.path() / "error").string());
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(files.path() / "out"),
          slurp(files.path() / "error")};
}

/// Runs the program `ablate` of this build.
inline program_result run_ablate(std::vector<std::string> arguments,
                                 const std::vector<std::string>& environment = {},
                                 const std::filesystem::path& directory = {}) {
  arguments.insert(arguments.begin(), ABLATE_PROGRAM);
  return run_program(arguments, environment, directory);
}

}  // namespace ablate::test_support
