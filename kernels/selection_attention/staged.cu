// Attention to selected blocks by way of shared memory.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V: a warp has 16 queries of one head and takes 16 keys at a time; keys
//   and values come as stages of one tile or four, 16 bytes a copy (cp.async), into swizzled rows, and go
//   from there into fragments by ldmatrix. A warp has stages of its own, so that no warp waits for another.
// One tile a stage and two stages is the published shape (Speed3R's selection kernel: a warp a query block,
// tiles of 16 × 16, the next block prefetched). More of either hides more latency and leaves room for fewer
// warps. Copies pass by L1; through it, warps of a multiprocessor can share what neighbors select alike.
// Should move: stalls on copies;
// shared-memory accesses beside the direct form (direct.cu).
#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention/shared_tile.cuh"

namespace ablate::selection_attention {

/// Of each of `Warps`; copies pass by L1, or through it.
template <int Tiles, int Stages, int Warps = 4, bool ThroughL1 = false>
struct stage_ring {
  static constexpr int tiles = Tiles, stages = Stages, warps = Warps;
  static constexpr bool through_l1 = ThroughL1;
  static constexpr unsigned stage_bytes = Tiles * 2 * tile_bytes;
  static constexpr std::size_t bytes = Warps * (Stages * stage_bytes + most_entries * sizeof(int));
};

template <class Ring, maximum Maximum>
__global__ __launch_bounds__(32 * Ring::warps) void attend_staged(const __grid_constant__ view v) {
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const work_item at(v);
  if (!at.attends(v)) return;
  const long long of_head = at.head * v.tokens * row_bytes;
  const long long queries = of_head + static_cast<long long>(at.tile) * tile_bytes;
  const unsigned ring =
      mma::shared_address(memory) + warp * static_cast<unsigned>(Ring::stages * Ring::stage_bytes);

  // Four copies of a warp are a tile, as it follows in memory.
  const auto copy = [&](unsigned to, const unsigned char* from) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned at = to + rows_of_tile::place(lane / 8 + 4 * i, lane % 8);
      if constexpr (Ring::through_l1)
        mma::copy_async_through_l1(at, from + lane * 16 + i * 512);
      else
        mma::copy_async(at, from + lane * 16 + i * 512);
    }
  };
  copy(ring, v.q + queries);
  mma::copy_commit();
  const key_tiles list(
      v, at,
      reinterpret_cast<int*>(memory + Ring::warps * Ring::stages * Ring::stage_bytes) + warp * most_entries);
  const int count = list.count();
  mma::copy_wait<0>();
  __syncwarp();
  unsigned query[width / 16][4];
#pragma unroll
  for (int step = 0; step < width / 16; ++step)
    mma::load_matrices(query[step], ring + rows_of_tile::moved(rows_of_tile::place_by_rows(lane), step));
  __syncwarp();

  const auto copy_stage = [&](int stage) {
#pragma unroll
    for (int i = 0; i < Ring::tiles; ++i) {
      const int next = stage * Ring::tiles + i;
      if (next >= count) break;
      const unsigned to = ring + stage % Ring::stages * Ring::stage_bytes + i * 2 * tile_bytes;
      const long long from = of_head + static_cast<long long>(list[next]) * tile_bytes;
      copy(to, v.k + from);
      copy(to + tile_bytes, v.v + from);
    }
    mma::copy_commit();
  };
#pragma unroll
  for (int stage = 0; stage < Ring::stages - 1; ++stage) copy_stage(stage);

  softmax_rows<Maximum> rows;
#pragma unroll 1
  for (int stage = 0; stage * Ring::tiles < count; ++stage) {
    copy_stage(stage + Ring::stages - 1);
    mma::copy_wait<Ring::stages - 1>();
    __syncwarp();
    const unsigned keys = ring + stage % Ring::stages * Ring::stage_bytes;
#pragma unroll
    for (int i = 0; i < Ring::tiles; ++i) {
      if (stage * Ring::tiles + i >= count) break;
      attend_to_tile(rows, query, keys + i * 2 * tile_bytes, v.scale_log2);
    }
    __syncwarp();
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float lse = rows.finish(half);
    const unsigned row = lane / 4 + 8 * half;
#pragma unroll
    for (int n = 0; n < columns; ++n)
      *reinterpret_cast<unsigned*>(v.out + queries + row * row_bytes + n * 16 + lane % 4 * 4) =
          packed(rows.out[n][2 * half], rows.out[n][2 * half + 1]);
    if (lane % 4 == 0) v.lse[at.head * v.tokens + static_cast<long long>(at.tile) * tile + row] = lse;
  }
}

template <class Ring, maximum Maximum>
void run_staged(launcher& to, const problem& p, bool by_head) {
  const view v(p, by_head);
  view ungated = v;
  if (p.keeps_ungated) ungated.out = v.ungated;
  launch(to, attend_staged<Ring, Maximum>, dim3(v.grid(Ring::warps)), dim3(32 * Ring::warps), Ring::bytes,
         ungated);
  if (p.is_gated) apply_gates(to, v);
}

void staged(launcher& to, const problem& p, const switches& s) {
  const bool by_head = s.word("grid") == "by_head";
  if (s.word("softmax") == "running") return run_staged<stage_ring<1, 2>, maximum::running>(to, p, by_head);
  if (s.integer("tiles_a_stage") == 4) return run_staged<stage_ring<4, 2>, maximum::lazy>(to, p, by_head);
  if (s.integer("stages") == 4) return run_staged<stage_ring<1, 4>, maximum::lazy>(to, p, by_head);
  if (s.integer("warps") == 8) return run_staged<stage_ring<1, 2, 8, true>, maximum::lazy>(to, p, by_head);
  if (s.word("copies") == "through_l1")
    return run_staged<stage_ring<1, 2, 4, true>, maximum::lazy>(to, p, by_head);
  run_staged<stage_ring<1, 2>, maximum::lazy>(to, p, by_head);
}

}  // namespace ablate::selection_attention
