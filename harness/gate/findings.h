#pragma once

#include <filesystem>
#include <string>

#include "reports/gate/decide.h"

namespace ablate::gate {

/// Appends the confirmed findings of a run in one line, if there are any: {"date", "effects"}, the effects by
/// case as logarithms of ratios. Controls are none.
void append_findings(const std::filesystem::path&, const gate_decision&, const std::string& date);

/// Why the findings of the newest runs are suspected: all have one sign. Throws bad_input for a file that is
/// no such list.
std::optional<std::string> why_findings_are_suspect(const std::filesystem::path&, const gate_policy&);

}  // namespace ablate::gate
