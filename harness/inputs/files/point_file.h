#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/inputs/files/described_file.h"
#include "harness/inputs/files/point_records.h"
#include "harness/inputs/input_errors.h"

namespace ablate {

/// Locates the file: in the first data directory that holds NAME, or at the plain path. Throws input_missing
/// with `name` (the suite's name for the file) and every place searched.
std::filesystem::path locate_point_file(const std::string& name, const point_file&,
                                        const std::vector<std::filesystem::path>& data_directories);

/// The number of points that a request for `requested_points` yields (0 = all), from the file's size and
/// header alone. Throws bad_input if the file is empty, unreadable, not of its format or not a whole number
/// of points; input_unfit if it holds no points, or fewer than requested.
std::int64_t count_file_points(const std::filesystem::path&, int floats_per_point,
                               std::int64_t requested_points);

/// Visits the first points of the file in order, as doubles whatever its type; a megabyte of it is in memory
/// at a time, unless it is packed. Throws as count_file_points does, and for contents that turn out to be no
/// points.
void visit_file_points(const std::filesystem::path&, int floats_per_point, std::int64_t requested_points,
                       const point_visitor&);

}  // namespace ablate
