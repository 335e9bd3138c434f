#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/gate/policy.h"
#include "reports/record/record.h"

namespace ablate::gate {

/// What two separately linked builds of one source differ by, case by case: nothing smaller can be told from
/// chance. Made by `ablate calibrate`.
struct noise_floors {
  struct case_floor {
    double floor_pct;
    double baseline_us;
    std::vector<double> effects;  ///< a run's Hodges-Lehmann estimate each, as logarithms of ratios
  };
  std::filesystem::path path;  ///< of their file
  std::string date, policy, suite, suite_hash;
  std::string fingerprint;                      ///< of the device, as histories have it
  nlohmann::ordered_json device;                ///< as in the records
  std::pair<std::string, std::string> sources;  ///< hashes, of either build
  std::size_t runs = 0, pairs = 0;
  std::map<std::string, case_floor> cases;
  /// The widest difference between two readings of one counter, in percent, by case and counter.
  std::map<std::string, std::map<std::string, double>> counter_bands_pct;

  std::optional<double> floor_pct(const std::string& name) const;
};

nlohmann::ordered_json to_json(const noise_floors&);
/// Throws bad_input.
noise_floors read_floors(const std::filesystem::path&);

/// Throws bad_input where the floors are of another device than the record. Returns what makes them less than
/// the policy wants of these cases, a line each: too few runs or pairs, cases without a floor, another
/// driver, specimen, suite or policy.
std::vector<std::string> check_floors(const noise_floors&, const record&, const gate_policy&,
                                      const std::vector<std::string>& cases);

}  // namespace ablate::gate
