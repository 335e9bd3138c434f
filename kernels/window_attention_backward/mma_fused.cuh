// One kernel with stationary keys (mma_rows.cuh) computes all five products: dSᵀ of a tile of queries also
// goes to shared memory, where all warps' keys meet, and the block's partial dQ = dS·K goes to fp32 buffers
// in device memory, which are rounded afterwards. Fewer products and exponentials than two passes, but window
// / 128 additions or stores per element of dQ. The buffers keep the accumulators' order, so a warp's writes
// are contiguous.
#pragma once

#include "kernels/window_attention_backward/arrivals.cuh"
#include "kernels/window_attention_backward/mma_rows.cuh"

namespace ablate::window_attention_backward {

/// Where a block's partial dQ goes.
enum class query_sums {
  shared,  ///< added to sums shared by all blocks, in an order that differs between runs
  apart,   ///< stored in one buffer per block of keys; the buffers are added in key order
  own,     ///< a block has all keys of a window: its first ones store its sums, its last ones round them
  shared_then_rounded  ///< as `shared`, and whichever block adds last to a tile of queries rounds it
};

/// dSᵀ of 128 keys × 64 queries.
template <class Shape>
struct fused_memory {
  streamed_tile<Shape> tiles[2];
  alignas(128) unsigned char keys[Shape::rows * Shape::tile::row_bytes];
  alignas(128) unsigned char ds[Shape::rows * 2 * streamed_rows];
};

/// A block's partial sums for 64 rows of dQ: a warp has 16 rows and, with more than four warps, some of the
/// columns.
template <class Shape, query_sums To>
struct query_gradients {
  static constexpr int warps_by_row = streamed_rows / 16;
  static constexpr int column_tiles = Shape::steps * 2 * warps_by_row / Shape::warps;
  float sums[column_tiles][4];

  __device__ static int row_tile() { return static_cast<int>(threadIdx.x) / 32 % warps_by_row; }
  __device__ static int first_column_tile() {
    return static_cast<int>(threadIdx.x) / 32 / warps_by_row * column_tiles;
  }

  /// dS·K over the block's keys.
  __device__ void compute(const fused_memory<Shape>& shared) {
    using rows = typename Shape::tile;
    using ds_rows = mma::swizzled_rows<streamed_rows>;
    const unsigned lane = threadIdx.x % 32;
    const unsigned ds = mma::shared_address(shared.ds) +
                        ds_rows::place(lane % 8 + lane / 16 * 8, 2 * row_tile() + lane / 8 % 2);
    const unsigned keys = mma::shared_address(shared.keys);
#pragma unroll
    for (int n = 0; n < column_tiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[n][i] = 0;
#pragma unroll 1
    for (int key = 0; key < Shape::rows; key += 32) {
      unsigned a[2][4];
      mma::load_matrices_transposed(a[0], ds + key * ds_rows::row_bytes);
      mma::load_matrices_transposed(a[1], ds + (key + 16) * ds_rows::row_bytes);
#pragma unroll
      for (int n = 0; n < column_tiles; ++n) {
        unsigned b[4];  // of 32 keys
        mma::load_matrices_transposed(
            b, keys + rows::place(lane, first_column_tile() + n) + key * rows::row_bytes);
        mma::multiply_add(sums[n], a[0], b[0], b[1]);
        mma::multiply_add(sums[n], a[1], b[2], b[3]);
      }
    }
  }

  /// Where the numbers of 64 rows of a head begin; with `apart`, in the buffer of a block of keys.
  __device__ static float* place(const view& v, const row_block& of, long long row) {
    float* const numbers = To != query_sums::apart
                               ? v.q_gradient_sums
                               : v.q_gradient_parts + of.first_token / keys_of_a_part * stride_of_parts(v);
    return numbers + v.place_of_row(of.batch, row, of.head) * Shape::width;
  }
  __device__ static long long stride_of_parts(const view& v) {
    return v.batches * v.tokens * v.heads * Shape::width;
  }

  /// A thread's four numbers together, consecutive threads adjacent; or one number at a time.
#if __CUDA_ARCH__ >= 900
  static constexpr bool by_fours = true;
#else
  static constexpr bool by_fours = To == query_sums::apart || To == query_sums::own;
#endif
  __device__ static unsigned place_of(int n, int i) {
    return by_fours ? (n * Shape::threads + threadIdx.x) * 4 + i : (n * 4 + i) * Shape::threads + threadIdx.x;
  }

  __device__ void store(float* to) const {
#pragma unroll
    for (int n = 0; n < column_tiles; ++n)
      *reinterpret_cast<float4*>(to + place_of(n, 0)) = {sums[n][0], sums[n][1], sums[n][2], sums[n][3]};
  }

  /// Of what this thread has stored.
  __device__ void add(const float* from) {
#pragma unroll
    for (int n = 0; n < column_tiles; ++n) {
      const float4 more = __ldcg(reinterpret_cast<const float4*>(from + place_of(n, 0)));
      sums[n][0] += more.x;
      sums[n][1] += more.y;
      sums[n][2] += more.z;
      sums[n][3] += more.w;
    }
  }

  /// What all blocks have added; leaves zeros.
  __device__ void take(float* from) {
#pragma unroll
    for (int n = 0; n < column_tiles; ++n) {
      if constexpr (by_fours) {
        auto* const numbers = reinterpret_cast<float4*>(from + place_of(n, 0));
        const float4 whole = __ldcg(numbers);
        sums[n][0] = whole.x;
        sums[n][1] = whole.y;
        sums[n][2] = whole.z;
        sums[n][3] = whole.w;
        __stcg(numbers, float4{});
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sums[n][i] = __ldcg(from + place_of(n, i));
          __stcg(from + place_of(n, i), 0.0f);
        }
      }
    }
  }

