#pragma once

#include <array>
#include <vector>

namespace ablate {

/// The cloud, [points][3], and `copies` − 1 more after it, each the one before turned about the vertical
/// through `middle` (x, y) by the angle of the 3-4-5 triangle: no two are alike, and the arithmetic is the
/// same on every machine.
std::vector<float> turned_copies(const std::vector<float>& xyz, int copies,
                                 const std::array<double, 2>& middle);

}  // namespace ablate
