#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace ablate {

/// Takes x, y, z of one point.
using point_visitor = std::function<void(const std::array<double, 3>&)>;

/// Points in a file as records of one size, little-endian.
struct point_records {
  std::uint64_t begin = 0;  ///< first byte of the first record
  std::size_t stride = 0;   ///< bytes from one record to the next, at least 1
  struct coordinate {
    std::size_t offset = 0;  ///< in a record, bytes
    bool is_float64 = false;
  };
  std::array<coordinate, 3> xyz;
};

/// Bytes of a file. Throws bad_input where it cannot be read or is empty.
std::uint64_t file_bytes(const std::filesystem::path&);

/// The number of points that a request for `requested` gives (0 = all) of a file that holds so many. Throws
/// input_unfit where it holds fewer, or none.
std::int64_t points_to_read(const std::filesystem::path&, std::int64_t held, std::int64_t requested);

/// Visits the first points. Throws bad_input where the file ends before.
void visit_records(const std::filesystem::path&, const point_records&, std::int64_t points,
                   const point_visitor&);

/// Rounded to nearest, infinite beyond what fp32 holds.
float narrowed(double value);

}  // namespace ablate
