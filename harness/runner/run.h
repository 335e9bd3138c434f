#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/executor.h"
#include "harness/runner/run_identity.h"
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

  // How a gate drives a launch.
  std::optional<int> samples;  ///< of each case, exactly; else as the suite's sampling says
  /// Shuffles the cases; those of the same axes stay together, since they share an input.
  std::optional<std::uint64_t> order_seed;
  std::vector<std::string> only;      ///< the ids to run, and nothing else; empty: all
  std::vector<std::string> ceilings;  ///< the calibrations to run; empty: all
  bool unchecked = false;             ///< leave outputs uncompared: somebody compared them before
  double injected_delay_pct = 0;      ///< of a case's own time, in cases whose id `injected_into` matches
  std::string injected_into;          ///< a regular expression (ECMAScript)
};

/// Whether this build can slow cases down on purpose (ABLATE_INJECT_DELAY).
bool can_inject_delay();

/// Runs a suite to its record, `<out>/record.json`. Cases run in a child process which journals each as it
/// ends; a child that dies or hangs costs one case. Returns the exit code of the design: 0; 3 when a case was
/// wrong; 75 when a case failed or timed out; 130 when interrupted. Throws bad_input where the directory
/// holds an unfinished run and it is not to be resumed, and where it is but another device, driver or build
/// began it.
int run_suite(const suite&, const run_options&);

/// The same on a given device: the seam for tests.
int run_suite_on(const suite&, const run_options&, const target&, const device_identity&,
                 const std::function<std::unique_ptr<executor>()>& make_executor);

}  // namespace ablate
