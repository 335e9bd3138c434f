#pragma once

#include <vector>

namespace ablate::gate {

/// The smallest of the values that at least the share `q` of them does not exceed: no value between two is
/// made up, so a high quantile of few values is the largest. Throws std::invalid_argument for no value, one
/// that is not finite, or `q` outside (0, 1].
double quantile(std::vector<double> values, double q);

/// The middle value, or the mean of the two in the middle. Errors as above.
double median(std::vector<double> values);

}  // namespace ablate::gate
