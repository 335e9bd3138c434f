#include "harness/inputs/files/raw_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/text/bad_input.h"
#include "harness/inputs/files/file_name.h"

namespace ablate {
namespace {

constexpr int nuscenes_floats = 5;
constexpr double max_meters = 1e7;

bool is_nuscenes(const std::filesystem::path& path) { return ends_in(path, ".pcd.bin"); }

bool can_be_meters(double coordinate) {
  const double size = std::fabs(coordinate);
  if (!std::isfinite(size) || size == 0) return true;
  return size >= std::numeric_limits<float>::min() && size <= max_meters;
}

}  // namespace

std::optional<int> raw_floats_by_name(const std::filesystem::path& path) {
  if (is_nuscenes(path)) return nuscenes_floats;
  return ends_in(path, ".bin") ? std::optional(4) : std::nullopt;
}

bool has_fixed_floats(const std::filesystem::path& path) { return is_nuscenes(path); }

held_points open_raw(const std::filesystem::path& path, int floats_per_point) {
  const std::string file = path.string();
  if (floats_per_point < 3)
    throw bad_input(file, "", fmt::format("expected at least 3 floats per point, got {}", floats_per_point));
  if (has_fixed_floats(path) && floats_per_point != *raw_floats_by_name(path))
    throw bad_input(file, "",
                    fmt::format("expected the {} floats per point that every .pcd.bin has, got {}",
                                *raw_floats_by_name(path), floats_per_point));
  const std::uint64_t bytes = file_bytes(path),
                      stride = sizeof(float) * static_cast<std::uint64_t>(floats_per_point);
  if (bytes % stride != 0)
    throw bad_input(
        file, fmt::format("byte {}", bytes - bytes % stride),
        fmt::format("expected points of {} floats ({} bytes), the file ends after {} bytes of one: "
                    "truncated, or of another stride",
                    floats_per_point, stride, bytes % stride));
  point_records records;
  for (std::size_t axis = 0; axis < 3; ++axis)
    records.xyz[axis] = {sizeof(float) * axis, stride, scalar_type{}};
  return {static_cast<std::int64_t>(bytes / stride),
          [path, records, floats_per_point](std::int64_t first, const point_visitor& visit) {
            std::int64_t record = 0;
            visit_records(path, records, first, [&](const std::array<double, 3>& point) {
              for (std::size_t axis = 0; axis < 3; ++axis)
                if (!can_be_meters(point[axis]))
                  throw bad_input(path.string(), fmt::format("record {}", record),
                                  fmt::format("expected coordinates in meters, found {} = {:g}: no raw "
                                              "float32 records of {} floats",
                                              "xyz"[axis], point[axis], floats_per_point));
              visit(point);
              ++record;
            });
          }};
}

}  // namespace ablate
