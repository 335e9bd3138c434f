#pragma once

#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate::explain {

/// Names of the record's cases, measured or not, that these words select (base/record/selection.h). In the
/// record's order. Throws bad_input, with the nearest name, for a word that means none of them, and where no
/// case has all.
std::vector<std::string> cases_with(const record&, const std::vector<std::string>& words);

/// For the terminal: which cases fit, at most 20 of them.
std::string ambiguity_text(const std::vector<std::string>& found);

}  // namespace ablate::explain
