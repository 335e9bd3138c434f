#pragma once

#include <vector>

namespace ablate::gate {

/// The p-values of a family, adjusted by Benjamini and Hochberg (1995) and in the given order: of the
/// hypotheses with an adjusted p of at most `level`, an expected share of at most `level` is rejected
/// wrongly. Holds for independent comparisons and for those that depend on each other positively, such as
/// ratios over one baseline. Throws std::invalid_argument for a p outside 0 to 1.
std::vector<double> false_discovery_adjusted(const std::vector<double>& p);

}  // namespace ablate::gate
