// hopper_warp_forward.cuh's launches: at 16 and 32 elements a head, of rows in buckets or contiguous.
#include "kernels/common/min_max.h"
#include "kernels/window_attention/hopper_warp_forward.cuh"

#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

namespace {

template <warp_config Config>
void run_warps(launcher& to, const problem& p) {
  const view v(p, Config.block.query_rows());
  const auto map_of = [&](const std::uint16_t* base) {
    return hopper::row_boxes(to, {base, p.batches, p.tokens, p.heads, p.width, p.qkv_stride()},
                             keys_per_tile);
  };
  const auto blocks = static_cast<unsigned>(
      std::min<long long>(v.query_tiles, static_cast<long long>(to.device().multiprocessors)));
  empty_redo_list(to, v);
  launch(to, attend_by_warps_on_hopper<configured<Config>>, dim3(blocks), dim3(Config.block.threads()),
         sizeof(warp_memory<Config.block>) + 1024, warp_maps{map_of(p.q), map_of(p.k), map_of(p.v)}, v);
  attend_listed_tiles(to, p);
}

/// `width_block`: that of the width in attend_listed_tiles, which redoes tiles.
constexpr block_shape warp_block(const block_shape& width_block) {
  return {.width = width_block.width,
          .groups = 4,
          .stages = 4,
          .producer_registers = 32,
          .consumer_registers = 112,
          .redone_rows = width_block.query_rows(),
          .group_rows = 4 * rows_per_warp};
}

}  // namespace

void hopper_warp(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::attend)) {
    problem found = p;
    if (s.word("rows") == "contiguous") found.scope = nullptr;
    if (p.width == 16)
      run_warps<warp_config{.block = warp_block(block_16), .step_keys = 32, .software_exp2 = 3}>(to, found);
    else
      run_warps<warp_config{.block = warp_block(block_32), .step_keys = 16, .software_exp2 = 2}>(to, found);
  }
}

}  // namespace ablate::window_attention
