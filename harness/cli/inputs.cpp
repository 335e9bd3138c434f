#include "harness/cli/inputs.h"

#include <cstdlib>
#include <sstream>

#include "base/text/bad_input.h"

namespace ablate {

void add_data_option(CLI::App& command, std::vector<std::string>& directories) {
  command
      .add_option(
          "--data", directories,
          "Directory with the point files that suites name as data:NAME; may be repeated. Searched before "
          "the directories in the environment variable ABLATE_DATA (separated by colons)")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_together_option(CLI::App& command, std::string& together) {
  command
      .add_option(
          "--together", together,
          "operation: one bundle for all cases of an operation, so that one GPU measures whole curves, at "
          "the price of balance [cases that are compared]")
      ->type_name("operation")
      ->check(CLI::IsMember({"operation"}));
}

void add_durations_option(CLI::App& command, std::vector<std::string>& records) {
  command
      .add_option(
          "--durations", records,
          "Records whose elapsed times balance shards and devices; a case without one counts as their median "
          "[`plan`'s estimates]")
      ->type_name("RECORD...");
}

std::vector<std::filesystem::path> data_directories(const std::vector<std::string>& given) {
  std::vector<std::filesystem::path> result;
  for (const std::string& directory : given) {
    std::error_code error;
    if (!std::filesystem::is_directory(directory, error))
      throw bad_input("--data", "", "'" + directory + "' is not a directory; expected one with point files");
    result.emplace_back(directory);
  }
  if (const char* listed = std::getenv("ABLATE_DATA")) {
    std::istringstream in(listed);
    for (std::string directory; std::getline(in, directory, ':');)
      if (!directory.empty()) result.emplace_back(directory);
  }
  return result;
}

input_library make_input_library(const suite& from, const std::vector<std::string>& data) {
  return {from.seed, from.point_files, data_directories(data)};
}

}  // namespace ablate
