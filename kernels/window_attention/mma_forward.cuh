// Forward attention with warp-level MMAs (mma.sync), for sm_80 and later.
//   S = Q·Kᵀ (a warp's 32 queries × 32 or 64 keys, fp32 in registers), P = 2^(c·s − m) with c = log2(e) / √D,
//   O += P·V: the accumulators of S, packed to bf16, are the A operand of the next MMA; O is divided by the
//   sum of P once, at the end.
// A block handles 128 queries of one (window, head); such blocks are adjacent in the grid, so they share keys
// and values in L2. Its four warps own 32 queries each, so every key or value fragment loaded from shared
// memory feeds two MMAs. Keys and values arrive in tiles of 32 or 64 rows by 16-byte cp.async, which needs no
// registers, in swizzled rows (kernels/common/mma.cuh). The scope table gives the location of a tile's rows,
// one word per bucket; that is all that indirection costs. Two or more blocks share a multiprocessor, so one
// block's softmax overlaps another's MMAs. Should move: the tensor pipe's activity; instructions per score
// (bounded softmax). See FlashAttention-2, §3.1 and §3.2.
#pragma once

#include <cfloat>
#include <climits>
#include <type_traits>

#include "kernels/attention_core/mma_row_softmax.cuh"
#include "kernels/common/mma_tiles.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention/mma_memory.cuh"
#include "kernels/window_attention/partial_windows.cuh"

namespace ablate::window_attention {

/// A block with its 128 queries.
template <mma_config C>
class mma_attention {
 public:
  using memory = mma_memory<C.block>;
  static constexpr bool is_partial = C.partial_windows;
  using view = std::conditional_t<is_partial, partial_view, window_attention::view>;

  __device__ mma_attention(const view& v, memory& shared)
      : v_(v), shared_(shared), row_softmax_{v.scale_log2} {}

  __device__ void run() {
    unsigned index = blockIdx.x;
    const auto next = [&](int size) {
      const unsigned at = index % static_cast<unsigned>(size);
      index /= static_cast<unsigned>(size);
      return static_cast<int>(at);
    };
    const int tile = next(v_.window / mma_query_rows), head = next(v_.heads),
              window = next(static_cast<int>(v_.windows)), batch = static_cast<int>(index);
    if constexpr (is_partial)
      if (tile * mma_query_rows >= v_.rows_of_window(window)) return;
    const int batch_row = batch * static_cast<int>(v_.tokens);
    const int query_row = batch_row + v_.row_of(window, tile * mma_query_rows);
    copied_ = static_cast<int>(threadIdx.x / rows::chunks * v_.qkv_stride) + head * C.block.width +
              static_cast<int>(threadIdx.x % rows::chunks) * 8;
    copy<mma_query_rows>(shared_.queries, v_.q, query_row);
    list_tiles(batch_row, window);
    if (threadIdx.x == 0) {
      // Needed only by the epilogue: kept in shared memory to save registers.
      shared_.first_output = (static_cast<long long>(query_row) * v_.heads + head) * C.block.width;
      shared_.first_lse =
          (static_cast<long long>(batch) * v_.heads + head) * v_.tokens + query_row - batch_row;
    }
    __syncthreads();
    begin();
    if constexpr (softmax == softmax_form::bounded || softmax == softmax_form::fixed_max) {
      if (softmax != softmax_form::bounded || scores_are_bounded(batch, head, window)) {
        if (attend<mma_maximum::fixed>()) return;
        begin();
      }
    }
    attend<mma_maximum::running>();
  }

 private:
  using rows = mma_rows<C.block.width>;
  static constexpr int rows_per_warp = 32, steps = C.block.width / 16;
  using row_softmax = mma_row_softmax<C>;
  using scores = typename row_softmax::scores;
  using outputs = typename row_softmax::outputs;
  using numbers = typename row_softmax::numbers;
  static constexpr softmax_form softmax = C.softmax.form;
  static constexpr unsigned tile_bytes = mma_tile_bytes<C.block>;

