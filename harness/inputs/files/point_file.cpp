#include "harness/inputs/files/point_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "harness/inputs/files/point_formats.h"

namespace ablate {
namespace {

constexpr std::string_view data_prefix = "data:";

bool is_file(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

}  // namespace

std::filesystem::path locate_point_file(const std::string& name, const point_file& file,
                                        const std::vector<std::filesystem::path>& data_directories) {
  if (!file.path.starts_with(data_prefix)) {
    if (is_file(file.path)) return file.path;
    throw input_missing(fmt::format("point file '{}': no file {}", name, file.path));
  }
  const std::string stored_name = file.path.substr(data_prefix.size());
  std::vector<std::string> searched;
  for (const auto& directory : data_directories) {
    const auto path = directory / stored_name;
    if (is_file(path)) return path;
    searched.push_back(path.string());
  }
  if (searched.empty())
    throw input_missing(
        fmt::format("point file '{}': no data directory to search for {} (name one with --data "
                    "or ABLATE_DATA)",
                    name, stored_name));
  throw input_missing(fmt::format("point file '{}': no file {}", name, fmt::join(searched, ", nor ")));
}

std::int64_t count_file_points(const std::filesystem::path& path, int floats_per_point,
                               std::int64_t requested_points) {
  return points_to_read(path, open_points(path, floats_per_point).count, requested_points);
}

void visit_file_points(const std::filesystem::path& path, int floats_per_point, std::int64_t requested_points,
                       const point_visitor& visit) {
  const held_points points = open_points(path, floats_per_point);
  points.visit(points_to_read(path, points.count, requested_points), visit);
}

}  // namespace ablate
