#pragma once

#include <filesystem>
#include <string>

#include "reports/gate/decide.h"

namespace ablate::gate {

/// Appends the confirmed findings of a run in one line, if there are any: {"date", "effects"}, the effects by
/// case as logarithms of ratios. Controls are none. Throws std::runtime_error where the file cannot be
/// written.
void append_findings(const std::filesystem::path&, const gate_decision&, const std::string& date);

/// What earlier runs found, the newest last.
struct known_findings {
  std::vector<std::vector<double>> runs;  ///< as why_findings_are_suspect takes them
  /// One line on lines that are no findings, as a kill leaves them; they do not count.
  std::optional<std::string> set_aside;
};

/// Nothing where there is no file.
known_findings read_findings(const std::filesystem::path&);

/// Throws bad_input for a file that cannot be written.
void expect_writable(const std::filesystem::path&);

}  // namespace ablate::gate
