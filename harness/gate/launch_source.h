#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/gate/launch.h"

namespace ablate::gate {

/// The request for one launch.
struct launch_order {
  std::string label;  ///< "0007-confirm": the folder of its record
  std::uint64_t order_seed = 0;
  std::vector<std::string> cases;
};

/// Supplies the launches of one build, from its program or from a folder of records.
class launch_source {
 public:
  virtual ~launch_source() = default;
  /// A run that compares every output with its oracle, before or after all timing. From a folder, the next
  /// record whose name ends in "-check"; nothing if none is left.
  virtual std::optional<record> check(const std::string& label, const std::vector<std::string>& only) = 0;
  /// The next launch. Throws no_more_launches, tool_failure, interrupted.
  virtual launch take(const launch_order&) = 0;
  /// The record of any launch, for what all launches share; nothing if none has been made yet.
  virtual std::optional<record> any() = 0;
  virtual bool is_recorded() const = 0;
};

/// The folder has no more records.
struct no_more_launches : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How to launch a program.
struct launch_options {
  std::filesystem::path suite;
  std::filesystem::path out;  ///< this side's own folder, for the records
  std::size_t samples = 30;
  std::vector<std::string> ceilings;  ///< the controls
  std::string counters;               ///< read during checks; empty: none
  std::string filter, device, seed;   ///< as for `run`; empty: not given
  std::vector<std::string> data;
  std::vector<std::string> launch_words;  ///< further words of `run` for launches, not checks
  bool resume = false;
};

std::unique_ptr<launch_source> launches_of_program(const std::filesystem::path& program, launch_options);

/// `folder` holds records (record.json in subfolders, or *.json), taken in name order; names ending in
/// "-check" are checks. Throws bad_input if the folder has no record.
std::unique_ptr<launch_source> launches_in_folder(const std::filesystem::path& folder);

}  // namespace ablate::gate
