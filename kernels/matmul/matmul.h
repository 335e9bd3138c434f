#pragma once

#include <cstdint>

namespace ablate::matmul {

/// C = A·B in fp32 without tensor cores (docs/operations/matmul.md). All matrices row-major and dense;
/// elements of A and B are uniform in [−1, 1).
struct problem {
  std::int64_t m = 0, n = 0, k = 0;  ///< 1 … max_size
  const float* a = nullptr;          ///< [m][k]
  const float* b = nullptr;          ///< [k][n]
  float* c = nullptr;                ///< [m][n]
};

constexpr std::int64_t max_size = 8192;

}  // namespace ablate::matmul
