// The inner product of all tile kernels, by mma.sync: D[64][Columns] += Σ_o X[rows of o] · W_o, for the
// offsets o of a tile. Steps go through the offsets and, of each, through its contracted channels, `Depth` at
// a time: a step's 64 gathered rows and its weights are copied asynchronously into one of three stages while
// the two before it are multiplied. A row that is −1 is filled with zeros without a read.
//
// A block of four warps takes 64 × 128 outputs at most: wider tiles would gather rows less often, but make
// fewer blocks than there are multiprocessors. Its stages are 72 KB, and two blocks fit in a multiprocessor.
#pragma once

#include <cuda_bf16.h>

#include "kernels/common/mma.cuh"
#include "kernels/sparse_conv/tile_use.h"

namespace ablate::sparse_conv {

constexpr int tile_rows = list_tile;
constexpr int tile_threads = 128;
constexpr int tile_stages = 3;

/// What a block multiplies, per step.
template <int Columns, int Depth, weight_use Use>
struct tile_shape {
  static constexpr int columns = Columns, depth = Depth;
  static constexpr weight_use use = Use;
  static constexpr bool transposes = Use == weight_use::transposed;

  static constexpr int warps_across = Columns == 32 ? 1 : 2, warps_down = 4 / warps_across;
  static constexpr int warp_rows = tile_rows / warps_down, warp_columns = Columns / warps_across;
  static constexpr int groups = warp_rows / 16;       ///< of 16 rows of a warp
  static constexpr int fragments = warp_columns / 8;  ///< of 8 columns

  using row_tile = mma::swizzled_rows<Depth>;
  static constexpr int weight_rows = transposes ? Depth : Columns;
  static constexpr int weight_width = transposes ? Columns : Depth;
  using weight_tile = mma::swizzled_rows<weight_width>;
  using out_tile = mma::swizzled_rows<Columns>;

  static constexpr unsigned row_bytes = tile_rows * row_tile::row_bytes;
  static constexpr unsigned stage_bytes = row_bytes + weight_rows * weight_tile::row_bytes;
  static constexpr unsigned all_stages = tile_stages * stage_bytes;
  static_assert(tile_rows * out_tile::row_bytes <= all_stages, "outputs are gathered where the stages were");

  using accumulators = float[groups][fragments][4];
};

/// The matrices of a product; the contracted channels are a multiple of the shape's depth.
struct tile_operands {
  const std::uint16_t* x;        ///< [rows][contracted]
  const std::uint16_t* weights;  ///< [out][offset][in]
  int contracted;
  int in_channels;       ///< of the layer: from one offset's weights to the next's
  long long weight_row;  ///< offsets · in channels: from one out channel's weights to the next's

  /// `first_column`: of the block's outputs, `first`: of the step's contracted channels.
  template <weight_use Use>
  __device__ const std::uint16_t* weights_of(int offset, int first_column, int first) const {
    const int row = Use == weight_use::transposed ? first : first_column;
    const int column = Use == weight_use::transposed ? first_column : first;
    return weights + row * weight_row + static_cast<long long>(offset) * in_channels + column;
  }
};

/// What a block multiplies: `count` offsets' weights, and of each the rows of x, in shared memory.
struct tile_work {
  const int* offsets;  ///< [count], numbers of the weights
  const int* rows;     ///< [count][tile_rows], −1: none
  int count;
  int first_column;
};

template <class Shape>
struct tile_product {
  const tile_operands& of;
  const tile_work& work;
  unsigned stages;  ///< shared address of the stages, a multiple of 128 bytes

  __device__ int chunks() const { return of.contracted / Shape::depth; }
  __device__ int steps() const { return work.count * chunks(); }
  __device__ unsigned stage(int step) const {
    return stages + static_cast<unsigned>(step % tile_stages) * Shape::stage_bytes;
  }

  __device__ void copy_rows(int item, int first, unsigned to) const {
    constexpr int pieces = Shape::row_tile::chunks, at_once = tile_threads / pieces;
    const int piece = static_cast<int>(threadIdx.x) % pieces;
#pragma unroll
    for (int i = 0; i < tile_rows / at_once; ++i) {
      const int row = static_cast<int>(threadIdx.x) / pieces + i * at_once;
      const int from = work.rows[item * tile_rows + row];
      const std::uint16_t* const source =
          of.x + static_cast<long long>(max(from, 0)) * of.contracted + first + piece * 8;
      mma::copy_async_or_zero(
          to + Shape::row_tile::place(static_cast<unsigned>(row), static_cast<unsigned>(piece)), source,
          from >= 0);
    }
  }

