#pragma once

#include <cstddef>

namespace ablate::gate {

/// P(T > t) of Student's t with `freedom` degrees of freedom. Exact.
double student_above(double t, std::size_t freedom);

/// The t that is exceeded with this probability, which is below one half. Throws std::invalid_argument for
/// another probability or without a degree of freedom.
double student_quantile_above(double probability, std::size_t freedom);

/// The same of the normal distribution: the probability, and the quantile to 12 digits.
double normal_above(double z);
double normal_quantile_above(double probability);

}  // namespace ablate::gate
