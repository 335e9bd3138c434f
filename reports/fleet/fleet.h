#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "base/text/terminal.h"

namespace ablate::fleet {

/// The calibrations of one specimen in one run.
struct specimen_run {
  struct calibration {
    std::string case_name, ceiling;
    double median_us;
  };
  std::string product, specimen;
  std::vector<calibration> calibrations;
};

/// A specimen whose calibration is far from the others of its kind.
struct outlier {
  std::string specimen, calibration;
  double deviation_pct;
  double limit_pct;  ///< max(2 %, 5 median deviations) of the kind
};

/// The name of a kind of specimens that lack a calibration which divides the product.
inline constexpr const char* unknown_kind = "?";

/// Specimens that a calibration tells from all others of the product.
struct kind {
  std::string name;  ///< A, B, ...: A is the fastest in the calibration that divides them
  std::vector<std::string> specimens;
  std::map<std::string, double> median_us;  ///< of the specimens, by calibration; empty for `unknown_kind`
};

/// What divides two kinds.
struct division {
  std::string calibration;
  double gap_pct;     ///< between the two
  double spread_pct;  ///< the larger one inside of them
};

/// The GPUs of one product, by their calibrations.
struct product {
  std::string name;
  std::vector<std::string> calibrations;    ///< labels, in the records' order
  std::map<std::string, std::size_t> runs;  ///< by specimen
  /// By specimen and calibration: the median of its runs.
  std::map<std::string, std::map<std::string, double>> us;
  std::vector<kind> kinds;
  std::vector<division> divisions;
  std::vector<outlier> outliers;

  const kind& kind_of(const std::string& specimen) const;
  /// Of the kind's median; nothing where the calibration was not measured.
  std::optional<double> deviation_pct(const std::string& specimen, const std::string& calibration) const;
};

/// The products of these records, by name. Specimens are of two kinds where a calibration leaves a gap of 2 %
/// or more that is more than five times the spread on either side, with two specimens or more on each; of
/// several such gaps the widest divides, and each part is divided again. A calibration that most specimens
/// have may divide them; those that lack it are of `unknown_kind`. Host references have no part in this.
/// Throws bad_input for records without any specimen that is named.
std::vector<product> fleet_of(const std::vector<record>&);
/// The same of runs, whatever tells their products apart. Specimens without any calibration have no part.
std::vector<product> fleet_of(const std::vector<specimen_run>&);

/// The specimens of a record of GPUs that are named, with their calibrations; `product` is the device's name.
std::vector<specimen_run> runs_of(const record&);

nlohmann::ordered_json fleet_json(const std::vector<product>&);
std::string fleet_markdown(const std::vector<product>&);
std::string fleet_text(const std::vector<product>&, const reports::terminal&);

}  // namespace ablate::fleet
