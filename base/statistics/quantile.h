#pragma once

#include <vector>

namespace ablate::gate {

/// The smallest value that at least a fraction `q` of the values does not exceed: there is no interpolation,
/// so a high quantile of few values is the largest. Throws std::invalid_argument for no values, a non-finite
/// value, or `q` outside (0, 1].
double quantile(std::vector<double> values, double q);

/// The middle value, or the mean of the middle two. Errors as above.
double median(std::vector<double> values);

}  // namespace ablate::gate
