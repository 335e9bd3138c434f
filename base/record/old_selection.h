#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/selection.h"

namespace ablate {

/// The ids of the cases that words select of which at least one is a name of an earlier version
/// (old_names.h): a case then has the names that it had before, too, and what its operation has no more it
/// has with any value. Says on stderr what the cases are today. Nothing where a word means no case even so.
std::optional<std::vector<std::string>> ids_by_old_names(const std::vector<std::string>& words,
                                                         const std::vector<case_words>&);

/// Terms by today's names, for a caller that keeps terms: as they are, where all cases are known by them (any
/// size of an axis of integers is).
std::vector<std::string> todays_terms(const std::vector<std::string>& terms, const std::vector<case_words>&);

}  // namespace ablate
