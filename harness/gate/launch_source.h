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

/// What a launch is asked for.
struct launch_order {
  std::string label;  ///< "0007-confirm": where its record is kept
  std::uint64_t order_seed = 0;
  std::vector<std::string> cases;
};

/// Where the launches of one build come from: its program, or a folder of records.
class launch_source {
 public:
  virtual ~launch_source() = default;
  /// A run that compares every output with its oracle, before anything is timed or after. Of a folder the
  /// record whose name ends so; nothing where there is none.
  virtual std::optional<record> check(const std::string& label, const std::vector<std::string>& only) = 0;
  /// The next launch. Throws no_more_launches, tool_failure, interrupted.
  virtual launch take(const launch_order&) = 0;
  /// A record of any launch, for what all of them share; nothing where they are still to be made.
  virtual std::optional<record> any() = 0;
  virtual bool is_recorded() const = 0;
};

/// A folder has no more records.
struct no_more_launches : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a program is launched.
struct launch_options {
  std::filesystem::path suite;
  std::filesystem::path out;  ///< a folder of this side's own, for the records
  std::size_t samples = 30;
  std::vector<std::string> ceilings;  ///< the controls
  std::string counters;               ///< read by checks; empty: none
  std::string filter, device, seed;   ///< as `run` takes them; empty: not given
  std::vector<std::string> data;
  std::string inject_delay, inject_into;  ///< for launches, not for checks
  bool resume = false;
};

std::unique_ptr<launch_source> launches_of_program(const std::filesystem::path& program, launch_options);

/// `folder` holds records (record.json in folders, or *.json), taken in the order of their names; those whose
/// name ends in "-check" are checks. Throws bad_input for a folder without a record.
std::unique_ptr<launch_source> launches_in_folder(const std::filesystem::path& folder);

}  // namespace ablate::gate
