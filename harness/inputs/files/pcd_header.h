#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/inputs/files/scalar_type.h"

namespace ablate {

enum class pcd_encoding { ascii, binary, binary_compressed };

struct pcd_field {
  std::string name;
  std::uint64_t size = 4;   ///< bytes of one value
  std::uint64_t count = 1;  ///< values per point
  std::uint64_t bytes() const { return size * count; }
};

struct pcd_header {
  std::vector<pcd_field> fields;
  struct coordinate {
    std::size_t field = 0;
    scalar_type type;
  };
  std::array<coordinate, 3> xyz;
  std::uint64_t points = 0;
  pcd_encoding encoding = pcd_encoding::ascii;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;

  std::uint64_t point_bytes() const;       ///< in a binary file
  std::uint64_t values_per_point() const;  ///< in a text file
};

/// Throws bad_input, with the line, if this is no header of a PCD file with numbers x, y and z.
pcd_header read_pcd_header(const std::filesystem::path&);

}  // namespace ablate
