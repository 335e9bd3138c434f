// Gradients of the rows that a thread block keeps, by mma.sync, while the other side's rows stream past.
// With stationary queries and streaming keys:
//   S = Q·Kᵀ, dP = dO·Vᵀ, P = 2^(c·S − lse), dS = P∘(dP − Δ), dQ += dS·K;
// with stationary keys and streaming queries everything is transposed, so the work is the same:
//   Sᵀ = K·Qᵀ, dPᵀ = V·dOᵀ, Pᵀ and dSᵀ as above with lse and Δ per column, dK += dSᵀ·Q, dV += Pᵀ·dO.
// A warp keeps 16 or 32 rows of both of its tensors as A fragments in registers, and their gradients as
// accumulators. P and dS, the accumulators of the first MMAs, are packed to bf16 as A fragments of the last:
// they never leave registers. Tiles of 64 streaming rows of both tensors arrive by cp.async, swizzled and
// double-buffered; ldmatrix reads the same tile directly for the first MMAs and transposed for the last. No
// maximum is needed, since the log-sum-exp is known.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

constexpr int streamed_rows = 64;

/// A thread block of two-pass or one-kernel gradients by mma.sync.
struct mma_rows_block {
  int width = 64;  ///< elements of a head: 16, 32, 64 or 128
  int rows = 128;  ///< that it keeps: a divisor of every bucket size
  int warps = 4;
  int chunk = 32;  ///< streamed rows whose P and dS are in registers at a time
  int blocks = 1;  ///< resident per multiprocessor
};

template <mma_rows_block Block>
struct mma_shape {
  static constexpr int width = Block.width, warps = Block.warps, chunk = Block.chunk, blocks = Block.blocks;
  static constexpr int threads = 32 * warps, rows = Block.rows;
  static constexpr int rows_per_warp = rows / warps, row_tiles = rows_per_warp / 16;
  static constexpr int steps = width / 16;  ///< MMA steps along the width
  using tile = mma::swizzled_rows<width>;
  static_assert(rows_per_warp % 16 == 0 && streamed_rows % chunk == 0 && chunk % 16 == 0);
};

template <class Shape>
struct streamed_tile {
  alignas(128) unsigned char first[streamed_rows * Shape::tile::row_bytes];
  alignas(128) unsigned char second[streamed_rows * Shape::tile::row_bytes];
  row_statistics statistics[streamed_rows];  ///< of streaming queries
};

/// A lane's first row and column in a fragment (see mma.cuh).
__device__ inline int lane_row() { return static_cast<int>(threadIdx.x) % 32 / 4; }
__device__ inline int lane_column() { return static_cast<int>(threadIdx.x) % 4 * 2; }

/// Starts copying a tile that begins at `row` of the full tensors.
template <class Shape, side Of>
__device__ inline void start_tile(streamed_tile<Shape>& to, const view& v, const row_block& b, int row) {
  constexpr int chunks = Shape::tile::chunks;
  const auto thread = static_cast<int>(threadIdx.x);
  const long long from = v.place(b.batch, row, b.head);
  const __nv_bfloat16* const first = (Of == side::queries ? v.k : v.q) + from;
  const __nv_bfloat16* const second = (Of == side::queries ? v.v : v.out_gradient) + from;
#pragma unroll
  for (int i = thread; i < streamed_rows * chunks; i += Shape::threads) {
    const unsigned place = Shape::tile::place(i / chunks, i % chunks);
    const long long at = static_cast<long long>(i / chunks) * v.heads * Shape::width + i % chunks * 8;
    mma::copy_async(mma::shared_address(to.first) + place, first + at);
    mma::copy_async(mma::shared_address(to.second) + place, second + at);
  }
  if constexpr (Of == side::keys) {
    constexpr int rows_per_copy = 16 / sizeof(row_statistics);
    if (thread < streamed_rows / rows_per_copy)
      mma::copy_async(mma::shared_address(to.statistics + rows_per_copy * thread),
                      v.statistics + v.place_of_row(b.batch, row, b.head) + rows_per_copy * thread);
  }
  mma::copy_commit();
}

