#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Point clouds in NumPy's .npy files, format versions 1 to 3: an array [points][3 or more] of little-endian
/// float32 or float64 in C order, whose first three columns are x, y, z in meters.

/// The number of points that a request for `requested_points` yields (0 = all), from the header and the file
/// size. Throws bad_input, with the byte offset, if the file is not such an array or is truncated;
/// input_unfit if it holds fewer points, or none.
std::int64_t count_npy_points(const std::filesystem::path&, std::int64_t requested_points);

/// Visits the first points; throws as count_npy_points does.
void visit_npy_points(const std::filesystem::path&, std::int64_t requested_points, const point_visitor&);

struct npy_elements_wanted {
  std::string_view element;  ///< '<f4', as the header writes it
  std::uint64_t element_bytes = 0;
  std::uint64_t count = 0;
};

/// All elements of an array of any shape, in C order. Throws bad_input unless it has this many of this type.
std::vector<std::byte> npy_elements(const std::filesystem::path&, const npy_elements_wanted&);

}  // namespace ablate
