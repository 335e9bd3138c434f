// Gradients of the rows that a thread block keeps, on Hopper: the mathematics of mma_rows.cuh with warpgroup
// MMAs.
//   S = Q·Kᵀ, dP = dO·Vᵀ (a warpgroup's 64 rows × 64 streaming rows, both operands in shared memory); P and
//   dS in registers, packed to bf16 as the register operand of dQ += dS·K; transposed with stationary keys:
//   dK += dSᵀ·Q, dV += Pᵀ·dO. The same tile feeds the first MMAs directly and the last ones transposed,
//   selected by the descriptor alone.
// One thread issues the TMA copies: the block's own rows once, then tiles of streaming rows through a ring of
// stages, queries together with their statistics. Where registers allow, the last MMAs of a tile are still in
// flight while the first of the next are issued. Should move: the tensor pipe's activity, against mma.sync.
#pragma once

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention/row_walk.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

constexpr int group_rows = 64, tile_rows = 64;

/// A thread block of two-pass gradients by warpgroups: one copies, the others keep 64 rows each.
struct hopper_rows_block {
  int width = 64;  ///< elements of a head
  int groups = 2;
  int stages = 4;                                         ///< of the ring of streaming tiles
  int producer_registers = 24, consumer_registers = 240;  ///< of a thread
};

template <hopper_rows_block Block>
struct hopper_shape {
  static constexpr int width = Block.width, groups = Block.groups, stages = Block.stages;
  static constexpr int producer_registers = Block.producer_registers,
                       consumer_registers = Block.consumer_registers;
  static constexpr int threads = 128 * (1 + groups), rows = group_rows * groups;
  static constexpr int span_bytes = width >= 64 ? 128 : 2 * width;
  using swizzle = hopper::swizzle<span_bytes>;
  static constexpr unsigned group_bytes = group_rows * width * 2, tile_bytes = tile_rows * width * 2;
};

/// `first` and `second`: Q and dO for queries, K and V for keys.
template <class Shape>
struct hopper_memory {
  alignas(1024) unsigned char first[Shape::groups][Shape::group_bytes];
  alignas(1024) unsigned char second[Shape::groups][Shape::group_bytes];
  alignas(1024) unsigned char first_tiles[Shape::stages][Shape::tile_bytes];
  alignas(1024) unsigned char second_tiles[Shape::stages][Shape::tile_bytes];
  alignas(128) row_statistics statistics[Shape::stages][tile_rows];  ///< of streaming queries
  hopper::barrier own_full, full[Shape::stages], empty[Shape::stages];
};

/// Tensor maps of Q, dO, K and V: boxes of 64 rows.
struct hopper_maps {
  CUtensorMap q, out_gradient, k, v;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The other side's rows, tile by tile: those of a window, all of them.
class window_tiles {
 public:
  static constexpr bool may_be_none = false;
  __device__ window_tiles(const view& v, const row_block& b)
      : rows_(v.scope, b.window, v.buckets_per_window, v.bucket), count_(v.window / tile_rows) {}

  __device__ int count() const { return count_; }
  /// The first row of the next one, in each batch.
  __device__ int next() { return rows_.next(); }

 private:
  window_attention::row_walk<tile_rows> rows_;
  int count_;
};

/// The producer thread. `tiles` are looked up early, before anything waits for them.
template <class Shape, side Of, class Tiles>
__device__ void copy_rows(const hopper_maps& maps, const view& v, const row_block& b, Tiles tiles,
                          hopper_memory<Shape>& shared) {
  using namespace hopper;
  constexpr bool of_queries = Of == side::queries;
  const CUtensorMap &first = of_queries ? maps.q : maps.k, &second = of_queries ? maps.out_gradient : maps.v,
                    &first_tile = of_queries ? maps.k : maps.q,
                    &second_tile = of_queries ? maps.v : maps.out_gradient;
  // A group past the window's end re-reads its last rows and stores nothing.
  int own_rows[Shape::groups];
#pragma unroll
  for (int g = 0; g < Shape::groups; ++g)
    own_rows[g] = v.row_of(b.window, min(b.first_token + g * group_rows, v.window - group_rows));
  arrive_expecting(shared.own_full, 2 * Shape::groups * Shape::group_bytes);
#pragma unroll
  for (int g = 0; g < Shape::groups; ++g) {
    tma_load<Shape::width>(shared.first[g], first, own_rows[g], b.head, b.batch, shared.own_full);
    tma_load<Shape::width>(shared.second[g], second, own_rows[g], b.head, b.batch, shared.own_full);
  }
  constexpr unsigned statistics_bytes = of_queries ? 0 : sizeof shared.statistics[0];
  ring_position at;
  for (int tile = 0; tile < tiles.count(); ++tile) {
    const int row = tiles.next();
    barrier& full = shared.full[at.stage];
    wait(shared.empty[at.stage], at.parity ^ 1);
    arrive_expecting(full, 2 * Shape::tile_bytes + statistics_bytes);
    tma_load<Shape::width>(shared.first_tiles[at.stage], first_tile, row, b.head, b.batch, full);
    tma_load<Shape::width>(shared.second_tiles[at.stage], second_tile, row, b.head, b.batch, full);
    if constexpr (!of_queries)
      cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, shared.statistics[at.stage],
                               v.statistics + v.place_of_row(b.batch, row, b.head), statistics_bytes, &full);
    at.advance<Shape::stages>();
  }
}

