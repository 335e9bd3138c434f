// Attention in windows in which some tokens are no keys: mma_forward.cuh with a list of the tiles of keys
// that have rows which count, made by a block's first warp before it begins. Tiles of padding alone are
// skipped, in the one tile of a level that has some of it their scores become −∞; a short window has fewer
// tiles, and its blocks of queries past the last row end at once. Against windows filled up to their size
// should move: products and exponentials, by the share of padding among the keys.
#include "kernels/window_attention/partial_windows.h"

#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

template <class Configured>
__global__ __launch_bounds__(mma_threads, Configured::config.block.blocks) void attend_partially_by_mma(
    const __grid_constant__ partial_view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  mma_attention<Configured::config>(v, *reinterpret_cast<mma_memory<Configured::config.block>*>(raw)).run();
}

template <int Width>
void run_partial(launcher& to, const problem& p, std::int64_t valid) {
  constexpr mma_config config = {.block = mma_block_of(Width), .partial_windows = true, .softmax = {}};
  const partial_view v(p, mma_query_rows, valid);
  launch(to, attend_partially_by_mma<configured<config>>, dim3(static_cast<unsigned>(v.query_tiles)),
         dim3(mma_threads), mma_shared_bytes<config>(v), v);
}

void attend_in_partial_windows(launcher& to, const problem& p, std::int64_t valid) {
  switch (p.width) {
    case 16:
      return run_partial<16>(to, p, valid);
    case 32:
      return run_partial<32>(to, p, valid);
    default:
      return run_partial<64>(to, p, valid);
  }
}

}  // namespace ablate::window_attention