  __device__ void copy_weights(int item, int first, unsigned to) const {
    constexpr int pieces = Shape::weight_tile::chunks, at_once = tile_threads / pieces;
    const std::uint16_t* const source =
        of.weights_of<Shape::use>(work.offsets[item], work.first_column, first);
    const int piece = static_cast<int>(threadIdx.x) % pieces;
#pragma unroll
    for (int i = 0; i < Shape::weight_rows / at_once; ++i) {
      const int row = static_cast<int>(threadIdx.x) / pieces + i * at_once;
      mma::copy_async(
          to + Shape::weight_tile::place(static_cast<unsigned>(row), static_cast<unsigned>(piece)),
          source + row * of.weight_row + piece * 8);
    }
  }

  __device__ void copy(int step) const {
    const int item = step / chunks(), first = step % chunks() * Shape::depth;
    const unsigned to = stage(step);
    copy_rows(item, first, to);
    copy_weights(item, first, to + Shape::row_bytes);
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp_row() {
    return static_cast<int>(threadIdx.x) / 32 / Shape::warps_across * Shape::warp_rows;
  }
  __device__ static int warp_column() {
    return static_cast<int>(threadIdx.x) / 32 % Shape::warps_across * Shape::warp_columns;
  }

  /// The fragments of 16 columns and 16 contracted channels of the weights.
  __device__ static void load_weights(unsigned (&b)[4], unsigned tile, int column, int k) {
    using weight_tile = typename Shape::weight_tile;
    const auto at_lane = static_cast<unsigned>(lane());
    if constexpr (Shape::transposes)
      mma::load_matrices_transposed(
          b, tile +
                 weight_tile::moved(weight_tile::place_by_rows(at_lane), static_cast<unsigned>(column) / 16) +
                 static_cast<unsigned>(k) * 16 * weight_tile::row_bytes);
    else
      mma::load_matrices(
          b, tile + weight_tile::moved(weight_tile::place_by_columns(at_lane), static_cast<unsigned>(k)) +
                 static_cast<unsigned>(column) * weight_tile::row_bytes);
  }

  __device__ void multiply(int step, typename Shape::accumulators& d) const {
    using row_tile = typename Shape::row_tile;
    const unsigned rows = stage(step), weights = rows + Shape::row_bytes;
#pragma unroll
    for (int k = 0; k < Shape::depth / 16; ++k) {
      unsigned a[Shape::groups][4];
#pragma unroll
      for (int g = 0; g < Shape::groups; ++g)
        mma::load_matrices(a[g], rows +
                                     row_tile::moved(row_tile::place_by_rows(static_cast<unsigned>(lane())),
                                                     static_cast<unsigned>(k)) +
                                     static_cast<unsigned>(warp_row() + 16 * g) * row_tile::row_bytes);
#pragma unroll
      for (int j = 0; j < Shape::fragments / 2; ++j) {
        unsigned b[4];
        load_weights(b, weights, warp_column() + 16 * j, k);
#pragma unroll
        for (int g = 0; g < Shape::groups; ++g)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            mma::multiply_add(d[g][2 * j + half], a[g], b[2 * half], b[2 * half + 1]);
      }
    }
  }

  /// All threads of the block; `work` is in shared memory for all of them. After it the stages are free.
  __device__ void run(typename Shape::accumulators& d) const {
#pragma unroll
    for (int g = 0; g < Shape::groups; ++g)
#pragma unroll
      for (int j = 0; j < Shape::fragments; ++j)
#pragma unroll
        for (float& sum : d[g][j]) sum = 0;
    const int count = steps();
#pragma unroll
    for (int step = 0; step < tile_stages - 1; ++step) {
      if (step < count) copy(step);
      mma::copy_commit();
    }
    for (int step = 0; step < count; ++step) {
      mma::copy_wait<tile_stages - 2>();
      // This step's copies of all threads are there, and all are done with the stage that is filled next.
      __syncthreads();
      if (step + tile_stages - 1 < count) copy(step + tile_stages - 1);
      mma::copy_commit();
      multiply(step, d);
    }
    mma::copy_wait<0>();
    __syncthreads();
  }
};

}  // namespace ablate::sparse_conv
