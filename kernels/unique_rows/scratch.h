#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/unique_rows/unique_rows.h"

namespace ablate::unique_rows {

/// Working memory of the variants, in one buffer.
struct scratch {
  std::uint8_t* flags;     ///< [rows]: 1 = in the list
  std::int32_t* rows[2];   ///< [rows] each: the sort's double buffer
  std::uint64_t* keys[2];  ///< [rows] each: the same
  std::byte* temporary;    ///< [temporary_bytes]: for CUB's algorithms
  std::size_t temporary_bytes;
  std::size_t bytes;

  explicit scratch(const problem&);
};

}  // namespace ablate::unique_rows
