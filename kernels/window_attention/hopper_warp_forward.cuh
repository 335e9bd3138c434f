// Forward attention on Hopper with warp-level MMAs: the TMA copies and warp specialization of
// hopper_forward.cuh, the MMAs of mma_forward.cuh.
//   S = Q·Kᵀ (a warp's 32 queries × 32 or 16 keys, by mma.sync), P = 2^(c·s − m), m the maximum over a row's
//   first keys, O += P·V; eight columns of ones next to V, which take no memory, let the MMA sum P.
// At head dimension 16, a warpgroup's MMA takes fewer cycles than issuing it and waiting for it, and the
// block's four warpgroups, which wait together, leave the exponential unit idle meanwhile. A warp's own
// mma.sync needs no such wait: the MMAs of the next keys are interleaved with the exponentials of the current
// ones, and warps drift apart. One thread copies queries, keys and values by TMA, which swizzles rows the way
// ldmatrix reads them. Blocks are persistent; the first scores of a query tile are computed right after the
// last ones of the tile before. Should move: the exponential unit's activity, up; larger head dimensions pay
// in the tensor pipe, where mma.sync reaches 62 % of wgmma's throughput.
#pragma once

#include "kernels/attention_core/fixed_maximum.cuh"
#include "kernels/common/configured.h"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention/hopper_core/memory.cuh"
#include "kernels/window_attention/hopper_core/tile_scheduler.cuh"
#include "kernels/window_attention/row_walk.cuh"

namespace ablate::window_attention {

/// A block whose consumer warpgroups, of warps that own 32 queries each, own 128 (`block.group_rows`).
struct warp_config {
  block_shape block = {};
  int step_keys = 32;     ///< keys of a step: their scores are multiplied beside the softmax of the last ones
  int software_exp2 = 0;  ///< of 16 exponentials, those by a polynomial

  /// What the kernel is made for.
  ABLATE_ON_BOTH constexpr bool is_possible() const {
    return block.width <= 64 && block.group_rows == 128 && block.keys % (2 * step_keys) == 0 &&
           (block.stages & (block.stages - 1)) == 0;
  }
};
constexpr int rows_per_warp = 32;

/// Queries are double-buffered: this tile's and the next one's.
template <block_shape Block>
struct warp_memory {
  alignas(1024) unsigned char queries[2][Block.groups][Block.tile_bytes()];
  alignas(1024) unsigned char keys[Block.stages][Block.tile_bytes()];
  alignas(1024) unsigned char values[Block.stages][Block.tile_bytes()];
  hopper::barrier queries_full[2], queries_empty[2];
  hopper::barrier full[Block.stages], empty[Block.stages];
};

/// Boxes of 128 rows.
struct warp_maps {
  CUtensorMap queries, keys, values;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// 2^(s·c − m) without the exponential unit, as in exp2_by_polynomial; a saturating multiply-add clamps the
/// exponent to [−127, 128] at no extra instruction: 0 below, +∞ above. It counts down from 128 because
/// saturation turns NaN into 0, so that NaN becomes +∞ and shows in the row's sum. c = −255 · `slope`, m =
/// 255 · `offset` − 128.
__device__ inline float exp2_saturated(float s, float slope, float offset) {
  constexpr float range = -255, shift = 12582912.0f + 128;  // see exp2_by_polynomial
  float place;
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(place) : "f"(s), "f"(slope), "f"(offset));
  const float shifted = __fmaf_rd(place, range, shift);
  const float power = exp2_of_fraction(fmaf(place, range, shift - shifted));
  return __int_as_float(__float_as_int(power) + (__float_as_int(shifted) << 23));
}

/// The producer thread.
template <block_shape Block>
__device__ void copy_for_warps(const warp_maps& maps, const view& v, warp_memory<Block>& shared) {
  using namespace hopper;
  ring_position at, queries_at;
  const int last_block = v.window / keys_per_tile - 1;
  for (long long i = blockIdx.x; i < v.query_tiles; i += gridDim.x) {
    const query_tile t = tile_of<Block>(v, i);
    barrier& queries_full = shared.queries_full[queries_at.stage];
    wait(shared.queries_empty[queries_at.stage], queries_at.parity ^ 1);
    arrive_expecting(queries_full, Block.groups * Block.tile_bytes());
    for (int g = 0; g < Block.groups; ++g) {
      // A group past the window's end re-reads its last rows and stores nothing.
      const int block = min(t.first_block + g, last_block);
      tma_load<Block.width>(shared.queries[queries_at.stage][g], maps.queries,
                            v.row_of(t.window, block * keys_per_tile), t.head, t.batch, queries_full);
    }
    queries_at.advance<2>();
    row_walk<keys_per_tile> rows(v.scope, t.window, v.buckets_per_window, v.bucket);
    for (int token = 0; token < v.window; token += keys_per_tile) {
      const int row = rows.next();
      barrier& full = shared.full[at.stage];
      wait(shared.empty[at.stage], at.parity ^ 1);
      arrive_expecting(full, 2 * Block.tile_bytes());
      tma_load<Block.width>(shared.keys[at.stage], maps.keys, row, t.head, t.batch, full);
      tma_load<Block.width>(shared.values[at.stage], maps.values, row, t.head, t.batch, full);
      at.advance<Block.stages>();
    }
  }
}

/// A warp with its 32 queries: two 16-row tiles; a thread holds rows lane / 4 and lane / 4 + 8 of each.
template <warp_config Config>
class attending_warp {
 public:
  static constexpr block_shape block = Config.block;

