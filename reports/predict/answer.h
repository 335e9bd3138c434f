#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/record/selection.h"
#include "base/text/terminal.h"
#include "reports/predict/interval.h"
#include "reports/predict/model.h"
#include "reports/predict/seen.h"
#include "reports/predict/sizes.h"

namespace ablate::predict {

/// What `dev predict-check --out results` leaves, as far as predictions need it.
struct model_file {
  weights by;
  double chip_quantile = 0, inside_quantile = 0, beyond_quantile = 0;
  by_resource<double> most_ratio = {};
  std::map<std::string, measured_rates> rates;              ///< by chip
  std::map<std::string, std::vector<std::string>> folders;  ///< of records, by operation
  std::string hash;                                         ///< of the file
};
/// Throws bad_input.
model_file read_model(const std::filesystem::path&);

/// What a prediction rests on.
enum class basis {
  measured,  ///< there, at this size
  between_sizes,
  beyond_sizes,
  other_chip,  ///< and its size was measured on the chip that it comes from
  other_chip_between_sizes,
  other_chip_beyond_sizes
};

struct prediction {
  std::string variant;
  basis on = basis::measured;
  std::optional<double> us;  ///< nothing where it is refused
  double low_us = 0, high_us = 0;
  bool is_tested = true;            ///< whether intervals like this one were held against measurements
  std::string folder, chip;         ///< where it comes from
  std::string refused;              ///< why, in words
  by_resource<double> shares = {};  ///< of a transfer
};

/// The chip that is asked about.
struct target {
  chip_rates rates;
  bool by_data_sheet() const { return !rates.measured; }
};

/// A case on another chip. `how_sure`: h of an interval that its time already has; 0 for a measured one.
prediction transferred(const seen_record&, const seen_case&, double us, double how_sure, const target&,
                       const model_file&, const chip_sheets&);

struct question {
  std::string operation;
  std::vector<selection_term> terms;  ///< each with one value
  target on;
  bool ignore_measured = false;  ///< as if the chip had run nothing of it
};

struct answer {
  question asked;
  named_words axes;
  std::string cache_state, method;
  std::vector<prediction> ranked;   ///< the fastest first, refused ones last
  std::size_t other_workloads = 0;  ///< that fit as well
  std::string size_axis;            ///< whose value was not measured; empty where it was
};

/// Of the workloads that fit, the one with the most variants. Throws bad_input where none fits.
answer answered(const question&, const std::vector<seen_record>&, const model_file&, const chip_sheets&);

/// "transferred from h200 (h200/voxelization)"
std::string basis_text(const prediction&);

std::string answer_text(const answer&, const reports::terminal&);
nlohmann::ordered_json answer_json(const answer&);

}  // namespace ablate::predict
