// Forward attention structured as Flash3D published it, with warp-level MMAs (mma.sync), for sm_80 and later.
// The mathematics is that of mma_forward.cuh; only the order of the work differs.
//   A block handles one (window, head) of a batch: its 8 warps of 16 queries each (4 at head dimension 128)
//   loop over the window's queries, 16 rows per warp at a time. For each block of queries all keys and values
//   of the window pass through shared memory again, in tiles of as many rows, by 16-byte copies that all
//   warps wait for before they multiply: one stage, no overlap. Within a tile the softmax advances 16 keys at
//   a time. The published launch requests all of the device's shared memory, so one block has a
//   multiprocessor to itself.
//   Published forms of the softmax: queries times 1/√D rounded to bf16 again, expf of the scores, and
//   probabilities and outputs divided by the row's running sum at each step of 16 keys.
//   The same kernel with one block of queries per thread block (`query_blocks` = 1) is the published loop on
//   the grid of mma_forward.cuh: the two differ only in the number of thread blocks.
// Should move: active multiprocessors (grid: few windows leave many idle), warps per multiprocessor
// (shared-memory request), instructions per score (division, exponential). See Flash3D, supplement, §10.3.
#pragma once

#include <cfloat>

#include "kernels/common/mma.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// As published, then each one step away from the form before.
enum class published_softmax {
  per_step,  ///< scaled queries, expf, division by the running sum at each step
  deferred,  ///< as per_step, with one division at the end
  exp2       ///< deferred; the fp32 argument of exp2 includes the scale times log2(e)
};

template <int Width>
struct published_shape {
  static constexpr int width = Width, warps = Width < 128 ? 8 : 4, threads = 32 * warps;
  static constexpr int rows = 16 * warps;  ///< queries per block at a time, and keys per tile
  using swizzle = mma::swizzled_rows<Width>;
  static constexpr unsigned tile_bytes = rows * swizzle::row_bytes;
};

template <int Width>
struct published_memory {
  alignas(128) unsigned char keys[published_shape<Width>::tile_bytes];
  alignas(128) unsigned char values[published_shape<Width>::tile_bytes];
};

/// One warp's 16 queries; a thread holds parts of rows lane / 4 and lane / 4 + 8.
template <int Width, published_softmax Softmax>
class published_attention {
  using shape = published_shape<Width>;
  using swizzle = typename shape::swizzle;
  static constexpr int steps = Width / 16;
  static constexpr bool scales_queries = Softmax != published_softmax::exp2;
  static constexpr bool divides_each_step = Softmax == published_softmax::per_step;

 public:
  __device__ published_attention(const view& v, published_memory<Width>& shared, int batch, int window,
                                 int head)
      : v_(v),
        shared_(shared),
        batch_(batch),
        window_(window),
        head_(head),
        batch_row_(batch * static_cast<int>(v.tokens)) {}

  __device__ void attend(int query_block) {
    const int row = v_.row_of(window_, query_block * shape::rows + warp() * 16);
    load_queries(row);
    begin();
    for (int tile = 0; tile < v_.window / shape::rows; ++tile) {
      __syncthreads();
      const int first_key = batch_row_ + v_.row_of(window_, tile * shape::rows);
      copy(shared_.keys, v_.k, first_key);
      copy(shared_.values, v_.v, first_key);
      mma::copy_commit();
      mma::copy_wait<0>();
      __syncthreads();
#pragma unroll 1
      for (int step = 0; step < shape::warps; ++step) attend_to_keys(step * 16);
    }
    store(row);
  }

 private:
  __device__ static int warp() { return static_cast<int>(threadIdx.x / 32); }
  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }

  __device__ void load_queries(int row) {
    const __nv_bfloat16* const from = v_.q + v_.qkv_place(batch_, row + lane() / 4, head_) + lane() % 4 * 2;
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        auto pair = *reinterpret_cast<const __nv_bfloat162*>(from + j % 2 * 8 * v_.qkv_stride + step * 16 +
                                                             j / 2 * 8);
        if constexpr (scales_queries) pair = __hmul2(pair, __float2bfloat162_rn(rsqrtf(Width)));
        queries_[step][j] = *reinterpret_cast<const unsigned*>(&pair);
      }
  }

  __device__ void begin() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      most_[r] = -FLT_MAX;  // finite: a difference from it is never NaN
      // Eager: starts at 1, so that nothing is divided by 0 before a score is above −∞.
      sum_[r] = divides_each_step ? 1 : 0;
    }
