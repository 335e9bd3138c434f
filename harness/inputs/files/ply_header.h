#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/inputs/files/scalar_type.h"

namespace ablate {

struct ply_property {
  std::string name;
  scalar_type type;                        ///< of a list: of its items
  std::optional<scalar_type> list_length;  ///< of a list: what its length is written as
};

struct ply_element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<ply_property> properties;

  bool has_list() const;
  /// Of one entry in a binary file, if its lists are empty.
  std::uint64_t least_bytes() const;
};

struct ply_header {
  bool is_ascii = false;
  std::vector<ply_element> before;  ///< elements ahead of the vertices
  ply_element vertices;
  std::array<std::size_t, 3> xyz{};  ///< indices among the vertices' properties
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
};

/// Throws bad_input, with the line, if the file is no PLY 1.0 or its element `vertex` has no numbers x, y, z.
ply_header read_ply_header(const std::filesystem::path&);

}  // namespace ablate
