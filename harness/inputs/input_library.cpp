#include "harness/inputs/input_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/text/bad_input.h"
#include "harness/inputs/clouds.h"
#include "harness/inputs/points/generators.h"
#include "harness/inputs/points/order.h"
#include "harness/inputs/points/vehicle_pose.h"
#include "harness/inputs/voxels/generators.h"

namespace ablate {
namespace {

constexpr std::array generators = {"uniform", "surface", "lidar", "clustered"};
constexpr std::int64_t max_points = std::int64_t{1} << 24;

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

void require(bool holds, const voxel_request& request, const std::string& place,
             const std::string& expected) {
  if (!holds) throw bad_input(fmt::format("scene '{}'", request.scene), place, expected);
}

/// Checks what needs no scene.
void check_numbers(const voxel_request& request) {
  require(request.rows >= 0 && request.rows <= max_voxel_rows, request, fmt::format("{} rows", request.rows),
          fmt::format("expected 0 to {}", max_voxel_rows));
  require(request.multiplicity >= 1 && request.multiplicity <= max_voxel_rows, request,
          fmt::format("multiplicity {}", request.multiplicity),
          fmt::format("expected 1 to {}", max_voxel_rows));
  require(request.order == "scan" || request.order == "shuffled" || request.order == "morton", request,
          fmt::format("order '{}'", request.order), "expected scan, shuffled or morton");
}

bool is_generated(const voxel_request& request) {
  const auto& words = voxel_scenes();
  return std::find(words.begin(), words.end(), request.scene) != words.end();
}

/// Voxels needed for the rows; 0 if the scene decides.
std::int64_t wanted_voxels(const voxel_request& request) {
  return (request.rows + request.multiplicity - 1) / request.multiplicity;
}

struct file_scene {
  std::string file;
  int cell_cm = 0;
};

/// Parses NAME_10cm; no file if the word has another form.
file_scene parse_file_scene(const std::string& scene) {
  constexpr int largest_cell_cm = 100;
  const auto underscore = scene.rfind('_');
  if (underscore == std::string::npos) return {};
  file_scene parsed{scene.substr(0, underscore), 0};
  const char* const end = scene.data() + scene.size();
  const auto [rest, error] = std::from_chars(scene.data() + underscore + 1, end, parsed.cell_cm);
  const bool sound = error == std::errc() && std::string_view(rest, end) == "cm" && parsed.cell_cm >= 1 &&
                     parsed.cell_cm <= largest_cell_cm;
  return sound ? parsed : file_scene{};
}

}  // namespace

struct input_library::known_bounds {
  std::mutex mutex;
  std::map<std::pair<std::string, std::int64_t>, point_bounds> by_file;
};

input_library::input_library(std::uint64_t seed, std::map<std::string, point_file> point_files,
                             std::vector<std::filesystem::path> data_directories)
    : seed_(seed),
      point_files_(std::move(point_files)),
      data_directories_(std::move(data_directories)),
      known_bounds_(std::make_shared<known_bounds>()) {
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
  if (!(requested_points >= 0 && requested_points <= max_points))
    throw bad_input(fmt::format("distribution '{}'", distribution),
                    fmt::format("{} points", requested_points), fmt::format("expected 0 to {}", max_points));
  if (is_generator(distribution)) return requested_points;
  const point_file& file = find_point_file(distribution);
  const auto path = locate_point_file(distribution, file, data_directories_);
  const std::int64_t points =
      points_to_read(path, file.sweeps * count_file_points(path, file.floats_per_point, 0), requested_points);
  if (points > max_points)
    throw input_unfit(
        path.string(), "",
        fmt::format("expected at most {} points, the file holds {}: ask for so many of them, or for fewer",
                    max_points, points));
  return points;
}

void input_library::visit_points(const std::string& name, std::int64_t requested_points,
                                 const point_visitor& visit) const {
  const point_file& file = find_point_file(name);
  const auto path = locate_point_file(name, file, data_directories_);
  const std::int64_t of_sweep = count_file_points(path, file.floats_per_point, 0);
  std::int64_t left = points_to_read(path, file.sweeps * of_sweep, requested_points);
  const auto visit_sweep = [&](const point_visitor& to) {
    visit_file_points(path, file.floats_per_point, std::min(left, of_sweep), to);
    left -= of_sweep;
  };
  visit_sweep(visit);  // the first pose is the file's own
  for (vehicle_pose pose = vehicle_pose().next(); left > 0; pose = pose.next())
    visit_sweep([&](const std::array<double, 3>& point) {
      visit(is_zero_return(point) ? point : pose.seen_from_the_first(point));
    });
}

point_bounds input_library::bounds_of(const std::string& name, std::int64_t requested_points) const {
  const std::scoped_lock lock(known_bounds_->mutex);
  const std::pair key(name, requested_points);
  const auto known = known_bounds_->by_file.find(key);
  if (known != known_bounds_->by_file.end()) return known->second;
  point_bounds bounds;
  visit_points(name, requested_points, [&](const std::array<double, 3>& point) { bounds.add(point); });
  return known_bounds_->by_file.emplace(key, bounds).first->second;
}

fitted_frame input_library::frame_of_file(const std::string& distribution,
                                          std::int64_t requested_points) const {
  point_count(distribution, requested_points);
  const auto path = locate_point_file(distribution, find_point_file(distribution), data_directories_);
  return fit_frame(path.string(), bounds_of(distribution, requested_points));
}

std::array<double, 3> input_library::offset_of(const cloud_request& request) const {
  if (request.origin == cloud_origin::middle)
    return frame_of_file(request.distribution, request.points).middle;
  if (request.origin == cloud_origin::stored) return {};
  const point_bounds bounds = bounds_of(request.distribution, 0);  // of the file, whichever points are asked
  return bounds.is_far_from_zero() ? bounds.middle() : std::array<double, 3>{};
}

point_cloud input_library::cloud(const cloud_request& request) const {
  check_order(request);
  const std::int64_t points = point_count(request.distribution, request.points);
  point_cloud cloud;
  if (is_generator(request.distribution)) {
    cloud.xyz = generate(request, seed_);
  } else {
    cloud.offset = offset_of(request);
    cloud.xyz.reserve(3 * static_cast<std::size_t>(points));
    visit_points(request.distribution, request.points, [&](const std::array<double, 3>& point) {
      cloud.zero_returns += is_zero_return(point);
      for (std::size_t axis = 0; axis < 3; ++axis)
        cloud.xyz.push_back(narrowed(point[axis] - cloud.offset[axis]));
    });
  }
  if (request.order == "shuffled") shuffle_points(cloud.xyz, seed_);
  if (request.order == "morton") sort_points_by_morton_code(cloud.xyz, request.domain);
  cloud.non_finite = count_non_finite(cloud.xyz);
  return cloud;
}

voxel_scene input_library::make_voxel_scene(const voxel_request& request) const {
  if (is_generated(request)) return generate_voxels(request.scene, wanted_voxels(request), seed_);
  const file_scene parsed = parse_file_scene(request.scene);
  const auto file = point_files_.find(parsed.file);
  std::vector<std::string> words = voxel_scenes();
  for (const auto& [name, ignored] : point_files_) words.push_back(name + "_10cm");
  require(file != point_files_.end(), request, "",
          fmt::format("expected one of {}{}", fmt::join(words, ", "),
                      point_files_.empty() ? "" : " (or 1 to 100 cm)"));
  const std::int64_t wanted = wanted_voxels(request);
  voxel_scene scene = point_voxels([&](const point_visitor& visit) { visit_points(parsed.file, 0, visit); },
                                   bounds_of(parsed.file, 0), parsed.cell_cm / 100., wanted);
  const auto voxels = static_cast<std::int64_t>(scene.voxels.size());
  if (voxels < std::max(wanted, std::int64_t{1}))
    throw input_unfit(locate_point_file(parsed.file, file->second, data_directories_).string(),
                      fmt::format("in cells of {} cm", parsed.cell_cm),
                      fmt::format("expected {} voxels or more, the file has {}",
                                  std::max(wanted, std::int64_t{1}), voxels));
  return scene;
}

voxel_cloud input_library::voxels(const voxel_request& request) const {
  check_numbers(request);
  return finish_voxels(make_voxel_scene(request), request, seed_);
}

std::int64_t input_library::voxel_row_count(const voxel_request& request) const {
  check_numbers(request);
  if (request.rows > 0 && is_generated(request)) return request.rows;
  voxel_request in_place = request;
  in_place.order = "scan";
  in_place.shift = {0, 0, 0};
  return voxels(in_place).rows();
}

}  // namespace ablate
