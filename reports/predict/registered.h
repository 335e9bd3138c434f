#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/predict/answer.h"

/// Predictions written down before anything is measured, and held against the record when it is there.
namespace ablate::predict {

struct registered_case {
  std::string key;       ///< key_of
  std::string workload;  ///< workload_of
  std::string operation, variant;
  double us = 0, low_us = 0, high_us = 0;
  bool is_tested = true;
};

struct registration {
  std::string date, chip, ceilings;
  std::string model_hash;                                          ///< of results/prediction.json
  std::vector<std::pair<std::string, std::string>> record_hashes;  ///< by folder: what was known
  std::vector<registered_case> cases;
  std::size_t refused = 0;
};

/// Every case of these records that `to` has not run, transferred.
registration registered(const std::vector<seen_record>&, const target& to, const model_file&,
                        const chip_sheets&);

nlohmann::ordered_json registration_json(const registration&);
/// Throws bad_input.
registration read_registration(const std::filesystem::path&);

/// A case that was predicted and then measured.
struct judged_case {
  const registered_case* predicted;
  double measured_us = 0;
  double error() const;  ///< ln(predicted / measured)
  bool is_inside() const { return measured_us >= predicted->low_us && measured_us <= predicted->high_us; }
};

struct judgement {
  std::vector<judged_case> cases;
  std::size_t tested = 0, tested_inside = 0;
  double median = 0, p90 = 0;  ///< of |error|
  std::size_t workloads = 0,
              picked = 0;  ///< with at least two variants; in which the pick is within 3 % of the fastest
  std::size_t not_measured = 0;
};

/// Throws bad_input where a record is of another chip, or was made before the registration.
judgement judged_by(const registration&, const std::vector<seen_record>&);
judgement judged_by(const registration&&, const std::vector<seen_record>&) = delete;  // it points into it
std::string judgement_text(const registration&, const judgement&);

}  // namespace ablate::predict
