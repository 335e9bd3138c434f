#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/coordinate_expand/coordinate_expand.h"

namespace ablate::coordinate_expand {

/// Working memory of the variants, in one buffer.
struct scratch {
  std::int64_t* slots;     ///< [1]: of the current table
  std::int32_t* selected;  ///< [1]: number of distinct keys
  std::uint64_t* keys[2];  ///< [candidates] each: the sort's double buffer; none unless the problem may sort
  std::byte* temporary;    ///< [temporary_bytes]: for CUB's algorithms
  std::size_t temporary_bytes;
  std::size_t bytes;

  explicit scratch(const problem&);
};

}  // namespace ablate::coordinate_expand
