#pragma once

#include <vector>

namespace ablate::gate {

/// Holm's adjustment of the p-values of a family, in their order: those that are at most `level` afterwards
/// may all be rejected, with a chance of at most `level` that any of them is wrong. Throws
/// std::invalid_argument for a p outside 0 to 1.
std::vector<double> holm_adjusted(const std::vector<double>& p);

}  // namespace ablate::gate
