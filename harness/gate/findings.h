#pragma once

#include <filesystem>
#include <string>

#include "reports/gate/decide.h"

namespace ablate::gate {

/// Appends a run's confirmed findings, if any, as one line: {"date", "effects"}, the effects by case as
/// logarithms of ratios. Controls are excluded. Throws std::runtime_error if the file cannot be written.
void append_findings(const std::filesystem::path&, const gate_decision&, const std::string& date);

/// What earlier runs found, newest last.
struct known_findings {
  std::vector<std::vector<double>> runs;  ///< in the form why_findings_are_suspect takes
  /// A one-line note on lines that are not findings, such as a kill leaves behind; they do not count.
  std::optional<std::string> set_aside;
};

/// Empty if there is no file.
known_findings read_findings(const std::filesystem::path&);

/// Throws bad_input if the file cannot be written. Leaves it as it was, if only by its absence.
void expect_writable(const std::filesystem::path&);

}  // namespace ablate::gate