/// A warpgroup with its 64 rows.
template <class Shape, side Of>
class hopper_rows {
 public:
  __device__ hopper_rows(const view& v, const row_block& b, hopper_memory<Shape>& shared, int group)
      : v_(v),
        b_(b),
        shared_(shared),
        token_(b.first_token + group * group_rows),
        first_(descriptor(shared.first[group])),
        second_(descriptor(shared.second[group])),
        first_tiles_(descriptor(shared.first_tiles[0])),
        second_tiles_(descriptor(shared.second_tiles[0])) {}

  /// Of so many tiles.
  template <bool MayBeNone>
  __device__ void run(int tiles) {
    using namespace hopper;
    float p[tile_rows / 2], ds[tile_rows / 2];
    float first_gradient[Shape::width / 2], second_gradient[of_queries ? 2 : Shape::width / 2];
    unsigned p_fragments[tile_rows / 4], ds_fragments[tile_rows / 4];
    row_statistics own[2];
    const int row = v_.row_of(b_.window, min(token_, v_.window - group_rows)) +
                    static_cast<int>(threadIdx.x) / 32 % 4 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
    if constexpr (of_queries) {
      own[0] = v_.statistics[v_.place_of_row(b_.batch, row, b_.head)];
      own[1] = v_.statistics[v_.place_of_row(b_.batch, row + 8, b_.head)];
    }
    ring_position at, before;
    const auto take_gradients = [&] {
      fence_operand(first_gradient);
      if constexpr (!of_queries) fence_operand(second_gradient);
    };
    const auto release_tile = [&] {
      __syncwarp();  // every lane has read the statistics
      if (threadIdx.x % 32 == 0) arrive(shared_.empty[before.stage]);
      before.advance<Shape::stages>();
    };
    wait(shared_.own_full, 0);
    if (MayBeNone && tiles == 0) {
      for (float& x : first_gradient) x = 0;
      for (float& x : second_gradient) x = 0;
    }
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      wait(shared_.full[at.stage], at.parity);
      const std::uint64_t first_tile = moved_by(first_tiles_, at.stage * Shape::tile_bytes),
                          second_tile = moved_by(second_tiles_, at.stage * Shape::tile_bytes);
      wgmma_fence();
      multiply_rows(p, first_, first_tile);
      multiply_rows(ds, second_, second_tile);
      if constexpr (overlaps) {
        wgmma_wait<2>();
        take_gradients();
        if (tile > 0) release_tile();
      }
      wgmma_wait<1>();
      fence_operand(p);
      const row_statistics* const streaming = shared_.statistics[at.stage];
      probabilities(p, own, streaming);
      if constexpr (!of_queries) pack(p_fragments, p);
      wgmma_wait<0>();
      fence_operand(ds);
      score_gradients(
          ds, [&](int i) { return keeps_p ? p[i] : unpacked(p_fragments[i / 2], i % 2); }, own, streaming);
      pack(ds_fragments, ds);
      wgmma_fence();
      if constexpr (!of_queries) accumulate(second_gradient, p_fragments, second_tile, tile > 0);
      accumulate(first_gradient, ds_fragments, first_tile, tile > 0);
      wgmma_commit();
      if constexpr (!overlaps) {
        wgmma_wait<0>();
        take_gradients();
        release_tile();
      }
      at.advance<Shape::stages>();
    }
    wgmma_wait<0>();
    take_gradients();
    if (token_ >= v_.window) return;
    store(of_queries ? v_.q_gradient : v_.k_gradient, row, first_gradient, v_.scale);
    if constexpr (!of_queries) store(v_.v_gradient, row, second_gradient, 1.0f);
  }

 private:
  static constexpr bool of_queries = Of == side::queries;
  static constexpr unsigned panel_bytes = tile_rows * 128;

  /// Where registers suffice, the last MMAs of a tile overlap the first of the next, and fp32 P is kept until
  /// dS is computed; otherwise only the packed bf16 P is kept.
  static constexpr bool overlaps = of_queries || Shape::width < 128, keeps_p = overlaps;

  __device__ static std::uint64_t descriptor(const void* tile) {
    return hopper::matrix_descriptor<typename Shape::swizzle>(hopper::shared_address(tile));
  }

  /// Stationary rows times streaming rows.
  __device__ static void multiply_rows(float (&to)[tile_rows / 2], std::uint64_t own, std::uint64_t tile) {
    using namespace hopper;
#pragma unroll
    for (int k = 0; k < Shape::width / 16; ++k) {
      const unsigned at = k / 4 * panel_bytes + k % 4 * 32;
      wgmma<tile_rows>::shared_a<operand_major::k_major>(to, moved_by(own, at), moved_by(tile, at), k > 0);
    }
    wgmma_commit();
  }

  __device__ static void accumulate(float (&to)[Shape::width / 2], const unsigned (&a)[tile_rows / 4],
                                    std::uint64_t tile, bool accumulates) {
    using namespace hopper;
    // The width is N here: leading_bytes (matrix_descriptor) steps from panel to panel.
    if constexpr (Shape::width > 64) tile += static_cast<std::uint64_t>((panel_bytes - 16) >> 4) << 16;
#pragma unroll
    for (int k = 0; k < tile_rows / 16; ++k)
      wgmma<Shape::width>::template register_a<operand_major::mn_major>(
          to, a + 4 * k, moved_by(tile, k * 16 * Shape::span_bytes), accumulates || k > 0);
  }

  __device__ static void pack(unsigned (&a)[tile_rows / 4], const float (&d)[tile_rows / 2]) {
#pragma unroll
    for (int i = 0; i < tile_rows / 4; ++i) a[i] = packed(d[2 * i], d[2 * i + 1]);
  }

  __device__ static float unpacked(unsigned pair, int which) {
    return __uint_as_float(which == 0 ? pair << 16 : pair & 0xffff0000u);
  }

  /// Statistics of the two columns of accumulators 4n … 4n+3, the lower column's first.
  __device__ static float4 columns(const row_statistics* streaming, int n) {
    return *reinterpret_cast<const float4*>(streaming + 8 * n + threadIdx.x % 4 * 2);
  }

  __device__ void probabilities(float (&p)[tile_rows / 2], const row_statistics (&own)[2],
                                const row_statistics* streaming) const {
#pragma unroll
    for (int n = 0; n < tile_rows / 8; ++n) {
      float4 c;
      if constexpr (!of_queries) c = columns(streaming, n);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float lse;
        if constexpr (of_queries)
          lse = own[i / 2].lse_log2;
        else
          lse = i % 2 == 0 ? c.x : c.z;
        p[4 * n + i] = exp2_of(fmaf(p[4 * n + i], v_.scale_log2, -lse));
      }
    }
  }

  /// Turns dP into dS.
  template <class Probability>
  __device__ static void score_gradients(float (&ds)[tile_rows / 2], Probability p,
                                         const row_statistics (&own)[2], const row_statistics* streaming) {
#pragma unroll
    for (int n = 0; n < tile_rows / 8; ++n) {
      float4 c;
      if constexpr (!of_queries) c = columns(streaming, n);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float delta;
        if constexpr (of_queries)
          delta = own[i / 2].delta;
        else
          delta = i % 2 == 0 ? c.y : c.w;
        ds[4 * n + i] = p(4 * n + i) * (ds[4 * n + i] - delta);
      }
    }
  }

  __device__ void store(__nv_bfloat16* to, int row, const float (&g)[Shape::width / 2], float factor) const {
    __nv_bfloat16* const at = to + v_.place(b_.batch, row, b_.head) + threadIdx.x % 4 * 2;
#pragma unroll
    for (int d = 0; d < Shape::width / 8; ++d)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<unsigned*>(at + 8 * half * v_.heads * Shape::width + 8 * d) =
            packed(g[4 * d + 2 * half] * factor, g[4 * d + 2 * half + 1] * factor);
  }

  const view& v_;
  const row_block& b_;
  hopper_memory<Shape>& shared_;
  int token_;
  std::uint64_t first_, second_, first_tiles_, second_tiles_;  ///< descriptors; tiles: of the first stage
};

