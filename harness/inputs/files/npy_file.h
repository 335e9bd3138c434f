#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Point clouds in NumPy's .npy files, format versions 1 to 3, x, y, z in meters as any type of number of
/// either endianness: an array [points][3 to 64] in C or Fortran order, whose first three columns are
/// read, or an array of any shape whose elements are structures with the fields x, y and z.

/// Throws bad_input, with the byte offset, if the file is not such an array or is truncated.
held_points open_npy(const std::filesystem::path&);

/// Where the points are in an array of `bytes` bytes that begins with `first` (max_npy_header_bytes, or
/// all).
struct npy_points {
  std::int64_t count = 0;
  point_records records;
  std::uint64_t bytes_of(std::int64_t first_points) const;  ///< from the array's begin to their end
};
npy_points points_of_npy(const std::string& file, std::string_view first, std::uint64_t bytes);

struct npy_elements_wanted {
  std::string_view element;  ///< '<f4', as the header writes it
  std::uint64_t element_bytes = 0;
  std::uint64_t count = 0;
};

/// All elements of an array of any shape, in C order. Throws bad_input unless it has this many of this type.
std::vector<std::byte> npy_elements(const std::filesystem::path&, const npy_elements_wanted&);

}  // namespace ablate
