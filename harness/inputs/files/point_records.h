#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace ablate {

/// Receives x, y, z of one point.
using point_visitor = std::function<void(const std::array<double, 3>&)>;

/// Points in a file as little-endian records of fixed size.
struct point_records {
  std::uint64_t begin = 0;  ///< first byte of the first record
  std::size_t stride = 0;   ///< bytes from one record to the next, at least 1
  struct coordinate {
    std::size_t offset = 0;  ///< bytes into the record
    bool is_float64 = false;
  };
  std::array<coordinate, 3> xyz;
};

/// A file's size in bytes. Throws bad_input if it cannot be read or is empty.
std::uint64_t file_bytes(const std::filesystem::path&);

/// The number of points that a request for `requested` yields (0 = all) from a file that holds `held`. Throws
/// input_unfit if it holds fewer, or none.
std::int64_t points_to_read(const std::filesystem::path&, std::int64_t held, std::int64_t requested);

/// Visits the first `points` points. Throws bad_input if the file ends earlier.
void visit_records(const std::filesystem::path&, const point_records&, std::int64_t points,
                   const point_visitor&);

/// Rounded to the nearest fp32, infinite beyond its range.
float narrowed(double value);

}  // namespace ablate
