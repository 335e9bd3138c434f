#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ablate {

/// Point clouds in NumPy's .npy files, format versions 1 to 3: an array [points][3 or more] of little-endian
/// float32 or float64 in C order, whose first three columns are x, y, z in meters.

/// The number of points that a request for `requested_points` gives (0 = all), from the header and the file's
/// size. Throws bad_input, with the byte, for a file that is no such array, ends early or holds fewer points.
std::int64_t count_npy_points(const std::filesystem::path&, std::int64_t requested_points);

/// The first points, [points][3]; throws as count_npy_points does.
std::vector<float> read_npy_points(const std::filesystem::path&, std::int64_t requested_points);

}  // namespace ablate