  /// Whole sums, as rows of dQ.
  __device__ void round(const view& v, const row_block& of, int row) const {
    __nv_bfloat16* const to =
        v.q_gradient + v.place(of.batch, row + 16 * row_tile() + lane_row(), of.head) + lane_column();
#pragma unroll
    for (int n = 0; n < column_tiles; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<unsigned*>(to + 8 * half * v.heads * Shape::width + 8 * (first_column_tile() + n)) =
            packed(sums[n][2 * half] * v.scale, sums[n][2 * half + 1] * v.scale);
  }

  __device__ void add_to(float* to) const {
#pragma unroll
    for (int n = 0; n < column_tiles; ++n) {
#if __CUDA_ARCH__ >= 900
      asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(
                       __cvta_generic_to_global(to + place_of(n, 0))),
                   "f"(sums[n][0]), "f"(sums[n][1]), "f"(sums[n][2]), "f"(sums[n][3])
                   : "memory");
#else
#pragma unroll
      for (int i = 0; i < 4; ++i) atomicAdd(to + place_of(n, i), sums[n][i]);
#endif
    }
  }
};

/// A block's gradients. `add(part, row)` gets what its keys contribute to dQ of 64 rows.
template <class Shape, query_sums To, class Add>
__device__ inline void differentiate_keys(const view& v, const row_block& b, fused_memory<Shape>& shared,
                                          Add add) {
  {
    // Committed together with the first tile's copies.
    const __nv_bfloat16* const keys = v.k + v.place(b.batch, v.row_of(b.window, b.first_token), b.head);
    constexpr int chunks = Shape::tile::chunks;
    for (int i = static_cast<int>(threadIdx.x); i < Shape::rows * chunks; i += Shape::threads)
      mma::copy_async(mma::shared_address(shared.keys) + Shape::tile::place(i / chunks, i % chunks),
                      keys + static_cast<long long>(i / chunks) * v.heads * Shape::width + i % chunks * 8);
  }
  mma_rows<Shape, side::keys> kept(v, b);
  int* const tile_rows = reinterpret_cast<int*>(&shared + 1);
  stream_window<Shape, side::keys>(
      v, b, shared.tiles, tile_rows, [&](const streamed_tile<Shape>& tile, int row) {
        const unsigned first_key = threadIdx.x / 32 * Shape::rows_per_warp + lane_row();
        kept.pass(tile, [&](int query, int m, const unsigned(&fragment)[4]) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const unsigned at = mma::swizzled_rows<streamed_rows>::place(first_key + 16 * m + 8 * (i % 2),
                                                                         query / 8 + i / 2) +
                                2 * lane_column();
            *reinterpret_cast<unsigned*>(shared.ds + at) = fragment[i];
          }
        });
        __syncthreads();
        query_gradients<Shape, To> part;
        part.compute(shared);
        add(part, row);
      });
  kept.store(v, b);
}

template <class Shape, query_sums To>
__global__ __launch_bounds__(Shape::threads, Shape::blocks) void differentiate_at_once(view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  const row_block b = v.block_of(blockIdx.x, Shape::rows);
  differentiate_keys<Shape, To>(v, b, *reinterpret_cast<fused_memory<Shape>*>(raw),
                                [&](query_gradients<Shape, To>& part, int row) {
                                  float* const numbers = part.place(v, b, row);
                                  if constexpr (To == query_sums::apart) {
                                    part.store(numbers);
                                  } else {
                                    part.add_to(numbers);
                                    if constexpr (To == query_sums::shared_then_rounded)
                                      if (arrives_last(v, v.place_of_row(b.batch, row, b.head),
                                                       threadIdx.x / 32, v.window / Shape::rows)) {
                                        part.take(numbers);
                                        part.round(v, b, row);
                                      }
                                  }
                                });
}

