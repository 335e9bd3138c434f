#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/compare/devices_outputs.h"
#include "reports/gate/policy.h"
#include "reports/gate/verdict.h"
#include "reports/plots/plots.h"
#include "reports/sections/record_report.h"

namespace ablate::reports {

/// A case of one record next to the same case of the first.
struct compared_side {
  const measured_case* of = nullptr;  ///< null if it was not measured
  std::string missing;                ///< why it was not
  std::optional<double>
      ratio;  ///< the first one's median over its own, above 1 is faster; nothing if inputs or methods differ
  std::optional<double> low, high;    ///< of a judged ratio, if enough launches bound it; of two kinds of GPU
  std::optional<gate::verdict> word;  ///< of a judged ratio
  std::string reason;                 ///< why there is no ratio, or why the verdict is not certain
};

/// One case in every record of the report.
struct side_row {
  std::string name, operation, variant;
  std::vector<compared_side> sides;  ///< one per record; the first has no ratio
};

/// Of two kinds of GPU: which is faster, where and by how much.
struct device_section {
  std::string answer;
  std::vector<compare::device_table> tables;
};

/// How a record compares with the first one.
struct side_pair {
  std::string why_not;  ///< why it is not judged, as times of two kinds of GPU never are; empty if it is
  std::optional<device_section> devices;   ///< of two kinds of GPU
  std::optional<std::string> invalid_run;  ///< why none of the verdicts can be trusted
  std::vector<std::string> notes;          ///< what else differs
};

/// Several records in one report. Refers to them.
struct side_by_side {
  std::vector<const record_report*> records;
  std::vector<side_pair> pairs;  ///< one for each record except the first
  std::vector<side_row>
      rows;         ///< cases that at least two records name, in the order of the first that has them
  std::string how;  ///< what ratios and verdicts rest on
  std::vector<plot> plots;
};

/// Two kinds of GPU are compared as `ablate compare` does, without verdicts. Otherwise its rules hold: what
/// it refuses to compare is shown side by side with the reason and without verdicts, and a case with another
/// input or method has no ratio.
side_by_side put_side_by_side(const std::vector<record_report>&, const gate::gate_policy&);

/// One line per operation and record except the first: how many cases have each verdict, and their ratios.
table side_table(const side_by_side&);

/// The part of summary.md; `drawn` says whether the plots' SVGs are in plots/.
std::string side_summary(const side_by_side&, bool drawn);

/// Writes out/side_by_side.csv. Throws std::runtime_error if it cannot.
void write_side_csv(const side_by_side&, const std::filesystem::path& out);

}  // namespace ablate::reports