/// A block of threads. `make_tiles`: what its rows meet.
template <class Shape, side Of, class MakeTiles>
__device__ void differentiate_block(const hopper_maps& maps, const view& v, MakeTiles make_tiles) {
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<hopper_memory<Shape>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    hopper::initialize(shared.own_full, 1);
    for (int s = 0; s < Shape::stages; ++s) {
      hopper::initialize(shared.full[s], 1);
      hopper::initialize(shared.empty[s], 4 * Shape::groups);
    }
    hopper::fence_initialization();
  }
  __syncthreads();
  const row_block b = v.block_of(blockIdx.x, Shape::rows);
  const int group = hopper::warpgroup();
  if (group == 0) {
    hopper::setmaxnreg_dec<Shape::producer_registers>();
    if (threadIdx.x == 0) copy_rows<Shape, Of>(maps, v, b, make_tiles(b), shared);
  } else {
    hopper::setmaxnreg_inc<Shape::consumer_registers>();
    const auto tiles = make_tiles(b);
    hopper_rows<Shape, Of>(v, b, shared, group - 1).template run<decltype(tiles)::may_be_none>(tiles.count());
  }
}

#endif

template <class Shape, side Of>
__global__ __launch_bounds__(Shape::threads,
                             1) void differentiate_on_hopper(const __grid_constant__ hopper_maps maps,
                                                             view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  differentiate_block<Shape, Of>(maps, v, [&](const row_block& b) { return window_tiles(v, b); });
#endif
}

}  // namespace ablate::window_attention_backward
