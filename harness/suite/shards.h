#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/device/chip.h"
#include "harness/suite/suite.h"

namespace ablate {

/// Shard `index` of `count`, from 1.
struct shard_place {
  long index = 1, count = 1;
};

/// How a run's cases are divided among shards, which may run on different GPUs: by whole bundles
/// (base/record/bundles.h). Calibrations run in every shard.
struct shard_plan {
  struct bundle {
    std::size_t cases = 0;
    double seconds = 0;
    long shard = 1;
  };

  long count = 1;
  long devices = 1;                ///< of each shard, which share its bundles
  std::vector<std::string> names;  ///< ids of the cases, in order
  std::vector<long> shards;        ///< of each case; 0: in every shard
  std::vector<bundle> bundles;     ///< without calibrations
  double calibration_seconds = 0;
  std::string hash;  ///< of all this, and of what the plan is about: equal for all shards of one plan

  std::size_t cases_of(long shard) const;  ///< without calibrations
  double seconds_of(long shard) const;     ///< with them, on its devices
  /// The least time that the slowest of `count` shards could take: the mean, or the longest bundle.
  double bound_seconds() const;
};

/// The bundle of each case.
std::vector<std::size_t> bundle_numbers(const std::vector<suite_case>&, const suite&);

/// Gives the longest bundle to the shard that has least, and so on; `seconds` are of each case. The same
/// arguments give the same plan on every machine; `about` distinguishes plans of different inputs.
shard_plan divided(const std::vector<suite_case>&, const suite&, const std::vector<double>& seconds,
                   long count, const std::string& about);

nlohmann::ordered_json to_json(const shard_plan&);
/// Human-readable: a line a shard.
std::string to_text(const shard_plan&);

/// Leaves this shard's cases, and the calibrations.
void keep_shard(std::vector<suite_case>&, const shard_plan&, long index);

/// The time of each case: `elapsed_s` of the records in `durations`, or the median of those for a case that
/// none of them has; without records, as the plan for the chip estimates. Throws bad_input for a record that
/// says nothing of its times.
std::vector<double> shard_seconds(const std::vector<suite_case>&, const input_library&, const chip&,
                                  const sampling&, const std::vector<std::filesystem::path>& durations);

}  // namespace ablate
