#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/selection.h"

namespace ablate {

/// The ids of the cases that words select, where at least one word is a name of an earlier version
/// (old_names.h). A case then matches by its earlier names, too, and by any value of what its operation no
/// longer has. Prints the cases' current names on stderr. Nothing if a word still matches no case.
std::optional<std::vector<std::string>> ids_by_old_names(const std::vector<std::string>& words,
                                                         const std::vector<case_words>&);

/// Terms by today's names, for a caller that keeps terms: as they are, where all cases are known by them (any
/// size of an axis of integers is).
std::vector<std::string> todays_terms(const std::vector<std::string>& terms, const std::vector<case_words>&);

}  // namespace ablate
