#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/runner/executor.h"
#include "harness/suite/suite.h"

namespace ablate {

struct run_options {
  std::filesystem::path out;  ///< journal.jsonl and record.json are written here
  std::string filter;
  bool resume = false;
  bool host = false;  ///< run the host references
  int device = 0;
  bool timeline = false;  ///< sample every case but the calibrations over time
  std::vector<std::filesystem::path> data_directories;
  std::string command;  ///< as typed, for the record
};

/// Runs a suite to its record, `<out>/record.json`. Cases run in a child process which journals each as it
/// ends; a child that dies or hangs costs one case. Returns the exit code of the design: 0; 3 when a case was
/// wrong; 75 when a case failed or timed out; 130 when interrupted.
int run_suite(const suite&, const run_options&);

/// The same on a given device: the seam for tests. `device` names it in the journal's keys.
int run_suite_on(const suite&, const run_options&, const target&, const std::string& device,
                 const std::function<std::unique_ptr<executor>()>& make_executor);

}  // namespace ablate