  __device__ static unsigned lane() { return threadIdx.x % 32; }
  __device__ static unsigned warp() { return threadIdx.x / 32; }

  /// The first rows of the window's tiles of keys. Partial: of those with rows that count.
  __device__ void list_tiles(int batch_row, int window) const {
    if constexpr (is_partial) {
      if (warp() == 0) list_kept_tiles(batch_row, window);
    } else {
      for (int i = static_cast<int>(threadIdx.x); i < v_.window / C.block.keys; i += mma_threads)
        shared_.tile_rows()[i] = batch_row + v_.row_of(window, i * C.block.keys);
    }
  }
  /// By a warp. Where nothing but padding is, all of it counts.
  __device__ void list_kept_tiles(int batch_row, int window) const {
    const int tiles = v_.rows_of_window(window) / C.block.keys;
    int padding = static_cast<int>(v_.valid), count = 0;
    for (;;) {
      for (int first = 0; first < tiles; first += 32) {
        const int i = first + static_cast<int>(lane());
        const int row = i < tiles ? v_.row_of(window, i * C.block.keys) : INT_MAX;
        const unsigned keeping = __ballot_sync(~0u, row < padding);
        const int place = count + __popc(keeping & ((1u << lane()) - 1));
        if (row < padding) shared_.tile_rows()[place] = batch_row + row;
        count += __popc(keeping);
      }
      if (count > 0) break;
      padding = INT_MAX;
    }
    if (lane() == 0)
      shared_.kept(v_.window / C.block.keys) = {count, padding == INT_MAX ? INT_MAX : batch_row + padding};
  }
  __device__ int key_tiles() const {
    if constexpr (is_partial)
      return shared_.kept(v_.window / C.block.keys).tiles;
    else
      return v_.window / C.block.keys;
  }
  /// Scores of padding among a tile's keys.
  __device__ void leave_out_padding(scores& s, int tile) const {
    const int keys = shared_.kept(v_.window / C.block.keys).padding - shared_.tile_rows()[tile];
    if (keys >= C.block.keys) return;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int n = 0; n < C.block.keys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (8 * n + 2 * static_cast<int>(lane() % 4) + e % 2 >= keys) s[i][n][e] = -INFINITY;
  }

  /// Copies consecutive rows of this head.
  template <int Rows>
  __device__ void copy(unsigned char* to, const __nv_bfloat16* tensor, int row) const {
    constexpr int rows_at_once = mma_threads / rows::chunks;
    static_assert(Rows % rows_at_once == 0 && rows_at_once % 8 == 0);
    const unsigned at = mma::shared_address(to) + place_of_copy();
    const __nv_bfloat16* from = tensor + row * v_.qkv_stride + copied_;
#pragma unroll
    for (int i = 0; i < Rows / rows_at_once; ++i) {
      mma::copy_async(at + i * rows_at_once * rows::row_bytes, from);
      from += rows_at_once * v_.qkv_stride;
    }
  }
  __device__ static unsigned place_of_copy() {
    return rows::place(threadIdx.x / rows::chunks, threadIdx.x % rows::chunks);
  }
  __device__ void copy_keys(int buffer, int tile) const {
    copy<C.block.keys>(shared_.keys + buffer * tile_bytes, v_.k, shared_.tile_rows()[tile]);
  }
  __device__ void copy_values(int buffer, int tile) const {
    copy<C.block.keys>(shared_.values + buffer * tile_bytes, v_.v, shared_.tile_rows()[tile]);
  }
  /// Copies the first tile, and loads the queries into registers.
  __device__ void begin() {
    copy_keys(0, 0);
    copy_values(0, 0);
    mma::finish_copies();
    load_queries();
  }

  __device__ void load_query(unsigned (&a)[2][4], int step) const {
    const unsigned at = mma::shared_address(shared_.queries) + warp() * rows_per_warp * rows::row_bytes +
                        rows::moved(rows::place_by_rows(lane()), step);
#pragma unroll
    for (int i = 0; i < 2; ++i) mma::load_matrices(a[i], at + i * 16 * rows::row_bytes);
  }
  __device__ void load_queries() {
    if constexpr (C.block.holds_queries()) {
#pragma unroll
      for (int step = 0; step < steps; ++step) load_query(held_[step], step);
    }
  }

