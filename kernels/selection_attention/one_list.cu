// Attention to selected blocks by queries with a common list: 64 per warpgroup.
//   S = Q·Kᵀ (64 queries × 64 keys, fp32 in registers), P = 2^(c·s − m), O += P·V with P as the register
//   operand. If four neighboring blocks of 16 queries share a list, as when their scores are added before the
//   choice, or if a block has 64 queries or more, every listed block serves all 64 rows of a warpgroup
//   product: a quarter of the L2 bytes of one list per block, and no wasted row.
// A tile of 64 keys is gathered from tiles of 16, as they are in memory, by TMA boxes into a ring of stages.
// The missing part of the last tile is a box past the last token, which is zeros, with scores of −∞. Three
// blocks a multiprocessor: while one waits for its product or is in its softmax, the others multiply.
// Should move: bytes from L2, by 4 against direct.cu;
// the tensor pipe's activity, up.
#include "kernels/attention_core/products.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention/store_pairs.cuh"

namespace ablate::selection_attention {

namespace by_one_list {

constexpr int group_queries = attention_core::rows_per_group, group_keys = 64;
constexpr int tiles_of_group = group_keys / tile;
constexpr int ring_stages = 4, consumer_warps = 4, group_threads = 32 * (consumer_warps + 1);
constexpr unsigned group_bytes = group_keys * row_bytes;

/// Boxes of 64 rows of queries, and of 16 of keys and values.
struct one_list_maps {
  CUtensorMap queries, keys, values;
};

struct one_list_memory {
  alignas(1024) unsigned char queries[group_bytes];
  alignas(1024) unsigned char keys[ring_stages][group_bytes];
  alignas(1024) unsigned char values[ring_stages][group_bytes];
  int entries[max_entries];
  int count;  ///< of tiles of 16 keys
  std::uint64_t queries_full, full[ring_stages], empty[ring_stages];
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// One thread: brings the queries, then keys and values of the list's tiles.
__device__ void bring(const one_list_maps& maps, const view& v, const work_item& at, const key_tiles& list,
                      one_list_memory& shared) {
  using namespace hopper;
  arrive_expecting(shared.queries_full, group_bytes);
  tma_load<width>(shared.queries, maps.queries, at.tile * tile, 0, at.head, shared.queries_full);
  ring_position ring;
#pragma unroll 1
  for (int first = 0; first < list.count(); first += tiles_of_group) {
    wait(shared.empty[ring.stage], ring.parity ^ 1);
    arrive_expecting(shared.full[ring.stage], 2 * group_bytes);
#pragma unroll
    for (int i = 0; i < tiles_of_group; ++i) {
      const int row =
          first + i < list.count() ? static_cast<int>(list[first + i]) * tile : static_cast<int>(v.tokens);
      tma_load<width>(shared.keys[ring.stage] + i * tile_bytes, maps.keys, row, 0, at.head,
                      shared.full[ring.stage]);
      tma_load<width>(shared.values[ring.stage] + i * tile_bytes, maps.values, row, 0, at.head,
                      shared.full[ring.stage]);
    }
    ring.advance<ring_stages>();
  }
}

/// A warp's 16 of the 64 queries.
template <row_gate Gate>
__device__ void attend_with_group(const view& v, const work_item& at, one_list_memory& shared) {
  using namespace hopper;
  using swizzled = swizzle<row_bytes>;
  const std::uint64_t queries = matrix_descriptor<swizzled>(shared_address(shared.queries)),
                      keys = matrix_descriptor<swizzled>(shared_address(shared.keys)),
                      values = matrix_descriptor<swizzled>(shared_address(shared.values), group_bytes);
  const int count = shared.count;
  softmax_rows<softmax_form::lazy> rows;
  float scores[group_keys / 8][4];
  auto& s = reinterpret_cast<float(&)[group_keys / 2]>(scores);
  auto& o = reinterpret_cast<float(&)[width / 2]>(rows.out);
  ring_position ring;
  wait(shared.queries_full, 0);
#pragma unroll 1
  for (int first = 0; first < count; first += tiles_of_group) {
    wait(shared.full[ring.stage], ring.parity);
    wgmma_fence();
    attention_core::issue_scores<width>(s, queries, moved_by(keys, ring.stage * group_bytes));
    wgmma_wait<0>();
    fence_operand(s);
    const int left = (count - first) * tile;
    if (left < group_keys) {
#pragma unroll
      for (int i = 0; i < group_keys / 2; ++i)
        if (static_cast<int>(8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2) >= left) s[i] = -INFINITY;
    }
    unsigned p[group_keys / 4];
    rows.weigh(scores, v.scale_log2, p);
    wgmma_fence();
    attention_core::issue_outputs<width, width>(o, p, moved_by(values, ring.stage * group_bytes), true);
    wgmma_wait<0>();
    fence_operand(o);
    if (threadIdx.x % 32 == 0) arrive(shared.empty[ring.stage]);
    ring.advance<ring_stages>();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const long long token =
        static_cast<long long>(at.tile) * tile + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + 8 * half;
    store_pairs<Gate>(v, rows, half, at.head, token, token < v.tokens);
  }
}

#endif

/// blockIdx.x: 64 queries, then heads.
template <row_gate Gate>
__global__ __launch_bounds__(group_threads,
                             3) void attend_to_one_list(const __grid_constant__ one_list_maps maps,
                                                        const __grid_constant__ view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<one_list_memory*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  const int groups = (v.tiles + tiles_of_group - 1) / tiles_of_group;
  const work_item at(static_cast<int>(blockIdx.x) / groups,
                     static_cast<int>(blockIdx.x) % groups * tiles_of_group);
  if (threadIdx.x == 0) {
    hopper::initialize(shared.queries_full, 1);
    for (int s = 0; s < ring_stages; ++s) {
      hopper::initialize(shared.full[s], 1);
      hopper::initialize(shared.empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  const bool brings = hopper::warpgroup() > 0;
  if (brings) {
    const key_tiles list(v, at, shared.entries);
    if (threadIdx.x % 32 == 0) shared.count = list.count();
  }
  __syncthreads();
  if (brings) {
    if (threadIdx.x % 32 == 0) bring(maps, v, at, {v, shared.entries, shared.count}, shared);
  } else {
    attend_with_group<Gate>(v, at, shared);
  }
#endif
}

}  // namespace by_one_list

using namespace by_one_list;

void one_list(launcher& to, const problem& p, const switches&) {
  const view v(p, true);
  const auto map_of = [&](const std::uint16_t* base, unsigned rows) {
    return hopper::row_boxes(to, {base, p.heads, p.tokens, 1, width, width}, rows);
  };
  const one_list_maps maps = {map_of(p.q, group_queries), map_of(p.k, tile), map_of(p.v, tile)};
  const unsigned blocks = blocks_for(v.tiles, tiles_of_group) * static_cast<unsigned>(v.heads);
  launch(to, p.is_gated ? attend_to_one_list<row_gate::applied> : attend_to_one_list<row_gate::none>,
         dim3(blocks), dim3(group_threads), sizeof(one_list_memory) + 1024, maps, v);
}

}  // namespace ablate::selection_attention
