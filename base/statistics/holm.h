#pragma once

#include <vector>

namespace ablate::gate {

/// Holm-adjusted p-values of a family, in the given order: rejecting all hypotheses with adjusted p at most
/// `level` bounds the probability of any false rejection by `level`. Throws std::invalid_argument for a p
/// outside 0 to 1.
std::vector<double> holm_adjusted(const std::vector<double>& p);

}  // namespace ablate::gate
