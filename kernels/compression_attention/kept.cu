// Attention to kept blocks: each block of 128 queries attends to the key blocks of 64 rows set in its bitmap.
//   `core=hopper`: the dense core with two groups of 64 queries; a tile of 128 keys is two boxes of 64 rows,
// copied from the next two set bits. Products, softmax and turns are the dense core's, so a kept pair costs
// the same as there.
//   `core=mma`: the same by mma.sync, with tiles of one key block.
//   With int8 queries and keys, scores use integer tensor cores (int8_scores.cuh).
// Thread blocks process query tiles in turn, in no order, although their numbers of key blocks differ.
// Should move, against attention to all keys: time and L2 bytes by the kept share; the tensor pipe's
// activity, by nothing.
#include "kernels/compression_attention/attend.cuh"
#include "kernels/compression_attention/hopper_core/kernel.cuh"
#include "kernels/compression_attention/int8_scores.cuh"
#include "kernels/compression_attention/launches.h"

namespace ablate::compression_attention {

/// blockIdx.x: a query block, those of a head one after the other.
template <class Scores>
__global__ __launch_bounds__(block_threads, 2) void attend_to_kept(const __grid_constant__ view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  attention<no_choice, kept_boxes, Scores>(v, *reinterpret_cast<attend_memory<no_choice>*>(raw)).run();
}

void kept_by_mma(launcher& to, const problem& p, const switches&) {
  const view v(p);
  const unsigned blocks = blocks_for(v.chunk_rows, tile_queries) * static_cast<unsigned>(v.heads);
  launch(to, p.multiplies_int8 ? attend_to_kept<warp_int8_scores> : attend_to_kept<warp_scores>, dim3(blocks),
         dim3(block_threads), sizeof(attend_memory<no_choice>), v);
}

namespace by_warpgroup {

enum class score_operands { bf16, int8 };

/// A query block that meets the key blocks which it keeps: two of them, a box each, are a tile.
constexpr forward_config of_kept_blocks(score_operands operands) {
  return {.block = {.width = width,
                    .groups = 2,
                    .keys = 2 * kept_blocks::keys,
                    .stages = 4,
                    .producer_registers = 24,
                    .consumer_registers = 240,
                    .overlaps = true},
          .softmax = {.form = softmax_form::lazy},
          .pingpong = true,
          .kept_blocks = true,
          .int8_scores = operands == score_operands::int8,
          .query_buffers = 1};
}
static_assert(of_kept_blocks(score_operands::bf16).block.query_rows() == kept_blocks::queries);

}  // namespace by_warpgroup

void kept_on_hopper(launcher& to, const problem& p, const switches& s) {
  using namespace by_warpgroup;
  if (p.multiplies_int8)
    run<of_kept_blocks(score_operands::int8), no_lists>(to, p, s);
  else
    run<of_kept_blocks(score_operands::bf16), no_lists>(to, p, s);
}

}  // namespace ablate::compression_attention
