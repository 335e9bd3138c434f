// Attention to selected blocks through shared memory.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V: a warp has 16 queries of one head and processes 16 keys at a time;
//   keys and values are staged by tile, 16 bytes a copy (cp.async), into swizzled rows, and loaded into
//   fragments by ldmatrix. Each warp has its own stages, so no warp waits for another.
// One tile a stage and two stages is the published shape (Speed3R's selection kernel: a warp a query block,
// tiles of 16 × 16, the next block prefetched). Copies bypass L1; through L1, warps of a multiprocessor can
// share blocks that neighbors select too. Should move: stalls on copies; shared-memory accesses against the
// direct form (direct.cu).
#include "kernels/common/configured.h"
#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention/shared_tile.cuh"

namespace ablate::selection_attention {

struct staged_config {
  static constexpr int tiles = 1;   ///< of a stage, keys and values
  static constexpr int stages = 2;  ///< of each warp's ring
  static constexpr unsigned stage_bytes = tiles * 2 * tile_bytes;
  static constexpr std::size_t ring_bytes = stages * stage_bytes;

  int warps = 4;  ///< of a block
  bool through_l1 = false;
  softmax_form softmax = softmax_form::lazy;

  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(warps) * (ring_bytes + max_entries * sizeof(int));
  }
};

template <class Configured>
__global__ __launch_bounds__(32 *
                             Configured::config.warps) void attend_staged(const __grid_constant__ view v) {
  constexpr staged_config C = Configured::config;
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const work_item at(v);
  if (!at.attends(v)) return;
  const long long of_head = at.head * v.tokens * row_bytes;
  const long long queries = of_head + static_cast<long long>(at.tile) * tile_bytes;
  const unsigned ring = mma::shared_address(memory) + warp * static_cast<unsigned>(C.stages * C.stage_bytes);

  // Four copies of a warp are a tile, as it follows in memory.
  const auto copy = [&](unsigned to, const unsigned char* from) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned at = to + rows_of_tile::place(lane / 8 + 4 * i, lane % 8);
      if constexpr (Configured::config.through_l1)
        mma::copy_async_through_l1(at, from + lane * 16 + i * 512);
      else
        mma::copy_async(at, from + lane * 16 + i * 512);
    }
  };
  copy(ring, v.q + queries);
  mma::copy_commit();
  const key_tiles list(
      v, at, reinterpret_cast<int*>(memory + C.warps * C.stages * C.stage_bytes) + warp * max_entries);
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
    for (int i = 0; i < C.tiles; ++i) {
      const int next = stage * C.tiles + i;
      if (next >= count) break;
      const unsigned to = ring + stage % C.stages * C.stage_bytes + i * 2 * tile_bytes;
      const long long from = of_head + static_cast<long long>(list[next]) * tile_bytes;
      copy(to, v.k + from);
      copy(to + tile_bytes, v.v + from);
    }
    mma::copy_commit();
  };
#pragma unroll
  for (int stage = 0; stage < C.stages - 1; ++stage) copy_stage(stage);

  softmax_rows<C.softmax> rows;
#pragma unroll 1
  for (int stage = 0; stage * C.tiles < count; ++stage) {
    copy_stage(stage + C.stages - 1);
    mma::copy_wait<C.stages - 1>();
    __syncwarp();
    const unsigned keys = ring + stage % C.stages * C.stage_bytes;
#pragma unroll
    for (int i = 0; i < C.tiles; ++i) {
      if (stage * C.tiles + i >= count) break;
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

template <staged_config Config = staged_config{}>
void run_staged(launcher& to, const problem& p, bool by_head) {
  const view v(p, by_head);
  view ungated = v;
  if (p.keeps_ungated) ungated.out = v.ungated;
  launch(to, attend_staged<configured<Config>>, dim3(v.grid(Config.warps)), dim3(32 * Config.warps),
         Config.shared_bytes(), ungated);
  if (p.is_gated) apply_gates(to, v);
}

void staged(launcher& to, const problem& p, const switches& s) {
  const bool by_head = s.word("grid") == "by_head";
  if (s.word("softmax") == "running")
    return run_staged<staged_config{.softmax = softmax_form::online}>(to, p, by_head);
  if (s.integer("warps") == 8)
    return run_staged<staged_config{.warps = 8, .through_l1 = true}>(to, p, by_head);
  if (s.word("copies") == "through_l1") return run_staged<staged_config{.through_l1 = true}>(to, p, by_head);
  run_staged(to, p, by_head);
}

}  // namespace ablate::selection_attention
