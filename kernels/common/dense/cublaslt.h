#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/launcher.h"

namespace ablate::cublaslt {

/// cuBLASLt, opened when it is first called (dlopen; nothing links to it, it is half a gigabyte).
/// ABLATE_CUBLASLT names it where it is neither on the loader's path nor in a toolkit. Without it, or without
/// the toolkit's header when the program was built, or where it has no algorithm, `multiply` throws
/// `unsupported`, which says so.

enum class element { bf16, fp32 };
enum class behind {
  nothing,
  bias,               ///< bf16, added to each row
  gelu_tanh_of_bias,  ///< GELU in its tanh form
  bias_gradient       ///< beside the product: the sums over k of B, fp32 [n]
};

/// D[n][m] = B'[n][k] · A'[m][k]ᵀ (+ C), matrices row-major, in the library's terms column-major: A and B
/// bf16, sums fp32. A' is [m][k] or [k][m] in memory; B' is [n][k] or [k][n].
struct product {
  std::int64_t m = 0, n = 0, k = 0;
  bool a_is_k_major = true, b_is_k_major = true;  ///< k is the contiguous dimension
  element of_d = element::bf16;
  bool adds_c = false;  ///< of D's type and shape
  behind then = behind::nothing;
  int batches = 1;  ///< of A, the bias and D; B is shared
};

struct operands {
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void* d = nullptr;
  const void* bias = nullptr;  ///< bias_gradient: where it goes
  void* workspace = nullptr;   ///< workspace_bytes, aligned to 256
};

constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

/// Descriptors are made and the heuristic is asked when a product is first multiplied, not again: a region
/// that was launched once only enqueues kernels, also while a graph is captured. Only algorithms whose sums
/// have the same order every run.
void multiply(launcher&, const product&, const operands&);

}  // namespace ablate::cublaslt
