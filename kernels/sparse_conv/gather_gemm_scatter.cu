// Y = b + Σ_q X[T[q]] · W_qᵀ in the published steps: for each offset the in rows of its list are gathered,
// cuBLASLt multiplies them by the offset's weights, and the products are added to the out rows' fp32 sums; a
// list has no out row twice, so no atomics are needed. At the end bias and rounding. 81 launches for 27
// offsets; the host knows the lists' lengths.
//
// Should move: launches, and L2 bytes: a pair's row and its products are each written and read again.
//
// dX is the same with swapped pairs and transposed weights.
#include "kernels/common/dense/cublaslt.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/sparse_conv/launches.h"
#include "kernels/sparse_conv/sums.h"
#include "kernels/sparse_conv/weight_gradient.h"

namespace ablate::sparse_conv {

constexpr int list_threads = 256, elements_of_16_bytes = 8;

/// 16 bytes a thread of rows of `chunks` such.
__global__ __launch_bounds__(list_threads) void gather_listed_rows(const uint4* x, const std::int32_t* rows,
                                                                   uint4* gathered, int chunks,
                                                                   long long all) {
  const long long i = blockIdx.x * static_cast<long long>(list_threads) + threadIdx.x;
  if (i < all) gathered[i] = x[static_cast<long long>(rows[i / chunks]) * chunks + i % chunks];
}

/// Four sums a thread; each row of the list is another.
__global__ __launch_bounds__(list_threads) void add_listed_rows(const float4* products,
                                                                const std::int32_t* rows, float4* sums,
                                                                int chunks, long long all) {
  const long long i = blockIdx.x * static_cast<long long>(list_threads) + threadIdx.x;
  if (i >= all) return;
  const float4 product = products[i];
  float4& sum = sums[static_cast<long long>(rows[i / chunks]) * chunks + i % chunks];
  const float4 before = sum;
  sum = {before.x + product.x, before.y + product.y, before.z + product.z, before.w + product.w};
}

template <weight_use Use>
void multiply_by_library(launcher& to, const problem& p) {
  constexpr bool transposes = Use == weight_use::transposed;
  const int columns = columns_of<Use>(p), contracted = transposes ? p.out_channels : p.in_channels;
  const std::int32_t* const from = transposes ? p.out_rows : p.in_rows;
  const std::int32_t* const into = transposes ? p.in_rows : p.out_rows;
  const std::uint16_t* const x = transposes ? p.out_gradient : p.x;
  clear_sums<Use>(to, p);
  for (std::size_t q = 0; q < counted_lists; ++q) {
    const std::int64_t first = p.known_ends[q], pairs = p.known_ends[q + 1] - first;
    if (pairs == 0) continue;
    const std::int64_t rows_in = pairs * (contracted / elements_of_16_bytes),
                       rows_out = pairs * (columns / 4);
    launch(to, gather_listed_rows, dim3(blocks_for(rows_in, list_threads)), dim3(list_threads), 0,
           reinterpret_cast<const uint4*>(x), from + first, reinterpret_cast<uint4*>(p.gathered),
           contracted / elements_of_16_bytes, rows_in);
    const std::uint16_t* const weights =
        p.weights_by_offset + static_cast<std::int64_t>(q) * p.out_channels * p.in_channels;
    cublaslt::multiply(to,
                       {.m = columns,
                        .n = pairs,
                        .k = contracted,
                        .a_is_k_major = !transposes,
                        .of_d = cublaslt::element::fp32},
                       {.a = weights, .b = p.gathered, .d = p.products, .workspace = p.workspace});
    launch(to, add_listed_rows, dim3(blocks_for(rows_out, list_threads)), dim3(list_threads), 0,
           reinterpret_cast<const float4*>(p.products), into + first, reinterpret_cast<float4*>(p.sums),
           columns / 4, rows_out);
  }
  round_sums<Use>(to, p);
}

void gather_gemm_scatter(launcher& to, const problem& p, const switches&) {
  for_each_product(
      p, [&] { multiply_by_library<weight_use::forward>(to, p); },
      [&] { multiply_by_library<weight_use::transposed>(to, p); });
}

}  // namespace ablate::sparse_conv