  __device__ attending_warp(const view& v, warp_memory<block>& shared, int warp)
      : v_(v),
        shared_(shared),
        warp_(warp),
        slope_(v.scale_log2 / -255),
        first_keys_(mma::shared_address(shared.keys) + rows::place_by_columns(lane())),
        first_values_(mma::shared_address(shared.values) + rows::place_by_rows(lane())) {}

  __device__ void run() {
    const auto tiles = static_cast<unsigned>(v_.query_tiles);
    if (blockIdx.x >= tiles) return;
    take_queries();
    hopper::wait(shared_.full[0], 0);
    compute_scores(scores_[0], first_keys_);
    for (unsigned i = blockIdx.x; i < tiles; i += gridDim.x) attend(i);
  }

 private:
  using rows = mma::swizzled_rows<block.width>;
  static constexpr int steps = block.width / 16, key_tiles = Config.step_keys / 8, columns = block.width / 8;
  using scores = float[2][key_tiles][4];

  __device__ static unsigned lane() { return threadIdx.x % 32; }
  /// The ring stage holding the keys whose scores are being computed.
  __device__ unsigned stage() const { return key_tiles_taken_ % block.stages; }

  /// Advances to the next query tile's queries.
  __device__ void take_queries() {
    const unsigned buffer = queries_taken_ % 2;
    hopper::wait(shared_.queries_full[buffer], queries_taken_ / 2 % 2);
    const unsigned first = mma::shared_address(shared_.queries[buffer]) +
                           warp_ * rows_per_warp * rows::row_bytes + rows::place_by_rows(lane());
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        mma::load_matrices(queries_[step][i], rows::moved(first, step) + i * 16 * rows::row_bytes);
    __syncwarp();
    if (lane() == 0) hopper::arrive(shared_.queries_empty[buffer]);
    ++queries_taken_;
  }

  __device__ void compute_scores(scores& s, unsigned keys) const {
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int j = 0; j < Config.step_keys / 16; ++j) {
        unsigned b[4];
        mma::load_matrices(b, rows::moved(keys, step) + j * 16 * rows::row_bytes);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            float(&d)[4] = s[i][2 * j + half];
            if (step == 0)
              mma::multiply(d, queries_[step][i], b[2 * half], b[2 * half + 1]);
            else
              mma::multiply_add(d, queries_[step][i], b[2 * half], b[2 * half + 1]);
          }
      }
  }

  /// Takes the number to subtract from the scores of the first keys. If all of them are −∞, no sum is in
  /// range.
  __device__ void look_at_first(const scores& s) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        float most = -INFINITY;
#pragma unroll
        for (int n = 0; n < key_tiles; ++n) most = fmaxf(most, fmaxf(s[i][n][2 * r], s[i][n][2 * r + 1]));
        most_[i][r] = max_of_quad(most) * v_.scale_log2;
        offset_[i][r] = (128 + most_[i][r]) / 255;
      }
  }

  /// Spreads the software exponentials evenly over every 16 elements.
  __device__ static constexpr bool in_software(int element) {
    return element * Config.software_exp2 % 16 < Config.software_exp2;
  }

  /// O += P·V and the row sums, 16 keys at a time.
  __device__ void add_outputs(scores& s, unsigned values) {
    constexpr unsigned two_ones = 0x3f803f80;
#pragma unroll
    for (int k = 0; k < Config.step_keys / 16; ++k) {
      unsigned p[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float(&x)[4] = s[i][2 * k + half];
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            if (in_software((4 * (2 * k + half) + e) % 16))
              x[e] = exp2_saturated(x[e], slope_, offset_[i][e / 2]);
            else
              x[e] = exp2_of(fmaf(x[e], v_.scale_log2, -most_[i][e / 2]));
          }
          p[i][2 * half] = packed(x[0], x[1]);
          p[i][2 * half + 1] = packed(x[2], x[3]);
        }
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        unsigned b[4];
        mma::load_matrices_transposed(b, rows::moved(values, step) + k * 16 * rows::row_bytes);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            mma::multiply_add(outputs_[i][2 * step + half], p[i], b[2 * half], b[2 * half + 1]);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) mma::multiply_add(sums_[i], p[i], two_ones, two_ones);
    }
  }

  /// Advances to the next stage of the ring and waits for its keys; after the last keys, also to the next
  /// queries.
  __device__ unsigned next_keys(unsigned index, bool are_last, unsigned keys) {
    ++key_tiles_taken_;
    // At the very end, scores of the last keys are computed again and never read.
    if (are_last && index + gridDim.x >= v_.query_tiles) return keys;
    hopper::wait(shared_.full[stage()], key_tiles_taken_ / block.stages % 2);
    if (are_last) take_queries();
    return first_keys_ + stage() * block.tile_bytes();
  }

  /// On entry `scores_[0]` holds the scores of the first keys, on return those of the next query tile.
  __device__ void attend(unsigned index) {
    constexpr unsigned step_bytes = Config.step_keys * rows::row_bytes;
    constexpr int pairs = keys_per_tile / (2 * Config.step_keys);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        sums_[i][e] = 0;
#pragma unroll
        for (int n = 0; n < columns; ++n) outputs_[i][n][e] = 0;
      }
    look_at_first(scores_[0]);
    const int tiles = v_.window / keys_per_tile;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      const unsigned this_stage = stage();
      unsigned keys = first_keys_ + this_stage * block.tile_bytes(),
               values = first_values_ + this_stage * block.tile_bytes();