/// A warp's rows and their gradients.
template <class Shape, side Of>
class mma_rows {
 public:
  __device__ mma_rows(const view& v, const row_block& b) : scale_log2_(v.scale_log2) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    row_ = v.row_of(b.window, b.first_token) + warp * Shape::rows_per_warp + lane_row();
    const long long place = v.place(b.batch, row_, b.head) + lane_column();
    const int row_stride = v.heads * Shape::width;
    load(first_, (Of == side::queries ? v.q : v.k) + place, row_stride);
    load(second_, (Of == side::queries ? v.out_gradient : v.v) + place, row_stride);
    if constexpr (Of == side::queries) {
      const row_statistics* const own = v.statistics + v.place_of_row(b.batch, row_, b.head);
#pragma unroll
      for (int m = 0; m < Shape::row_tiles; ++m) {
        statistics_[m][0] = own[16 * m];
        statistics_[m][1] = own[16 * m + 8];
      }
    }
  }

  /// Processes a tile of streaming rows. `keep(first_row, m, fragment)` receives dS, or its transpose, as an
  /// A fragment: rows of row tile m, columns starting at the tile's row `first_row`.
  template <class Keep>
  __device__ void pass(const streamed_tile<Shape>& tile, Keep keep) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned first = mma::shared_address(tile.first), second = mma::shared_address(tile.second);
    const unsigned by_columns = rows::place_by_columns(lane), by_rows = rows::place_by_rows(lane);
    // Not unrolled, so that a chunk's registers are free before the next one starts.
#pragma unroll 1
    for (int chunk = 0; chunk < streamed_rows; chunk += Shape::chunk) {
      float p[Shape::row_tiles][Shape::chunk / 8][4], ds[Shape::row_tiles][Shape::chunk / 8][4];
#pragma unroll
      for (int k = 0; k < Shape::steps; ++k)
#pragma unroll
        for (int n = 0; n < Shape::chunk / 16; ++n) {
          const unsigned at = rows::moved(by_columns, k) + (chunk + 16 * n) * rows::row_bytes;
          multiply_rows(p, n, first_, k, first + at);
          multiply_rows(ds, n, second_, k, second + at);
        }
      differentiate(p, ds, tile.statistics + chunk);
#pragma unroll
      for (int n = 0; n < Shape::chunk / 16; ++n) {
        unsigned ds_fragment[Shape::row_tiles][4], p_fragment[Shape::row_tiles][4];
#pragma unroll
        for (int m = 0; m < Shape::row_tiles; ++m) {
          pack(ds_fragment[m], ds[m][2 * n], ds[m][2 * n + 1]);
          pack(p_fragment[m], p[m][2 * n], p[m][2 * n + 1]);
          keep(chunk + 16 * n, m, ds_fragment[m]);
        }
#pragma unroll
        for (int d = 0; d < Shape::steps; ++d) {
          const unsigned at = rows::moved(by_rows, d) + (chunk + 16 * n) * rows::row_bytes;
          accumulate(first_gradient_, d, ds_fragment, first + at);
          if constexpr (Of == side::keys) accumulate(second_gradient_, d, p_fragment, second + at);
        }
      }
    }
  }

  __device__ void store(const view& v, const row_block& b) const {
    const long long place = v.place(b.batch, row_, b.head) + lane_column();
    const int row_stride = v.heads * Shape::width;
    if constexpr (Of == side::queries) {
      store(v.q_gradient + place, row_stride, first_gradient_, v.scale);
    } else {
      store(v.k_gradient + place, row_stride, first_gradient_, v.scale);
      store(v.v_gradient + place, row_stride, second_gradient_, 1.0f);
    }
  }

 private:
  using rows = typename Shape::tile;
  using fragments = unsigned[Shape::row_tiles][Shape::steps][4];
  using gradient = float[Shape::row_tiles][Shape::width / 8][4];
  using scores = float[Shape::row_tiles][Shape::chunk / 8][4];

  __device__ static void load(fragments& a, const __nv_bfloat16* from, int row_stride) {
#pragma unroll
    for (int m = 0; m < Shape::row_tiles; ++m)
#pragma unroll
      for (int k = 0; k < Shape::steps; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          a[m][k][i] = *reinterpret_cast<const unsigned*>(from + (16 * m + 8 * (i % 2)) * row_stride +
                                                          16 * k + 8 * (i / 2));
  }

  __device__ static void store(__nv_bfloat16* to, int row_stride, const gradient& g, float factor) {
#pragma unroll
    for (int m = 0; m < Shape::row_tiles; ++m)
#pragma unroll
      for (int d = 0; d < Shape::width / 8; ++d)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          *reinterpret_cast<unsigned*>(to + (16 * m + 8 * half) * row_stride + 8 * d) =
              packed(g[m][d][2 * half] * factor, g[m][d][2 * half + 1] * factor);
  }

  __device__ static void multiply_rows(scores& to, int n, const fragments& a, int k, unsigned shared) {
    unsigned b[4];
    mma::load_matrices(b, shared);
#pragma unroll
    for (int m = 0; m < Shape::row_tiles; ++m) {
      if (k == 0) {
        mma::multiply(to[m][2 * n], a[m][0], b[0], b[1]);
        mma::multiply(to[m][2 * n + 1], a[m][0], b[2], b[3]);
      } else {
        mma::multiply_add(to[m][2 * n], a[m][k], b[0], b[1]);
        mma::multiply_add(to[m][2 * n + 1], a[m][k], b[2], b[3]);
      }
    }
  }

  __device__ static void accumulate(gradient& to, int d, const unsigned (&a)[Shape::row_tiles][4],
                                    unsigned shared) {
    unsigned b[4];
    mma::load_matrices_transposed(b, shared);
#pragma unroll
    for (int m = 0; m < Shape::row_tiles; ++m) {
      mma::multiply_add(to[m][2 * d], a[m], b[0], b[1]);
      mma::multiply_add(to[m][2 * d + 1], a[m], b[2], b[3]);
    }
  }

  __device__ static void pack(unsigned (&a)[4], const float (&left)[4], const float (&right)[4]) {
    a[0] = packed(left[0], left[1]);
    a[1] = packed(left[2], left[3]);
    a[2] = packed(right[0], right[1]);
    a[3] = packed(right[2], right[3]);
  }

  /// Turns scores into P, and dP into dS.
  __device__ void differentiate(scores& p, scores& ds, const row_statistics* streaming) const {
#pragma unroll
    for (int n = 0; n < Shape::chunk / 8; ++n) {
      float4 columns;  // statistics of this lane's two columns
      if constexpr (Of == side::keys)
        columns = *reinterpret_cast<const float4*>(streaming + 8 * n + lane_column());
#pragma unroll
      for (int m = 0; m < Shape::row_tiles; ++m)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float lse, delta;
          if constexpr (Of == side::queries) {
            lse = statistics_[m][i / 2].lse_log2;
            delta = statistics_[m][i / 2].delta;
          } else {
            lse = i % 2 == 0 ? columns.x : columns.z;
            delta = i % 2 == 0 ? columns.y : columns.w;
          }
          p[m][n][i] = exp2_of(fmaf(p[m][n][i], scale_log2_, -lse));
          ds[m][n][i] = p[m][n][i] * (ds[m][n][i] - delta);
        }
    }
  }

  float scale_log2_;
  int row_;                                              ///< the lane's first row, in the full tensors
  fragments first_, second_;                             ///< Q and dO, or K and V
  gradient first_gradient_ = {}, second_gradient_ = {};  ///< dQ and nothing, or dK and dV
  row_statistics statistics_[Shape::row_tiles][2];       ///< of stationary queries
};

