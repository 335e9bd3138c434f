#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "harness/inputs/files/scalar_type.h"

namespace ablate {

/// Receives x, y, z of one point.
using point_visitor = std::function<void(const std::array<double, 3>&)>;

/// The points of an opened file.
struct held_points {
  std::int64_t count = 0;
  /// Visits the first points in the file's order: `first` of them, at most `count`.
  std::function<void(std::int64_t first, const point_visitor&)> visit;
};

/// Where each coordinate of each point is: in records, one after the other, or in columns.
struct point_records {
  std::uint64_t begin = 0;  ///< the first byte
  struct coordinate {
    std::uint64_t offset = 0;  ///< of the first point's, from `begin`
    std::uint64_t stride = 0;  ///< bytes from a point's to that of the next, at least 1
    scalar_type type;
  };
  std::array<coordinate, 3> xyz;
};

/// A file's size in bytes. Throws bad_input if it cannot be read or is empty.
std::uint64_t file_bytes(const std::filesystem::path&);

/// The first bytes of a file, at most `most`. Throws as file_bytes does.
std::string first_bytes(const std::filesystem::path&, std::uint64_t most);

/// The number of points that a request for `requested` yields (0 = all) from a file that holds `held`. Throws
/// input_unfit if it holds fewer, or none.
std::int64_t points_to_read(const std::filesystem::path&, std::int64_t held, std::int64_t requested);

/// Visits the first `points` points of a file, a megabyte at a time. Throws bad_input if it ends earlier.
void visit_records(const std::filesystem::path&, const point_records&, std::int64_t points,
                   const point_visitor&);

/// The same in memory, of bytes that were unpacked from `file`.
void visit_records_in_memory(const std::string& file, std::string_view bytes, const point_records&,
                             std::int64_t points, const point_visitor&);

/// Rounded to the nearest fp32, infinite beyond its range.
float narrowed(double value);

}  // namespace ablate
