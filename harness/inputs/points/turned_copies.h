#pragma once

#include <array>
#include <vector>

namespace ablate {

/// The cloud, [points][3], followed by `copies` − 1 copies, each rotated from the previous one about the
/// vertical through `middle` (x, y) by the angle of the 3-4-5 triangle: no two are alike, and the arithmetic
/// is identical on every machine.
std::vector<float> turned_copies(const std::vector<float>& xyz, int copies,
                                 const std::array<double, 2>& middle);

}  // namespace ablate
