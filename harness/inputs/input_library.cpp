#include "harness/inputs/input_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/inputs/generators.h"
#include "harness/inputs/order.h"
#include "reports/bad_input.h"

namespace ablate {
namespace {

constexpr std::array generators = {"uniform", "surface", "lidar", "clustered"};
constexpr std::int64_t most_points = std::int64_t{1} << 24;

bool is_generator(const std::string& distribution) {
  return std::find(generators.begin(), generators.end(), distribution) != generators.end();
}

std::vector<float> generate(const cloud_request& request, std::uint64_t seed) {
  if (request.distribution == "uniform") return uniform_points(request.points, request.domain, seed);
  if (request.distribution == "surface") return surface_points(request.points, request.domain, seed);
  if (request.distribution == "clustered") return clustered_points(request.points, request.domain, seed);
  return lidar_points(request.points, seed,
                      request.order == "azimuth" ? ray_order::azimuth_major : ray_order::ring_major);
}

void check_order(const cloud_request& request) {
  const auto& order = request.order;
  if (order == "natural" || order == "shuffled" || order == "morton") return;
  if (order == "azimuth" && request.distribution == "lidar") return;
  if (order == "azimuth")
    throw bad_input(fmt::format("distribution '{}'", request.distribution), "order 'azimuth'",
                    "expected natural, shuffled or morton (azimuth is an order of lidar)");
  throw bad_input(fmt::format("distribution '{}'", request.distribution), fmt::format("order '{}'", order),
                  "expected natural, azimuth, shuffled or morton");
}

std::int64_t count_non_finite(const std::vector<float>& xyz) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    count += !(std::isfinite(xyz[i]) && std::isfinite(xyz[i + 1]) && std::isfinite(xyz[i + 2]));
  return count;
}

}  // namespace

input_library::input_library(std::uint64_t seed, std::map<std::string, point_file> point_files,
                             std::vector<std::filesystem::path> data_directories)
    : seed_(seed), point_files_(std::move(point_files)), data_directories_(std::move(data_directories)) {
  for (const auto& [name, file] : point_files_)
    if (is_generator(name))
      throw bad_input(fmt::format("point file '{}'", name), "", "expected a name that is no generator's");
}

const point_file& input_library::find_point_file(const std::string& distribution) const {
  const auto file = point_files_.find(distribution);
  if (file != point_files_.end()) return file->second;
  std::vector<std::string> names(generators.begin(), generators.end());
  for (const auto& [name, ignored] : point_files_) names.push_back(name);
  throw bad_input(fmt::format("distribution '{}'", distribution), "",
                  fmt::format("expected one of {}", fmt::join(names, ", ")));
}

std::int64_t input_library::point_count(const std::string& distribution,
                                        std::int64_t requested_points) const {
  if (!(requested_points >= 0 && requested_points <= most_points))
    throw bad_input(fmt::format("distribution '{}'", distribution),
                    fmt::format("{} points", requested_points), fmt::format("expected 0 to {}", most_points));
  if (is_generator(distribution)) return requested_points;
  const point_file& file = find_point_file(distribution);
  return count_file_points(locate_point_file(distribution, file, data_directories_), file.floats_per_point,
                           requested_points);
}

point_cloud input_library::cloud(const cloud_request& request) const {
  check_order(request);
  point_count(request.distribution, request.points);
  point_cloud cloud;
  if (is_generator(request.distribution)) {
    cloud.xyz = generate(request, seed_);
  } else {
    const point_file& file = find_point_file(request.distribution);
    cloud.xyz = read_file_points(locate_point_file(request.distribution, file, data_directories_),
                                 file.floats_per_point, request.points);
  }
  if (request.order == "shuffled") shuffle_points(cloud.xyz, seed_);
  if (request.order == "morton") sort_points_by_morton_code(cloud.xyz, request.domain);
  cloud.non_finite = count_non_finite(cloud.xyz);
  return cloud;
}

}  // namespace ablate
