// One kernel with keys that stay (mma_rows.cuh) does all five products: dSᵀ of a tile of queries also goes to
// shared memory, where all warps' keys meet, and what it adds to dQ = dS·K is added to fp32 sums in device
// memory, which are cleared before and rounded after. Fewer products and exponentials than two passes, but
// window / 128 reductions an element of dQ, in an order that differs from run to run. Sums stand in the order
// of the accumulators, so that a warp's reductions are contiguous. Should move: the tensor pipe's
// instructions, down to 5/7; L2 reductions, up.
#include "kernels/window_attention_backward/mma_rows.cuh"

namespace ablate::window_attention_backward {

/// dSᵀ of 128 keys × 64 queries.
template <class Shape>
struct atomic_memory {
  streamed_tile<Shape> tiles[2];
  alignas(128) unsigned char keys[Shape::rows * Shape::tile::row_bytes];
  alignas(128) unsigned char ds[Shape::rows * 2 * streamed_rows];
};

/// A block's part of 64 rows of dQ: a warp has 16 rows, and where there are more than four warps, a part of
/// the columns.
template <class Shape>
struct query_gradients {
  static constexpr int warps_by_row = streamed_rows / 16;
  static constexpr int column_tiles = Shape::steps * 2 * warps_by_row / Shape::warps;
  float sums[column_tiles][4];

  __device__ static int row_tile() { return static_cast<int>(threadIdx.x) / 32 % warps_by_row; }
  __device__ static int first_column_tile() {
    return static_cast<int>(threadIdx.x) / 32 / warps_by_row * column_tiles;
  }

  /// dS·K over the block's keys.
  __device__ void compute(const atomic_memory<Shape>& shared) {
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

  /// Where the sums of 64 rows of a head begin.
  __device__ static float* place(const view& v, int batch, long long row, int head) {
    return v.q_gradient_sums + v.place_of_row(batch, row, head) * Shape::width;
  }

#if __CUDA_ARCH__ >= 900
  // Four of a thread at once; threads follow each other.
  __device__ static unsigned place_of(int n, int i) { return (n * Shape::threads + threadIdx.x) * 4 + i; }
#else
  __device__ static unsigned place_of(int n, int i) { return (n * 4 + i) * Shape::threads + threadIdx.x; }
#endif

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

constexpr int clearing_threads = 256;

__global__ __launch_bounds__(clearing_threads) void clear_sums(float4* sums, long long count) {
  for (long long i = static_cast<long long>(blockIdx.x) * clearing_threads + threadIdx.x; i < count;
       i += static_cast<long long>(gridDim.x) * clearing_threads)
    sums[i] = {};
}

template <class Shape>
__global__ __launch_bounds__(Shape::threads, Shape::blocks) void differentiate_with_atomics(view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  auto& shared = *reinterpret_cast<atomic_memory<Shape>*>(raw);
  const row_block b = v.block_of(blockIdx.x, Shape::rows);
  {
    // In the batch of the first tile.
    const __nv_bfloat16* const keys = v.k + v.place(b.batch, v.row_of(b.window, b.first_token), b.head);
    constexpr int chunks = Shape::tile::chunks;
    for (int i = static_cast<int>(threadIdx.x); i < Shape::rows * chunks; i += Shape::threads)
      mma::copy_async(mma::shared_address(shared.keys) + Shape::tile::place(i / chunks, i % chunks),
                      keys + static_cast<long long>(i / chunks) * v.heads * Shape::width + i % chunks * 8);
  }
  mma_rows<Shape, side::keys> kept(v, b);
  stream_window<Shape, side::keys>(v, b, shared.tiles, [&](const streamed_tile<Shape>& tile, int row) {
    const unsigned first_key = threadIdx.x / 32 * Shape::rows_per_warp + lane_row();
    kept.pass(tile, [&](int query, int m, const unsigned(&fragment)[4]) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const unsigned at =
            mma::swizzled_rows<streamed_rows>::place(first_key + 16 * m + 8 * (i % 2), query / 8 + i / 2) +
            2 * lane_column();
        *reinterpret_cast<unsigned*>(shared.ds + at) = fragment[i];
      }
    });
    __syncthreads();
    query_gradients<Shape> part;
    part.compute(shared);
    part.add_to(part.place(v, b.batch, row, b.head));
  });
  kept.store(v, b);
}

/// blockIdx: 64 rows of a head, rows fastest.
template <class Shape>
__global__ __launch_bounds__(Shape::threads) void round_query_gradients(view v) {
  using gradients = query_gradients<Shape>;
  const auto blocks = static_cast<unsigned>(v.tokens / streamed_rows);
  const int row = static_cast<int>(blockIdx.x % blocks) * streamed_rows,
            head = static_cast<int>(blockIdx.x / blocks % v.heads),
            batch = static_cast<int>(blockIdx.x / blocks / v.heads);
  const float* const from = gradients::place(v, batch, row, head);
  __nv_bfloat16* const to =
      v.q_gradient + v.place(batch, row + 16 * gradients::row_tile() + lane_row(), head) + lane_column();
#pragma unroll
  for (int n = 0; n < gradients::column_tiles; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<unsigned*>(to + 8 * half * v.heads * Shape::width +
                                   8 * (gradients::first_column_tile() + n)) =
          packed(from[gradients::place_of(n, 2 * half)] * v.scale,
                 from[gradients::place_of(n, 2 * half + 1)] * v.scale);
}

namespace {

template <class Shape>
void run(launcher& to, const problem& p) {
  const view v(p);
  compute_row_statistics(to, p);
  launch(to, clear_sums, dim3(8 * to.device().multiprocessors), dim3(clearing_threads), 0,
         reinterpret_cast<float4*>(v.q_gradient_sums), p.attention.elements() / 4);
  launch(to, differentiate_with_atomics<Shape>, dim3(v.blocks(Shape::rows)), dim3(Shape::threads),
         sizeof(atomic_memory<Shape>), v);
  launch(to, round_query_gradients<Shape>,
         dim3(static_cast<unsigned>(p.attention.batches * p.attention.heads * p.attention.tokens /
                                    streamed_rows)),
         dim3(Shape::threads), 0, v);
}

}  // namespace

void mma_atomic(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) switch (p.attention.width) {
      case 16:
        run<mma_shape<16, 4, 32, 3>>(to, p);
        break;
      case 32:
        run<mma_shape<32, 4, 16, 3>>(to, p);
        break;
      case 64:
        run<mma_shape<64, 8, 32, 1>>(to, p);
        break;
      default:
        run<mma_shape<128, 8, 16, 1>>(to, p);
    }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention_backward
