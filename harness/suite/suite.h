#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/bundle_join.h"
#include "harness/registry/cache_state.h"
#include "harness/registry/operation.h"
#include "harness/suite/launch_rule.h"
#include "harness/timing/sampling.h"

namespace ablate {

/// Values by axis; the name "variant" means the variant. A case is left out if it has one of the listed
/// values for every name.
using exclusion = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Operation, variants and axis values whose Cartesian product a suite runs.
struct suite_block {
  const ablate::operation* operation = nullptr;
  std::vector<const variant_facts*> variants;
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;  ///< every axis, in declared order
  std::vector<cache_state> cache_states;
  std::vector<exclusion> exclusions;
  std::optional<std::string> counters;  ///< for this block's cases; else the suite's
  bool picture = false;                 ///< keep a sample of each output for plotting
  bool sampled = false;                 ///< sample forwards of each case as a whole, gaps included
  std::optional<bool> energy;           ///< for this block's cases; else the suite's
  std::optional<bool> steady_clock;     ///< for this block's cases; else the suite's
};

/// The longest that a case waits for a steady clock, if the suite requests one.
inline constexpr double longest_wait_for_steady_clock_s = 5;

/// Values by axis, or by `variants` or `cache`, that replace those of a suite's blocks.
using suite_overrides = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A suite file, read and checked.
struct suite {
  std::string name;
  std::string description;
  std::filesystem::path path;
  std::string hash;           ///< of the file's bytes, and of the overrides if there are any
  suite_overrides overrides;  ///< what was set from outside of the file (override.h)
  std::uint64_t seed = 1;
  std::map<std::string, point_file> point_files;
  std::string counters = "none";  ///< the set for every case, calibrations too; as chosen_groups reads it
  bool energy = false;            ///< meter the joules of a launch; not of calibrations
  bool steady_clock = false;      ///< sample until the SM clock is steady; calibrations too
  std::vector<suite_block> blocks;
  nlohmann::ordered_json
      report;  ///< for reports, which alone read it: goes into the record as it is; may be null
  std::vector<bundle_join> joins;  ///< cases that reports compare, by whoever read `report`
  ablate::sampling sampling;
  launch_rule launches;
  double case_limit_seconds = 30;  ///< a case that takes longer is hung: status timeout
  std::size_t maximum_cases = 1000;
  /// Asked for on the command line: all cases of an operation are one bundle (base/record/bundles.h), so
  /// that curves along its axes are of one GPU.
  bool keeps_operations_together = false;
};

/// What is read of a case besides its times.
struct observations {
  std::string counters = "none";  ///< the set, as chosen_groups reads it
  bool timeline = false;
  bool picture = false;  ///< a sample of the output, for plotting
  bool sampled = false;  ///< forwards as a whole, gaps included
  bool energy = false;   ///< joules of a launch
};

/// How a case is measured.
struct measuring_protocol {
  /// What is read besides times, with outputs compared throughout. Nothing: times alone, of outputs that are
  /// compared elsewhere.
  std::optional<observations> observed = observations();
  double steady_clock_s = 0;      ///< sample until the SM clock is steady, for at most this long; 0: do not
  bool keeps_samples = true;      ///< in the record; else medians of blocks of them
  double injected_delay_pct = 0;  ///< percent of the case's own time, added to every sample

  bool takes_times_alone() const { return !observed; }
  /// None where times alone are taken.
  observations wanted() const { return observed.value_or(observations()); }
};

/// One case: operation, variant, a value for each axis, cache state.
struct suite_case {
  std::string id;
  const ablate::operation* operation = nullptr;
  const variant_facts* variant = nullptr;  ///< null: the host reference
  axis_values axes;
  cache_state state = cache_state::cold_clean;
  std::string ceiling;                        ///< for a calibration, the ceiling that it measures; else empty
  std::optional<std::string> not_applicable;  ///< why this case cannot run, on this chip or at these axes
  measuring_protocol protocol;

  std::string_view variant_name() const { return variant ? std::string_view(variant->name) : "reference"; }
};

/// Reads a suite, except its part for reports. Throws bad_input naming the file, the JSON pointer and
/// what was expected (with the nearest name).
suite read_suite(const std::filesystem::path&);

/// The same of a suite's text; messages name `path`.
suite read_suite_text(const std::string& text, const std::filesystem::path& path);

/// What a suite is run on.
struct target {
  bool host = false;            ///< no GPU: every case becomes the host reference of its axes, once
  int compute_capability = 90;  ///< of the GPU, 80 for sm_80
};

/// Every case of the suite, in run order: on a GPU the operations' calibrations first, then the cases by axis
/// values, in the order in which the blocks first name these, with all variants and cache states of the same
/// axes together so that they share one workload. A case named twice appears once, with the set of most
/// counter groups, and with a picture, sampled, or at a steady clock if either requests it. No case becomes
/// not applicable here because a point file is missing, broken or too small. `filter` (terms such as
/// points=1024, or a regular expression searched in the id: base/record/selection.h) selects cases;
/// calibrations stay, since they give every record its ceilings, unless they are filtered too. Throws
/// bad_input for a broken filter and for terms that no case has, when the suite's products exceed its
/// maximum_cases (names the count and the block), or when nothing is left.
enum class filtered { all_but_calibrations, all };
std::vector<suite_case> expand(const suite&, const target&, const input_library&,
                               const std::string& filter = "", filtered = filtered::all_but_calibrations);

}  // namespace ablate
