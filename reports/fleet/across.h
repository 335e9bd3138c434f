#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "base/text/terminal.h"

namespace ablate::fleet {

/// One case on the specimens of a kind.
struct case_across {
  std::map<std::string, double> us;  ///< by specimen: the median of its runs
  double median_us = 0;              ///< of the specimens
  /// What two of them differ by: the 99th percentile of |log ratio| over all pairs, in percent.
  double specimen_floor_pct = 0;

  double deviation_pct(const std::string& specimen) const;  ///< of the median
};

/// The specimens of one kind (reports/fleet/fleet.h), and the cases that two or more of them measured.
struct kind_across {
  std::string product, kind;
  std::vector<std::string> specimens;
  std::map<std::string, case_across> cases;
};

/// By how much equal GPUs differ in the cases of a suite: the least that a ratio of two GPUs must exceed.
struct across {
  std::filesystem::path path;  ///< the file that it was read from
  std::string source_hash;     ///< of the build that measured all of it
  std::vector<kind_across> kinds;
  std::vector<std::string> left_out;  ///< one line each: specimens without a kind, cases of two inputs

  /// The kind of a specimen; null if it is in none.
  const kind_across* kind_of(const std::string& specimen) const;
};

/// Of records from several GPUs, each on its own or merged. Throws bad_input if no two GPUs of a kind
/// measured one case, or if the records are of several sources: what differs could be the kernels.
across across_of(const std::vector<record>&);

nlohmann::ordered_json to_json(const across&);
/// Throws bad_input.
across read_across(const std::filesystem::path&);
/// The cases by floor, the largest first, with the specimen that is farthest from the others.
std::string across_text(const across&, const reports::terminal&);

}  // namespace ablate::fleet
