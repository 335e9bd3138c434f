#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/record/record.h"
#include "reports/gate/policy.h"

namespace ablate::gate {

/// How much separately linked builds of one source differ, case by case: no smaller effect can be told
/// from chance. Made by `ablate dev calibrate`.
struct noise_floors {
  struct case_floor {
    double floor_pct;
    double baseline_us;
    std::vector<double> effects;  ///< one Hodges-Lehmann estimate per run, as log ratios
  };
  std::filesystem::path path;  ///< the file they were read from
  std::string date, policy, suite, suite_hash;
  std::string fingerprint;                      ///< of the device, as in histories
  nlohmann::ordered_json device;                ///< as in the records
  std::pair<std::string, std::string> sources;  ///< source hash of each build
  std::size_t builds = 2;                       ///< that its runs compared
  std::size_t runs = 0, pairs = 0;
  std::map<std::string, case_floor> cases;
  /// The widest difference between two readings of a counter, in percent, by case and counter.
  std::map<std::string, std::map<std::string, double>> counter_bands_pct;

  std::optional<double> floor_pct(const std::string& name) const;
};

nlohmann::ordered_json to_json(const noise_floors&);
/// Throws bad_input.
noise_floors read_floors(const std::filesystem::path&);

/// Throws bad_input if the floors are of another device than the record. Returns, one per line, how they fall
/// short of what the policy wants for these cases: too few builds, runs or pairs, cases without a floor,
/// another driver, specimen, suite or policy.
std::vector<std::string> check_floors(const noise_floors&, const record&, const gate_policy&,
                                      const std::vector<std::string>& cases);

}  // namespace ablate::gate
