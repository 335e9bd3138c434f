#include "harness/inputs/point_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <string_view>

#include "reports/bad_input.h"

namespace ablate {
namespace {

static_assert(std::endian::native == std::endian::little, "point files are little-endian");

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
  const std::string file = path.string();
  if (floats_per_point < 3)
    throw bad_input(file, "", fmt::format("expected at least 3 floats per point, got {}", floats_per_point));
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw bad_input(file, "", "expected a readable file: " + error.message());
  const std::uintmax_t stride = std::uintmax_t{sizeof(float)} * static_cast<unsigned>(floats_per_point);
  if (bytes == 0) throw bad_input(file, "", "expected points, the file is empty");
  if (bytes % stride != 0)
    throw bad_input(
        file, fmt::format("byte {}", bytes - bytes % stride),
        fmt::format("expected points of {} floats ({} bytes), the file ends after {} bytes of one: "
                    "truncated, or of another stride",
                    floats_per_point, stride, bytes % stride));
  const auto held = static_cast<std::int64_t>(bytes / stride);
  if (requested_points > held)
    throw bad_input(file, "", fmt::format("expected {} points, the file holds {}", requested_points, held));
  return requested_points == 0 ? held : requested_points;
}

std::vector<float> read_file_points(const std::filesystem::path& path, int floats_per_point,
                                    std::int64_t requested_points) {
  const auto points = static_cast<std::size_t>(count_file_points(path, floats_per_point, requested_points));
  const auto stride = static_cast<std::size_t>(floats_per_point);
  // In pieces: only three numbers of each record are kept.
  constexpr std::size_t points_per_piece = 1 << 14;
  std::vector<float> piece(std::min(points, points_per_piece) * stride);
  std::vector<float> xyz(points * 3);
  std::ifstream stream(path, std::ios::binary);
  for (std::size_t first = 0; first < points; first += points_per_piece) {
    const std::size_t size = std::min(points_per_piece, points - first);
    const auto bytes = static_cast<std::streamsize>(size * stride * sizeof(float));
    if (!stream.read(reinterpret_cast<char*>(piece.data()), bytes))
      throw bad_input(path.string(), fmt::format("byte {}", first * stride * sizeof(float)),
                      fmt::format("expected {} more readable bytes", bytes));
    for (std::size_t i = 0; i < size; ++i) std::copy_n(&piece[i * stride], 3, &xyz[(first + i) * 3]);
  }
  return xyz;
}

}  // namespace ablate
