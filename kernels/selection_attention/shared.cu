// Attention to selected blocks with reads shared among neighbors.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V: a warp has 16 queries of one head and takes 16 keys at a time, as in
//   staged.cu. The warps of a block have neighboring query tiles, whose lists name many a block in common; a
//   thread block loads each block in any of their lists once: keys and values stream tile by tile through a
//   ring of stages that all warps read, and a warp skips blocks that are not in its list. L2 bytes fall by r,
//   the entries of all lists over the blocks in their union, and all warps run at the pace of the union.
// The union is a bitmap of key blocks in shared memory; its set bits in order are the tiles to load, and a
// block's rank is the index of its mask of warps. So lists may be in any order, and each warp processes its
// blocks in ascending order. Exact: the products are those of direct.cu. Should move: bytes from L2, by r;
// time, if r outweighs the waits.
#include "kernels/selection_attention/block_union.cuh"
#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention/shared_tile.cuh"
#include "kernels/selection_attention/store_pairs.cuh"

namespace ablate::selection_attention {

/// A ring of `stages` stages of `tiles` tiles each, that all warps of a block read.
struct shared_ring {
  static constexpr int warps = sharing_warps, threads = 32 * warps, tiles = 4, stages = 3;
  static constexpr unsigned pair_bytes = 2 * tile_bytes, stage_bytes = tiles * pair_bytes;
  static constexpr unsigned ring_bytes = stages * stage_bytes;
  static_assert(warps * tile_bytes <= ring_bytes, "queries pass through the ring");
  static std::size_t bytes(const view& v) { return ring_bytes + block_union::bytes(v.blocks); }
};

/// The chunk of 16 bytes `c` of a stage's tile: keys, then values.
struct chunk_of_pair {
  bool is_value;
  unsigned row, column;
  __device__ explicit chunk_of_pair(unsigned c) : is_value(c >= 128), row(c % 128 / 8), column(c % 8) {}
  __device__ unsigned to() const { return (is_value ? tile_bytes : 0) + rows_of_tile::place(row, column); }
  __device__ unsigned from() const { return row * row_bytes + column * 16; }
};

template <row_gate Gate>
__global__ __launch_bounds__(shared_ring::threads, 2) void attend_together(const __grid_constant__ view v) {
  using ring = shared_ring;
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const work_item at(v);
  // Without queries a warp brings tiles all the same.
  const bool attends = at.attends(v);
  const long long of_head = at.head * v.tokens * row_bytes;
  const long long queries = of_head + static_cast<long long>(at.tile) * tile_bytes;
  const unsigned ring_at = mma::shared_address(memory);

  if (attends) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      mma::copy_async(ring_at + warp * tile_bytes + rows_of_tile::place(lane / 8 + 4 * i, lane % 8),
                      v.q + queries + lane * 16 + i * 512);
  }
  mma::copy_commit();
  block_union named(v.blocks, memory + ring::ring_bytes);
  named.build(v, work_item(at.head, at.tile - static_cast<int>(warp)));
  mma::copy_wait<0>();
  __syncwarp();
  unsigned query[width / 16][4] = {};
  if (attends) {
#pragma unroll
    for (int step = 0; step < width / 16; ++step)
      mma::load_matrices(query[step], ring_at + warp * tile_bytes +
                                          rows_of_tile::moved(rows_of_tile::place_by_rows(lane), step));
  }
  __syncthreads();

  const int count = named.count() << v.log2_in_block;
  const auto copy_stage = [&](int stage) {
    const unsigned to = ring_at + stage % ring::stages * ring::stage_bytes;
#pragma unroll
    for (unsigned c = threadIdx.x; c < ring::tiles * 256; c += ring::threads) {
      const int next = stage * ring::tiles + static_cast<int>(c / 256);
      if (next >= count) break;
      const chunk_of_pair chunk(c % 256);
      const int block = named.block(next >> v.log2_in_block);
      const long long tile_number =
          (static_cast<long long>(block) << v.log2_in_block) + (next & ((1 << v.log2_in_block) - 1));
      mma::copy_async(to + c / 256 * ring::pair_bytes + chunk.to(),
                      (chunk.is_value ? v.v : v.k) + of_head + tile_number * tile_bytes + chunk.from());
    }
    mma::copy_commit();
  };
#pragma unroll
  for (int stage = 0; stage < ring::stages - 1; ++stage) copy_stage(stage);

  softmax_rows<softmax_form::lazy> rows;
#pragma unroll 1
  for (int stage = 0; stage * ring::tiles < count; ++stage) {
    mma::copy_wait<ring::stages - 2>();
    __syncthreads();  // the stage is there, and all have left the one before it, which the next copies fill
    copy_stage(stage + ring::stages - 1);
    const unsigned pairs = ring_at + stage % ring::stages * ring::stage_bytes;
#pragma unroll 1
    for (int i = 0; i < ring::tiles; ++i) {
      const int index = stage * ring::tiles + i;
      if (index >= count) break;
      if (!attends || !named.is_of(index >> v.log2_in_block, warp)) continue;
      attend_to_tile(rows, query, pairs + i * ring::pair_bytes, v.scale_log2);
    }
  }
  mma::copy_wait<0>();
  if (!attends) return;

#pragma unroll
  for (int half = 0; half < 2; ++half)
    store_pairs<Gate>(v, rows, half, at.head, static_cast<long long>(at.tile) * tile + lane / 4 + 8 * half);
}

void together(launcher& to, const problem& p, const switches& s) {
  const view v(p, s.word("grid") == "by_head");
  launch(to, p.is_gated ? attend_together<row_gate::applied> : attend_together<row_gate::none>,
         dim3(v.grid(shared_ring::warps)), dim3(shared_ring::threads), shared_ring::bytes(v), v);
}

}  // namespace ablate::selection_attention
