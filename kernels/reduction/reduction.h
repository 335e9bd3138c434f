#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::reduction {

/// The sum of fp32 numbers (docs/operations/reduction.md).
struct problem {
  std::int64_t count = 0;     ///< 1 … max_elements
  const float* in = nullptr;  ///< [count], 16-byte aligned
  float* out = nullptr;       ///< [1]
  void* scratch = nullptr;    ///< scratch_bytes()
};

constexpr std::int64_t max_elements = std::int64_t{1} << 28;

/// Working memory of the variants, in one buffer.
struct scratch {
  std::byte* temporary;  ///< [temporary_bytes]: of cub's algorithm
  std::size_t temporary_bytes;
  std::size_t bytes;

  explicit scratch(const problem&);
};
std::size_t scratch_bytes();

}  // namespace ablate::reduction
