#pragma once

#include <filesystem>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Point clouds in PCD files, DATA ascii, binary or binary_compressed (which needs liblzf): the fields x, y
/// and z (any type of number, found by name, in meters). Other fields are skipped, VIEWPOINT is not applied.
/// Throws bad_input, with line or byte, if the file is not such a PCD or (binary) is truncated; visiting also
/// does for lines that are not points and for packed data that is broken.
held_points open_pcd(const std::filesystem::path&);

}  // namespace ablate