/// Shared memory for the first rows of a window's tiles.
inline std::size_t tile_rows_bytes(const view& v) {
  return sizeof(int) * static_cast<std::size_t>(v.window / streamed_rows);
}

/// Streams all rows of the block's window. `pass(tile, row)` gets each tile and its first row in the full
/// tensors; when it is called, every thread has returned from the call before. The rows are looked up once,
/// into `tile_rows` (tile_rows_bytes).
template <class Shape, side Of, class Pass>
__device__ inline void stream_window(const view& v, const row_block& b, streamed_tile<Shape> (&tiles)[2],
                                     int* tile_rows, Pass pass) {
  const int count = v.window / streamed_rows;
  for (int t = static_cast<int>(threadIdx.x); t < count; t += Shape::threads)
    tile_rows[t] = v.row_of(b.window, t * streamed_rows);
  __syncthreads();
  start_tile<Shape, Of>(tiles[0], v, b, tile_rows[0]);
#pragma unroll 1
  for (int t = 0; t < count; ++t) {
    mma::copy_wait<0>();
    __syncthreads();
    if (t + 1 < count) start_tile<Shape, Of>(tiles[(t + 1) % 2], v, b, tile_rows[t + 1]);
    pass(tiles[t % 2], tile_rows[t]);
  }
}

}  // namespace ablate::window_attention_backward