/// With all keys of a window, 128 after 128.
template <class Shape>
__global__ __launch_bounds__(Shape::threads, Shape::blocks) void differentiate_windows(view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  using part_of_keys = query_gradients<Shape, query_sums::own>;
  row_block b = v.block_of(blockIdx.x, v.window);
  for (; b.first_token < v.window; b.first_token += Shape::rows) {
    const bool is_first = b.first_token == 0, is_last = b.first_token + Shape::rows == v.window;
    differentiate_keys<Shape, query_sums::own>(v, b, *reinterpret_cast<fused_memory<Shape>*>(raw),
                                               [&](part_of_keys& part, int row) {
                                                 float* const sums = part.place(v, b, row);
                                                 if (!is_first) part.add(sums);
                                                 if (is_last)
                                                   part.round(v, b, row);
                                                 else
                                                   part.store(sums);
                                               });
    __syncthreads();  // before keys and dS are written again
  }
}

/// Adds the parts in key order. blockIdx: 64 rows of a head, rows fastest.
template <class Shape, query_sums To>
__global__ __launch_bounds__(Shape::threads) void round_query_gradients(view v) {
  using gradients = query_gradients<Shape, To>;
  const auto blocks = static_cast<unsigned>(v.tokens / streamed_rows);
  const int row = static_cast<int>(blockIdx.x % blocks) * streamed_rows,
            head = static_cast<int>(blockIdx.x / blocks % v.heads),
            batch = static_cast<int>(blockIdx.x / blocks / v.heads);
  const float* const from = gradients::place(v, {batch, head, 0, 0}, row);
  __nv_bfloat16* const to =
      v.q_gradient + v.place(batch, row + 16 * gradients::row_tile() + lane_row(), head) + lane_column();
#pragma unroll
  for (int n = 0; n < gradients::column_tiles; ++n) {
    float sums[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = from[gradients::place_of(n, i)];
    // Without these braces nvcc 13.0 drops the whole kernel where sums are shared.
    if constexpr (To == query_sums::apart) {
      for (int part = 1; part < v.window / keys_of_a_part; ++part) {
        const float4 more = *reinterpret_cast<const float4*>(from + part * gradients::stride_of_parts(v) +
                                                             gradients::place_of(n, 0));
        sums[0] += more.x;
        sums[1] += more.y;
        sums[2] += more.z;
        sums[3] += more.w;
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<unsigned*>(to + 8 * half * v.heads * Shape::width +
                                   8 * (gradients::first_column_tile() + n)) =
          packed(sums[2 * half] * v.scale, sums[2 * half + 1] * v.scale);
  }
}

/// Calls `run` with the block shape for the head width.
template <class Run>
void with_fused_shape(int width, Run run) {
  switch (width) {
    case 16:
      return run(mma_shape<mma_rows_block{.width = 16, .warps = 4, .chunk = 32, .blocks = 3}>());
    case 32:
      return run(mma_shape<mma_rows_block{.width = 32, .warps = 4, .chunk = 16, .blocks = 3}>());
    case 64:
      return run(mma_shape<mma_rows_block{.width = 64, .warps = 8, .chunk = 32, .blocks = 1}>());
    default:
      return run(mma_shape<mma_rows_block{.width = 128, .warps = 8, .chunk = 16, .blocks = 1}>());
  }
}

template <class Shape>
void launch_windows(launcher& to, const problem& p, Shape) {
  const view v(p);
  launch(to, differentiate_windows<Shape>, dim3(v.blocks(v.window)), dim3(Shape::threads),
         sizeof(fused_memory<Shape>) + tile_rows_bytes(v), v);
}

/// Launches the kernel, or, of sums that no block rounds, both; shared sums must be zero.
template <query_sums To, class Shape>
void launch_fused(launcher& to, const problem& p, Shape) {
  static_assert(Shape::rows == keys_of_a_part);
  constexpr bool last_rounds = To == query_sums::shared_then_rounded;
  const view v = last_rounds ? view_of_kept_sums(p) : view(p);
  launch(to, differentiate_at_once<Shape, To>, dim3(v.blocks(Shape::rows)), dim3(Shape::threads),
         sizeof(fused_memory<Shape>) + tile_rows_bytes(v), v);
  if constexpr (!last_rounds)
    launch(to, round_query_gradients<Shape, To>,
           dim3(static_cast<unsigned>(p.attention.batches * p.attention.heads * p.attention.tokens /
                                      streamed_rows)),
           dim3(Shape::threads), 0, v);
}

}  // namespace ablate::window_attention_backward
