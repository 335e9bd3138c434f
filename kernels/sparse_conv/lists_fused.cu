// Y = b + Σ over the pairs (i, j) of each list q of X[i] · W_qᵀ, without a row that is multiplied for
// nothing: a block handles up to 64 pairs of one list, gathers their in rows, multiplies them by the one
// offset's weights and adds the products to the out rows' sums in fp32, by reductions that nobody waits for;
// a last pass adds the bias and rounds. The sums' order is another each time.
//
// Should move: tensor activity (a padded list's pairs are 2 % more than there are) against reductions: a
// row's sums are added to as often as it has neighbors, in 16 bytes where the chip can (reduction=vec4).
//
// dX is the same with the pairs exchanged and the weights transposed.
#include "kernels/common/launch.cuh"
#include "kernels/common/reduce_four.cuh"
#include "kernels/common/switches.h"
#include "kernels/sparse_conv/launches.h"
#include "kernels/sparse_conv/sums.h"
#include "kernels/sparse_conv/weight_gradient.h"
#include "kernels/sparse_conv/with_shape.cuh"

namespace ablate::sparse_conv {

struct listed_pairs {
  tile_operands of;
  const piece* tiles;
  const std::int32_t *from, *to;  ///< rows of x, rows of the sums
  float* sums;                    ///< [rows][columns]
  int columns;
};

struct listed_memory {
  int from[tile_rows], to[tile_rows];  ///< −1 past the last
  int offset;
};

/// Two neighboring lanes hold two columns each of rows r and r + 8. They exchange, so that the even one has
/// four columns of row r, the odd one those of row r + 8.
template <class Shape>
__device__ inline void add_in_fours(const listed_pairs& s, const listed_memory& memory,
                                    const typename Shape::accumulators& d, int first_column) {
  using product = tile_product<Shape>;
  const int lane = product::lane();
  const bool is_odd = lane % 2 == 1;
#pragma unroll
  for (int g = 0; g < Shape::groups; ++g) {
    const int row = memory.to[product::warp_row() + 16 * g + lane / 4 + (is_odd ? 8 : 0)];
    float* const sums = s.sums + static_cast<long long>(max(row, 0)) * s.columns + first_column +
                        product::warp_column() + lane % 4 / 2 * 4;
#pragma unroll
    for (int j = 0; j < Shape::fragments; ++j) {
      const float(&own)[4] = d[g][j];
      const float first = __shfl_xor_sync(~0u, is_odd ? own[0] : own[2], 1);
      const float second = __shfl_xor_sync(~0u, is_odd ? own[1] : own[3], 1);
      if (row < 0) continue;
      if (is_odd)
        reduce_four(sums + 8 * j, first, second, own[2], own[3]);
      else
        reduce_four(sums + 8 * j, own[0], own[1], first, second);
    }
  }
}

template <class Shape>
__device__ inline void add_one_by_one(const listed_pairs& s, const listed_memory& memory,
                                      const typename Shape::accumulators& d, int first_column) {
  using product = tile_product<Shape>;
  const int lane = product::lane();
#pragma unroll
  for (int g = 0; g < Shape::groups; ++g)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = memory.to[product::warp_row() + 16 * g + lane / 4 + 8 * half];
      if (row < 0) continue;
      float* const sums = s.sums + static_cast<long long>(row) * s.columns + first_column +
                          product::warp_column() + lane % 4 * 2;
#pragma unroll
      for (int j = 0; j < Shape::fragments; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i) atomicAdd(sums + 8 * j + i, d[g][j][2 * half + i]);
    }
}

/// Of a row's sums, by one reduction.
enum class reduction_width { one, four };

/// Neighboring blocks handle the same pairs and other columns.
template <class Shape, reduction_width Width>
__global__ __launch_bounds__(tile_threads, 2) void multiply_listed_pairs(listed_pairs s) {
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ listed_memory memory;
  const int across = s.columns / Shape::columns;
  const piece tile = s.tiles[static_cast<int>(blockIdx.x) / across];
  const int first_column = static_cast<int>(blockIdx.x) % across * Shape::columns;
  if (const int i = static_cast<int>(threadIdx.x); i < tile_rows) {
    memory.from[i] = i < tile.count ? s.from[tile.first + i] : -1;
    memory.to[i] = i < tile.count ? s.to[tile.first + i] : -1;
    if (i == 0) memory.offset = tile.list;
  }
  __syncthreads();
  const tile_work work{&memory.offset, memory.from, 1, first_column};
  typename Shape::accumulators d;
  tile_product<Shape>{s.of, work, mma::shared_address(stages)}.run(d);
  if constexpr (Width == reduction_width::four)
    add_in_fours<Shape>(s, memory, d, first_column);
  else
    add_one_by_one<Shape>(s, memory, d, first_column);
}

/// `most`: columns that a tile has at most.
template <weight_use Use, reduction_width Width>
void add_pairs(launcher& to, const problem& p, int most) {
  const int columns = columns_of<Use>(p);
  const bool transposes = Use == weight_use::transposed;
  const listed_pairs pairs{operands_of<Use>(p),
                           p.tiles,
                           transposes ? p.out_rows : p.in_rows,
                           transposes ? p.in_rows : p.out_rows,
                           p.sums,
                           columns};
  with_shape<Use>(columns, most, [&](auto shape) {
    using Shape = decltype(shape);
    launch(to, multiply_listed_pairs<Shape, Width>,
           dim3(static_cast<unsigned>(p.tile_count * (columns / Shape::columns))), dim3(tile_threads),
           Shape::all_stages, pairs);
  });
}

template <weight_use Use, reduction_width Width>
void multiply_pairs(launcher& to, const problem& p, int most) {
  clear_sums<Use>(to, p);
  add_pairs<Use, Width>(to, p, most);
  round_sums<Use>(to, p);
}

template <reduction_width Width>
void multiply_lists(launcher& to, const problem& p, int most) {
  for_each_product(
      p, [&] { multiply_pairs<weight_use::forward, Width>(to, p, most); },
      [&] { multiply_pairs<weight_use::transposed, Width>(to, p, most); });
}

/// lists_fused's Y with reduction=vec4 where the sums are 0, which they are again after it.
void lists_on_clear_sums(launcher& to, const problem& p) {
  add_pairs<weight_use::forward, reduction_width::four>(to, p, most_columns);
  round_and_clear_sums(to, p);
}

void lists_fused(launcher& to, const problem& p, const switches& s) {
  if (s.word("reduction") == "vec4")
    multiply_lists<reduction_width::four>(to, p, most_columns_of(s));
  else
    multiply_lists<reduction_width::one>(to, p, most_columns_of(s));
  if (p.weight_gradient) multiply_lists_of_gradients(to, p);
}

}  // namespace ablate::sparse_conv
