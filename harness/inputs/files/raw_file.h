#pragma once

#include <filesystem>
#include <optional>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Raw point clouds: little-endian float32 records of equal size that begin with x, y, z in meters.

/// How many floats a record has in a file of this name, unless the suite says otherwise: 4 in .bin (KITTI), 5
/// in .pcd.bin (nuScenes, whose files all have them). Nothing if the name is not that of a raw file.
std::optional<int> raw_floats_by_name(const std::filesystem::path&);

/// Whether raw files of this name cannot have other records.
bool has_fixed_floats(const std::filesystem::path&);

/// Throws bad_input if the file is not a whole number of records of `floats_per_point`. Raw files say nothing
/// about themselves: visiting throws bad_input, with the record, for a coordinate that cannot be in meters:
/// not zero and denormal, or beyond 1e7. NaN and infinity are coordinates of points that are skipped.
held_points open_raw(const std::filesystem::path&, int floats_per_point);

}  // namespace ablate