  /// Whether c · ‖q‖ · ‖k‖ stays below 100 for all queries of the block and all keys of the window.
  __device__ bool scores_are_bounded(int batch, int head, int window) const {
    constexpr float max_exponent = 100;
    const float* const norms =
        v_.key_norms + (static_cast<long long>(batch) * v_.heads + head) * (v_.tokens / 128);
    float keys = 0;
    for (int i = static_cast<int>(threadIdx.x); i < v_.window / 128; i += mma_threads)
      keys = fmaxf(keys, norms[v_.row_of(window, i * 128) / 128]);
    for (int far = 16; far > 0; far /= 2) keys = fmaxf(keys, __shfl_xor_sync(~0u, keys, far));
    if (lane() == 0) shared_.greatest_key[warp()] = keys;
    __syncthreads();
    for (const float other : shared_.greatest_key) keys = fmaxf(keys, other);

    // One query per thread.
    float query = 0;
#pragma unroll
    for (int chunk = 0; chunk < rows::chunks; ++chunk) {
      const auto words = *reinterpret_cast<const uint4*>(shared_.queries + rows::place(threadIdx.x, chunk));
      for (const unsigned word : {words.x, words.y, words.z, words.w}) {
        const float low = __uint_as_float(word << 16), high = __uint_as_float(word & 0xffff0000u);
        query = fmaf(low, low, fmaf(high, high, query));
      }
    }
    // A NaN norm does not count as small.
    return __syncthreads_and(v_.scale_log2 * sqrtf(keys * query) <= max_exponent);
  }

  __device__ void compute_scores(scores& s, int buffer) const {
    const unsigned place =
        mma::shared_address(shared_.keys) + buffer * tile_bytes + rows::place_by_columns(lane());
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      unsigned a[2][4];
      if constexpr (!C.block.holds_queries()) load_query(a, step);
      const auto& query = [&]() -> const unsigned(&)[2][4] {
        if constexpr (C.block.holds_queries())
          return held_[step];
        else
          return a;
      }();
      mma::multiply_step<rows>(s, query, rows::moved(place, step), step == 0);
    }
  }

  /// O += P · V, for 16 keys at a time (per_tile: `s` already holds their probabilities).
  template <mma_maximum Maximum>
  __device__ void add_outputs(outputs& o, numbers& sum, scores& s, const numbers& most, int buffer) const {
    const unsigned place =
        mma::shared_address(shared_.values) + buffer * tile_bytes + rows::place_by_rows(lane());
#pragma unroll
    for (int k = 0; k < C.block.keys / 16; ++k) {
      unsigned p[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int n = 2 * k + half;
          float(&x)[4] = s[i][n];
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            if (softmax == softmax_form::per_tile || row_softmax::template is_in_pair<Maximum>(n, e))
              continue;
            x[e] = row_softmax_.template probability<Maximum>(x[e], most[i][e / 2], n, e);
            sum[i][e / 2] += x[e];
          }
#pragma unroll
          for (int j = 0; j < 2; ++j)
            p[i][2 * half + j] =
                row_softmax::template is_in_pair<Maximum>(n, 2 * j)
                    ? row_softmax_.pair_of_probabilities(x[2 * j], x[2 * j + 1], most[i][j], sum[i][j])
                    : packed(x[2 * j], x[2 * j + 1]);
        }
      mma::add_products<rows>(o, p, place, k * 16 * rows::row_bytes);
    }
  }

  /// The loop over the window's keys, after begin. Returns false if this maximum puts results out of range;
  /// all threads are then done with the tiles.
  template <mma_maximum Maximum>
  __device__ bool attend() {
    const int tiles = key_tiles();
    outputs o;
    numbers most, sum;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        most[i][j] = -FLT_MAX;  // finite: a difference from it is never NaN
        // Eager: starts at 1, so that nothing is divided by 0 before a score is above −∞.
        sum[i][j] = softmax == softmax_form::per_tile ? 1 : 0;
      }