#pragma unroll
      for (int pair = 0; pair < pairs; ++pair) {
        compute_scores(scores_[1], keys + step_bytes);
        add_outputs(scores_[0], values);
        keys += 2 * step_bytes;
        if (pair + 1 == pairs) keys = next_keys(index, tile + 1 == tiles, keys - 2 * step_bytes);
        compute_scores(scores_[0], keys);
        add_outputs(scores_[1], values + step_bytes);
        values += 2 * step_bytes;
      }
      __syncwarp();
      if (lane() == 0) hopper::arrive(shared_.empty[this_stage]);
    }
    store(tile_of<block>(v_, index));
  }

  __device__ void store(const query_tile& t) const {
    constexpr float ln2 = 0.693147180559945f;
    const int token = t.first_block * keys_per_tile + warp_ * rows_per_warp;
    if (token >= v_.window) return;
    const int row = v_.row_of(t.window, token) + static_cast<int>(lane() / 4);
    float* const lse = v_.lse + (static_cast<long long>(t.batch) * v_.heads + t.head) * v_.tokens + row;
    __nv_bfloat16* const out =
        v_.out + ((t.batch * v_.tokens + row) * v_.heads + t.head) * block.width + lane() % 4 * 2;
    bool sums_are_right = true;
    unsigned zeros = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float sum = sums_[i][2 * r], inverse = 1 / sum;
        sums_are_right = sums_are_right && sum_is_in_range(sum);
        const int below = 16 * i + 8 * r;
        if (lane() % 4 == 0) lse[below] = (most_[i][r] + log2f(sum)) * ln2;
#pragma unroll
        for (int n = 0; n < columns; ++n) {
          const unsigned pair = packed(outputs_[i][n][2 * r] * inverse, outputs_[i][n][2 * r + 1] * inverse);
          add_zeros(zeros, pair);
          *reinterpret_cast<unsigned*>(out + below * v_.heads * block.width + 8 * n) = pair;
        }
      }
    if (!__all_sync(~0u, sums_are_right && zeros == 0) && lane() == 0)
      list_again<block.listed_rows()>(v_, t, token);
  }

  const view& v_;
  warp_memory<block>& shared_;
  int warp_;
  float slope_, offset_[2][2];          ///< arguments of exp2_saturated
  unsigned first_keys_, first_values_;  ///< this lane's address for load_matrices in the first stage
  unsigned key_tiles_taken_ = 0, queries_taken_ = 0;
  unsigned queries_[steps][2][4];
  scores scores_[2];
  float outputs_[2][columns][4], sums_[2][4], most_[2][2];
};

#endif

template <class Configured>
__global__ __launch_bounds__(Configured::config.block.threads(),
                             1) void attend_by_warps_on_hopper(const __grid_constant__ warp_maps maps,
                                                               view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  static_assert(Configured::config.is_possible());
  constexpr block_shape block = Configured::config.block;
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<warp_memory<block>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * block.groups;
    for (int s = 0; s < 2; ++s) {
      hopper::initialize(shared.queries_full[s], 1);
      hopper::initialize(shared.queries_empty[s], consumer_warps);
    }
    for (int s = 0; s < block.stages; ++s) {
      hopper::initialize(shared.full[s], 1);
      hopper::initialize(shared.empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    hopper::setmaxnreg_dec<block.producer_registers>();
    if (threadIdx.x == 0) copy_for_warps(maps, v, shared);
  } else {
    hopper::setmaxnreg_inc<block.consumer_registers>();
    attending_warp<Configured::config>(v, shared, static_cast<int>(threadIdx.x) / 32 - 4).run();
  }
#endif
}

}  // namespace ablate::window_attention
