#pragma once

#include <filesystem>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Point clouds in PLY files, version 1.0, ASCII or binary of either endianness: the properties x, y and z
/// (any type of number, found by name, in meters) of the element `vertex`. Other properties and elements are
/// skipped.
/// Throws bad_input, with line or byte, if the file is not such a PLY or (binary) is truncated; visiting also
/// does for lines that are not vertices.
held_points open_ply(const std::filesystem::path&);

}  // namespace ablate
