#include "harness/inputs/files/point_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "harness/inputs/files/npy_file.h"
#include "harness/inputs/files/ply_file.h"
#include "harness/inputs/files/point_records.h"
#include "reports/text/bad_input.h"

namespace ablate {
namespace {

constexpr std::string_view data_prefix = "data:";

bool is_file(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

point_records raw_records(int floats_per_point) {
  return {.stride = sizeof(float) * static_cast<std::size_t>(floats_per_point),
          .xyz = {{{0}, {sizeof(float)}, {2 * sizeof(float)}}}};
}

}  // namespace

point_file_format format_of(const std::filesystem::path& path) {
  const std::filesystem::path extension = path.extension();
  if (extension == ".ply") return point_file_format::ply;
  return extension == ".npy" ? point_file_format::npy : point_file_format::raw;
}

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
  switch (format_of(path)) {
    case point_file_format::ply:
      return count_ply_points(path, requested_points);
    case point_file_format::npy:
      return count_npy_points(path, requested_points);
    case point_file_format::raw:
      break;
  }
  const std::string file = path.string();
  if (floats_per_point < 3)
    throw bad_input(file, "", fmt::format("expected at least 3 floats per point, got {}", floats_per_point));
  const std::uint64_t bytes = file_bytes(path), stride = raw_records(floats_per_point).stride;
  if (bytes % stride != 0)
    throw bad_input(
        file, fmt::format("byte {}", bytes - bytes % stride),
        fmt::format("expected points of {} floats ({} bytes), the file ends after {} bytes of one: "
                    "truncated, or of another stride",
                    floats_per_point, stride, bytes % stride));
  return points_to_read(path, static_cast<std::int64_t>(bytes / stride), requested_points);
}

void visit_file_points(const std::filesystem::path& path, int floats_per_point, std::int64_t requested_points,
                       const point_visitor& visit) {
  switch (format_of(path)) {
    case point_file_format::ply:
      return visit_ply_points(path, requested_points, visit);
    case point_file_format::npy:
      return visit_npy_points(path, requested_points, visit);
    case point_file_format::raw:
      return visit_records(path, raw_records(floats_per_point),
                           count_file_points(path, floats_per_point, requested_points), visit);
  }
}

}  // namespace ablate
