#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/inputs/files/described_file.h"
#include "harness/inputs/input_errors.h"

namespace ablate {

class point_bounds;  // clouds.h
struct cloud_request;
struct fitted_frame;
struct point_cloud;
struct voxel_cloud;
struct voxel_request;
struct voxel_scene;

/// The source of every input, by name and seed. The same seed gives the same bits on every machine:
/// generators use only integer arithmetic and correctly rounded floating-point operations (+ − × ÷ √), no
/// libm, no std::distribution. Clouds of points and voxels take clouds.h, with what is asked of them.
class input_library {
 public:
  /// Throws bad_input if a point file has a generator's name.
  input_library(std::uint64_t seed, std::map<std::string, point_file> point_files,
                std::vector<std::filesystem::path> data_directories);

  std::uint64_t seed() const { return seed_; }
  const std::map<std::string, point_file>& point_files() const { return point_files_; }

  /// The number of points that `cloud` will return, from the file's size and header alone. Throws as `cloud`
  /// does.
  std::int64_t point_count(const std::string& distribution, std::int64_t requested_points) const;

  /// The frame that fits the first points of a file (0 = all), read once per number of points. Throws as
  /// `cloud` and fit_frame do, and bad_input for a generated distribution.
  fitted_frame frame_of_file(const std::string& distribution, std::int64_t requested_points) const;

  /// Throws input_missing if a point file is not found; bad_input if it is empty, truncated or of another
  /// stride, and for an unknown distribution or order; input_unfit for a request for more points than the
  /// file holds, or for all points of a file that holds more than 2^24.
  point_cloud cloud(const cloud_request&) const;

  /// Throws bad_input for an unknown scene or order and for numbers outside their ranges; input_unfit for
  /// more rows than the scene can provide, for a point file without a point in a key's range and for a shift
  /// that moves a voxel out of that range; for a point file also as `cloud` does.
  voxel_cloud voxels(const voxel_request&) const;

  /// The number of rows that `voxels` will return. Generates the scene if the request leaves the number open,
  /// and for point files. Throws as `voxels` does, except for the shift and for a scene with too few voxels.
  std::int64_t voxel_row_count(const voxel_request&) const;

 private:
  struct known_bounds;

  const point_file& find_point_file(const std::string& distribution) const;
  /// Visits the first points of a file.
  void visit_points(const std::string& name, std::int64_t requested_points,
                    const std::function<void(const std::array<double, 3>& point)>&) const;
  /// Bounds of the first points of a file, read only once.
  point_bounds bounds_of(const std::string& name, std::int64_t requested_points) const;
  /// What is to be subtracted from the coordinates of a point file.
  std::array<double, 3> offset_of(const cloud_request&) const;
  voxel_scene make_voxel_scene(const voxel_request&) const;

  std::uint64_t seed_;
  std::map<std::string, point_file> point_files_;
  std::vector<std::filesystem::path> data_directories_;
  std::shared_ptr<known_bounds> known_bounds_;  // of the files, which do not change while a program runs
};

/// FNV-1a over the bytes, as 16 hex digits: an input's fingerprint in a record.
std::string hash_hex(const void* bytes, std::size_t size);

}  // namespace ablate
