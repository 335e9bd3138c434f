#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/process/child_process.h"
#include "harness/cli/scratch_file.h"
#include "reports/gate/program_launches.h"

namespace ablate {

/// What `static launches` is asked for.
struct launches_request {
  std::filesystem::path suite;
  std::string chip, filter;
  std::vector<std::string> data;
  bool with_inputs = false;
};

/// The program failed. Says what it said first, without the name of the program before it.
struct description_failed : std::runtime_error {
  description_failed(const std::string& said, std::string how_it_ended)
      : std::runtime_error(said.empty() ? how_it_ended : said), ending(std::move(how_it_ended)) {}
  std::string ending;  ///< "exited with code 2"
};

/// A program while it describes its launches, in a process of its own.
class describing_program {
 public:
  /// `more`: further words of the command.
  describing_program(std::filesystem::path program, const launches_request&,
                     std::vector<std::string> more = {}, std::vector<std::string> environment = {});

  /// Waits for it. Throws description_failed and bad_input.
  gate::program_launches read();

 private:
  scratch_file file_;
  std::string said_;
  std::unique_ptr<process::child_process> running_;
};

}  // namespace ablate
