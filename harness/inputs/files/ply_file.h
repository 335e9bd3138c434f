#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Point clouds in PLY files, ASCII or binary little-endian, version 1.0: the properties x, y and z (float or
/// double, found by name, in meters) of the element `vertex`. Other properties and elements are skipped;
/// lists must come after the vertices, as faces do.

/// The number of points that a request for `requested_points` gives (0 = all), from the header. Throws
/// bad_input, with line or byte, for a file that is no such PLY or (binary) ends early; input_unfit where it
/// holds fewer points, or none.
std::int64_t count_ply_points(const std::filesystem::path&, std::int64_t requested_points);

/// Visits the first points; throws as count_ply_points does, and for lines that are no vertices.
void visit_ply_points(const std::filesystem::path&, std::int64_t requested_points, const point_visitor&);

}  // namespace ablate
