#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/registry/cache_state.h"
#include "harness/registry/operation.h"
#include "harness/timing/sampling.h"
#include "reports/record/comparison.h"

namespace ablate {

/// Values by axis; the name "variant" stands for the variant. A case that has one of the values of every name
/// is left out.
using exclusion = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Operation, variants and values whose cartesian product a suite runs.
struct suite_block {
  const ablate::operation* operation = nullptr;
  std::vector<const variant_facts*> variants;
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;  ///< every axis, in declared order
  std::vector<cache_state> cache_states;
  std::vector<exclusion> exclusions;
  std::optional<std::string> counters;  ///< of this block's cases; else the suite's
  bool picture = false;                 ///< keep a sample of each output to be drawn
  std::optional<bool> steady_clock;     ///< of this block's cases; else the suite's
};

/// How long a case that a suite wants at a steady clock waits for it at most.
inline constexpr double longest_wait_for_steady_clock_s = 5;

/// A suite file, read and checked.
struct suite {
  std::string name;
  std::string description;
  std::filesystem::path path;
  std::string hash;  ///< of the file's bytes
  std::uint64_t seed = 1;
  std::map<std::string, point_file> point_files;
  std::string counters =
      "none";                 ///< the set that every case gets, calibrations too; as chosen_groups reads it
  bool steady_clock = false;  ///< sample until the SM clock is steady; calibrations too
  std::vector<suite_block> blocks;
  std::vector<comparison> comparisons;  ///< for the report to draw
  ablate::sampling sampling;
  double case_limit_seconds = 30;  ///< a case that takes longer is hung: status timeout
  std::size_t maximum_cases = 1000;
};

/// One case: operation, variant, a value for each axis, cache state.
struct suite_case {
  std::string id;
  const ablate::operation* operation = nullptr;
  const variant_facts* variant = nullptr;  ///< null: the host reference
  axis_values axes;
  cache_state state = cache_state::cold_clean;
  std::string ceiling;                        ///< of a calibration: the ceiling that it measures; else empty
  std::optional<std::string> not_applicable;  ///< why this case cannot be, on this chip or at these axes
  std::string counters = "none";
  bool timeline = false;
  bool picture = false;
  double steady_clock_s = 0;      ///< sample it until the SM clock is steady, for so long at most; 0: do not
  bool unchecked = false;         ///< time it, and leave its output uncompared
  double injected_delay_pct = 0;  ///< of its own time, added to every sample

  std::string_view variant_name() const { return variant ? std::string_view(variant->name) : "reference"; }
};

/// Reads a suite. Throws bad_input naming the file, the JSON pointer and what was expected (with the nearest
/// name).
suite read_suite(const std::filesystem::path&);

/// What a suite is run on.
struct target {
  bool host = false;            ///< no GPU: every case becomes the host reference of its axes, once
  int compute_capability = 90;  ///< of the GPU, 80 for sm_80
};

/// Every case of the suite, in the order in which they run: on a GPU the operations' calibrations first, then
/// all variants and cache states of the same axes together, so that one workload serves them, in the order in
/// which the blocks first name these axes. A case named twice appears once, with the set of most counter
/// groups, and with a picture or at a steady clock where one of the two wants it. A point file makes no case
/// not applicable here, missing, broken or too small. `filter` (a regular expression searched in the id)
/// selects; calibrations stay, since they give every record its ceilings. Throws bad_input for a broken
/// filter, when the suite's products exceed its maximum_cases (names the count and the block), or when
/// nothing is left.
std::vector<suite_case> expand(const suite&, const target&, const input_library&,
                               const std::string& filter = "");

}  // namespace ablate
