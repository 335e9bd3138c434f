#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/gate/policy.h"
#include "reports/gate/verdict.h"
#include "reports/plots/plots.h"
#include "reports/sections/record_report.h"

namespace ablate::reports {

/// A case of one record beside the same case of the first.
struct beside {
  const measured_case* of = nullptr;  ///< null where it was not measured
  std::string missing;                ///< why not
  std::optional<double> ratio;  ///< its median over the first one's; nothing where inputs or methods differ
  std::optional<double> low, high;    ///< of a ratio that is judged, where so few launches bound it
  std::optional<gate::verdict> word;  ///< of a ratio that is judged
  std::string reason;                 ///< why there is no ratio, or why the word is not sure
};

/// One case in every record of the report.
struct side_row {
  std::string name, operation, variant;
  std::vector<beside> sides;  ///< one for each record; the first has no ratio
};

/// How a record stands to the first one.
struct side_pair {
  std::string why_not;                     ///< judged; empty where it is: only one device's times are
  std::optional<std::string> invalid_run;  ///< why none of the words is to be trusted
  std::vector<std::string> notes;          ///< what else differs
};

/// Several records in one report. Refers to them.
struct side_by_side {
  std::vector<const record_report*> records;
  std::vector<side_pair> pairs;  ///< one for each record but the first
  std::vector<side_row>
      rows;         ///< cases that two records name at least, in the order of the first that has them
  std::string how;  ///< what ratios and words rest on
  std::vector<plot> plots;
};

/// The rules of `ablate compare`: what that refuses to compare stands side by side with its reason and is
/// judged by nothing, and a case on another input or by another method has no ratio.
side_by_side put_side_by_side(const std::vector<record_report>&, const gate::gate_policy&);

/// A line for each operation and record but the first: how many cases have which word, and their ratios.
table side_table(const side_by_side&);

/// The part of summary.md; `drawn` tells whether the plots' SVGs stand in plots/.
std::string side_summary(const side_by_side&, bool drawn);

/// Writes out/side_by_side.csv. Throws std::runtime_error where it cannot.
void write_side_csv(const side_by_side&, const std::filesystem::path& out);

}  // namespace ablate::reports
