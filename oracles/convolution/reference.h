#pragma once

#include <vector>

#include "kernels/convolution/convolution.h"

namespace ablate::convolution {

/// The oracle, summed in fp64 and rounded at the end. Of a problem with host pointers; `out` is not touched.
std::vector<float> exact(const problem&);

/// The accepted error of each element: what its taps' roundings may do to a sum in fp32, and one rounding of
/// the oracle's. Of a problem with host pointers.
std::vector<float> accepted_errors(const problem&);

}  // namespace ablate::convolution
