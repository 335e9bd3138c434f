#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Point clouds in PLY files, ASCII or binary little-endian, version 1.0: the properties x, y and z (float or
/// double, found by name, in meters) of the element `vertex`. Other properties and elements are skipped;
/// lists must come after the vertices, as faces do.

/// The number of points that a request for `requested_points` yields (0 = all), from the header. Throws
/// bad_input, with line or byte, if the file is not such a PLY or (binary) is truncated; input_unfit if it
/// holds fewer points, or none.
std::int64_t count_ply_points(const std::filesystem::path&, std::int64_t requested_points);

/// Visits the first points; throws as count_ply_points does, and for lines that are not vertices.
void visit_ply_points(const std::filesystem::path&, std::int64_t requested_points, const point_visitor&);

}  // namespace ablate