#pragma unroll
    for (int n = 0; n < Width / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) out_[n][e] = 0;
  }

  /// Copies consecutive rows of this head.
  __device__ void copy(unsigned char* to, const __nv_bfloat16* tensor, int row) const {
    constexpr unsigned rows_at_once = shape::threads / swizzle::chunks;
    static_assert(shape::rows % rows_at_once == 0 && rows_at_once % 8 == 0);
    const unsigned in_row = threadIdx.x / swizzle::chunks, chunk = threadIdx.x % swizzle::chunks;
    const unsigned at = mma::shared_address(to) + swizzle::place(in_row, chunk);
    const __nv_bfloat16* from = tensor + (row + static_cast<long long>(in_row)) * v_.qkv_stride +
                                head_ * Width + static_cast<int>(chunk) * 8;
#pragma unroll
    for (unsigned i = 0; i < shape::rows / rows_at_once; ++i) {
      mma::copy_async(at + i * rows_at_once * swizzle::row_bytes, from);
      from += rows_at_once * v_.qkv_stride;
    }
  }

  /// A score's weight, with `most` subtracted: in the units in which the running maximum is kept.
  __device__ float weight(float score, float most) const {
    if constexpr (scales_queries)
      return expf(score - most);
    else
      return exp2_of(fmaf(score, v_.scale_log2, -most));
  }
  __device__ float scaled(float score) const { return scales_queries ? score : score * v_.scale_log2; }
  __device__ static float power(float x) { return scales_queries ? expf(x) : exp2_of(x); }

  /// 16 keys of the tile, from row `first` on.
  __device__ void attend_to_keys(int first) {
    const unsigned moved = static_cast<unsigned>(first) * swizzle::row_bytes;
    const unsigned keys =
        mma::shared_address(shared_.keys) + moved + swizzle::place_by_columns(threadIdx.x % 32);
    float s[2][4];
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      unsigned b[4];
      mma::load_matrices(b, swizzle::moved(keys, step));
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (step == 0)
          mma::multiply(s[half], queries_[step], b[2 * half], b[2 * half + 1]);
        else
          mma::multiply_add(s[half], queries_[step], b[2 * half], b[2 * half + 1]);
    }
    take_softmax(s);
    const unsigned p[4] = {packed(s[0][0], s[0][1]), packed(s[0][2], s[0][3]), packed(s[1][0], s[1][1]),
                           packed(s[1][2], s[1][3])};
    const unsigned values =
        mma::shared_address(shared_.values) + moved + swizzle::place_by_rows(threadIdx.x % 32);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      unsigned b[4];
      mma::load_matrices_transposed(b, swizzle::moved(values, step));
#pragma unroll
      for (int half = 0; half < 2; ++half)
        mma::multiply_add(out_[2 * step + half], p, b[2 * half], b[2 * half + 1]);
    }
  }

  /// Turns scores into probabilities and updates running maxima, sums and outputs. Deferred: sums cover this
  /// thread's columns; eager: the whole row, and probabilities and outputs are divided by them.
  __device__ void take_softmax(float (&s)[2][4]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float& s0 = s[0][2 * r];
      float& s1 = s[0][2 * r + 1];
      float& s2 = s[1][2 * r];
      float& s3 = s[1][2 * r + 1];
      const float most = fmaxf(most_[r], scaled(max_of_quad(fmaxf(fmaxf(s0, s1), fmaxf(s2, s3)))));
      float rescale = power(most_[r] - most);
      most_[r] = most;
      for (float* const x : {&s0, &s1, &s2, &s3}) *x = weight(*x, most);
      const float of_step = s0 + s1 + (s2 + s3);
      if constexpr (divides_each_step) {
        const float before = sum_[r] * rescale;
        sum_[r] = before + sum_of_quad(of_step);
        const float inverse = 1 / sum_[r];
        rescale = before * inverse;
        for (float* const x : {&s0, &s1, &s2, &s3}) *x *= inverse;
      } else {
        sum_[r] = fmaf(sum_[r], rescale, of_step);
      }
#pragma unroll
      for (int n = 0; n < Width / 8; ++n) {
        out_[n][2 * r] *= rescale;
        out_[n][2 * r + 1] *= rescale;
      }
    }
  }

  __device__ void store(int row) const {
    constexpr float ln2 = 0.693147180559945f;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int to_row = row + lane() / 4 + 8 * r;
      const float sum = divides_each_step ? sum_[r] : sum_of_quad(sum_[r]);
      // A row whose scores are all −∞ comes out as NaN, as 0 / 0 would.
      const bool has_scores = divides_each_step ? most_[r] > -FLT_MAX : sum != 0;
      const float inverse = !divides_each_step ? 1 / sum : has_scores ? 1 : NAN;
      if (lane() % 4 == 0)
        v_.lse[(static_cast<long long>(batch_) * v_.heads + head_) * v_.tokens + to_row] =
            !has_scores      ? NAN
            : scales_queries ? most_[r] + logf(sum)
                             : (most_[r] + log2f(sum)) * ln2;
      __nv_bfloat16* const to =
          v_.out + (static_cast<long long>(batch_row_ + to_row) * v_.heads + head_) * Width + lane() % 4 * 2;
#pragma unroll
      for (int n = 0; n < Width / 8; ++n)
        *reinterpret_cast<unsigned*>(to + n * 8) =
            packed(out_[n][2 * r] * inverse, out_[n][2 * r + 1] * inverse);
    }
  }

  const view& v_;
  published_memory<Width>& shared_;
  int batch_, window_, head_;
  int batch_row_;  ///< first row of the batch, counted over all batches
  unsigned queries_[steps][4];
  float out_[Width / 8][4];
  float most_[2], sum_[2];
};

/// blockIdx.x: `query_blocks` consecutive blocks of queries (a divisor of the window's count), then head,
/// window, batch. With whole windows, heads vary fastest, as in the published grid of (heads, windows,
/// batches).
template <int Width, published_softmax Softmax>
__global__ __launch_bounds__(published_shape<Width>::threads) void attend_as_published(
    const __grid_constant__ view v, int query_blocks) {
  extern __shared__ __align__(128) unsigned char raw[];
  unsigned index = blockIdx.x;
  const auto next = [&](int size) {
    const unsigned at = index % static_cast<unsigned>(size);
    index /= static_cast<unsigned>(size);
    return static_cast<int>(at);
  };
  const int part = next(v.window / published_shape<Width>::rows / query_blocks), head = next(v.heads),
            window = next(static_cast<int>(v.windows)), batch = static_cast<int>(index);
  published_attention<Width, Softmax> attention(v, *reinterpret_cast<published_memory<Width>*>(raw), batch,
                                                window, head);
  for (int i = 0; i < query_blocks; ++i) attention.attend(part * query_blocks + i);
}

}  // namespace ablate::window_attention
