#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/inputs/files/scalar_type.h"

namespace ablate {

/// An array in NumPy's .npy format, as its header describes it.
struct npy_array {
  /// A type as the header writes it, '<f4': byte order, letter, size.
  struct element {
    std::string text;
    std::uint64_t bytes = 0;
    /// Nothing for text, complex numbers and the like.
    std::optional<scalar_type> number() const;
  };
  struct field {
    std::string name;
    element type;
    std::uint64_t values = 1;  ///< the product of the field's own shape
  };
  element of;                 ///< of plain elements
  std::vector<field> fields;  ///< of structured ones
  bool is_fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t header_begin = 0, begin = 0, bytes = 0;  ///< of the elements: the first, and how many follow

  std::string type_text() const;  ///< '<f4', or "a structure"
};

constexpr std::uint64_t max_npy_header_bytes = 1 << 16;

/// Reads the header from the first bytes of `file` (max_npy_header_bytes, or all), which has `bytes` of
/// them. Throws bad_input, with the byte, if it is none or truncated.
npy_array read_npy_header(const std::string& file, std::string_view first, std::uint64_t bytes);

}  // namespace ablate