#pragma unroll
      for (int n = 0; n < C.block.width / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) o[i][n][e] = 0;
    }
    int buffer = 0;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      const bool is_last = tile + 1 == tiles;
      if (!is_last) {
        copy_keys(buffer ^ 1, tile + 1);
        copy_values(buffer ^ 1, tile + 1);
      }
      scores s;
      compute_scores(s, buffer);
      if constexpr (is_partial) leave_out_padding(s, tile);
      if constexpr (softmax == softmax_form::per_tile) {
        row_softmax_.divide(s, most, sum, o);
      } else if constexpr (Maximum == mma_maximum::running) {
        row_softmax_.raise(s, most, sum, o);
      } else if constexpr (softmax == softmax_form::fixed_max) {
        if (tile == 0) row_softmax_.look_at_first(s, most);
      }
      add_outputs<Maximum>(o, sum, s, most, buffer);
      if (is_last) break;
      mma::finish_copies();
      buffer ^= 1;
    }
    if constexpr (Maximum == mma_maximum::fixed)
      if (!__syncthreads_and(row_softmax::are_in_range(o, sum))) return false;
    finish<Maximum>(o, most, sum);
    return true;
  }

  /// Stages outputs in the warp's own rows of shared memory, which held its queries, then stores them to the
  /// queries' rows in 16-byte chunks; also stores the log-sum-exp.
  template <mma_maximum Maximum>
  __device__ void finish(const outputs& o, const numbers& most, const numbers& sum) {
    constexpr float ln2 = 0.693147180559945f;
    const unsigned first = warp() * rows_per_warp;
    float* const lse = v_.lse + shared_.first_lse;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const unsigned row = first + 16 * i + 8 * j + lane() / 4;
        const float whole = softmax == softmax_form::per_tile ? sum[i][j] : sum_of_quad(sum[i][j]);
        const float subtracted = row_softmax::template subtracts<Maximum> ? most[i][j] : 0;
        // A row whose scores are all −∞ comes out as NaN, as 0 / 0 would.
        const bool has_scores = softmax == softmax_form::per_tile ? most[i][j] > -FLT_MAX : whole != 0;
        const float inverse = softmax != softmax_form::per_tile ? 1 / whole : has_scores ? 1 : NAN;
        if (lane() % 4 == 0)
          lse[row] = !has_scores                        ? NAN
                     : softmax == softmax_form::natural ? most[i][j] + logf(whole)
                                                        : (subtracted + log2f(whole)) * ln2;
#pragma unroll
        for (int n = 0; n < C.block.width / 8; ++n)
          *reinterpret_cast<unsigned*>(shared_.queries + rows::place(row, n) + lane() % 4 * 4) =
              packed(o[i][n][2 * j] * inverse, o[i][n][2 * j + 1] * inverse);
      }
    __syncwarp();
    __nv_bfloat16* const to = v_.out + shared_.first_output;
#pragma unroll
    for (unsigned at = lane(); at < rows_per_warp * rows::chunks; at += 32) {
      const unsigned row = first + at / rows::chunks, chunk = at % rows::chunks;
      *reinterpret_cast<uint4*>(to + static_cast<long long>(row) * v_.heads * C.block.width + chunk * 8) =
          *reinterpret_cast<const uint4*>(shared_.queries + rows::place(row, chunk));
    }
  }

  const view& v_;
  memory& shared_;
  row_softmax row_softmax_;
  int copied_;  ///< the elements that this thread copies of each group of rows copied at once: from the
                ///< group's first row on
  std::conditional_t<C.block.holds_queries(), unsigned[steps][2][4], char> held_;
};

/// blockIdx.x: 128 queries, then head, window, batch.
template <class Configured>
__global__ __launch_bounds__(mma_threads, Configured::config.block.blocks) void attend_by_mma(
    const __grid_constant__ view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  mma_attention<Configured::config>(v, *reinterpret_cast<mma_memory<Configured::config.block>*>(raw)).run();
}

}  // namespace ablate::window_attention
