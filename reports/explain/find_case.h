#pragma once

#include <string>
#include <vector>

#include "reports/record/record.h"

namespace ablate::explain {

/// Names of the record's cases, measured or not, that contain all of these parts; only one case if a part is
/// its whole name. In the record's order.
std::vector<std::string> cases_with(const record&, const std::vector<std::string>& parts);

/// For the terminal: which cases contain the parts, at most 20 of them.
std::string ambiguity_text(const std::vector<std::string>& found);

/// Throws bad_input, with the nearest name, if no case contains the parts.
void refuse_none(const record&, const std::vector<std::string>& parts, const std::vector<std::string>& found);

}  // namespace ablate::explain
