#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/inputs/files/point_records.h"
#include "harness/inputs/input_errors.h"

namespace ablate {

/// What a point file holds, by the end of its name.
enum class point_file_format {
  raw,  ///< any other: little-endian float32 records whose first three numbers are x, y, z in meters
  ply,  ///< .ply (ply_file.h)
  npy   ///< .npy (npy_file.h)
};
point_file_format format_of(const std::filesystem::path&);

struct point_file {
  std::string path;          ///< `data:NAME` (searched in the data directories) or a plain path
  int floats_per_point = 4;  ///< of raw records: KITTI .bin 4, nuScenes .pcd.bin 5; at least 3
  int sweeps = 1;  ///< the cloud is the file's points so many times, each from the vehicle's next pose
};

/// Where the file is: the first data directory that holds NAME, or the plain path. Throws input_missing
/// naming `name` (what a suite calls the file) and every place that was searched.
std::filesystem::path locate_point_file(const std::string& name, const point_file&,
                                        const std::vector<std::filesystem::path>& data_directories);

/// The number of points that a request for `requested_points` gives (0 = all), from the file's size and
/// header alone. Throws bad_input for a file that is empty, unreadable, no such file or no whole number of
/// points; input_unfit where it holds no points, or fewer than requested.
std::int64_t count_file_points(const std::filesystem::path&, int floats_per_point,
                               std::int64_t requested_points);

/// Visits the first points of the file, one after the other, in doubles whatever the file holds; at most a
/// megabyte of it is in memory. Throws as count_file_points does, and where a file of text turns out to be
/// none of points.
void visit_file_points(const std::filesystem::path&, int floats_per_point, std::int64_t requested_points,
                       const point_visitor&);

}  // namespace ablate
