#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ablate {

/// A point file that is not where it should be. The case gets the status `input_missing`; the run goes on.
struct input_missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file of little-endian float32 records whose first three numbers are x, y, z in meters.
struct point_file {
  std::string path;          ///< `data:NAME` (searched in the data directories) or a plain path
  int floats_per_point = 4;  ///< KITTI .bin 4, nuScenes .pcd.bin 5
};

/// The box that a cloud is made for: generators of shapes without a size of their own fill it.
struct box {
  std::array<float, 3> origin;  ///< meters
  std::array<float, 3> size;    ///< meters
};

struct cloud_request {
  std::string distribution;     ///< uniform, surface, lidar, clustered, or the name of a point file
  std::string order;            ///< natural, azimuth (lidar only), shuffled, morton
  std::int64_t points = 0;      ///< 0 = all that a point file holds
  box domain;
};

struct point_cloud {
  std::vector<float> xyz;       ///< [points][3], meters
  std::int64_t non_finite = 0;  ///< points with a NaN or infinite coordinate; they are kept
  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

/// Every input comes from here, by name and seed. The same seed gives the same bits on every machine: generators use
/// integer arithmetic and exactly rounded floating-point operations only (+ − × ÷ √), no libm, no std::distribution.
class input_library {
 public:
  input_library(std::uint64_t seed, std::map<std::string, point_file> point_files,
                std::vector<std::filesystem::path> data_directories);

  std::uint64_t seed() const { return seed_; }
  const std::map<std::string, point_file>& point_files() const { return point_files_; }

  /// The number of points that `cloud` will return, from the file's size alone. Throws as `cloud` does.
  std::int64_t point_count(const std::string& distribution, std::int64_t requested_points) const;

  /// Throws input_missing for a point file that is not found, bad_input for one that is empty, truncated or of another
  /// stride, and for a request of more points than the file holds.
  point_cloud cloud(const cloud_request&) const;

 private:
  std::filesystem::path locate(const std::string& name, const point_file&) const;

  std::uint64_t seed_;
  std::map<std::string, point_file> point_files_;
  std::vector<std::filesystem::path> data_directories_;
};

/// FNV-1a over the bytes, as 16 hexadecimal digits: the input's fingerprint in a record.
std::string hash_hex(const void* bytes, std::size_t size);

}  // namespace ablate
