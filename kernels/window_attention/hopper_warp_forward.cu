// hopper_warp_forward.cuh's launches: at 16 and 32 elements a head.
#include "kernels/window_attention/hopper_warp_forward.cuh"

#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

namespace {

template <class Shape>
void run_warps(launcher& to, const problem& p) {
  const view v(p, Shape::query_rows);
  const auto map_of = [&](const std::uint16_t* base) {
    return hopper::row_boxes(to, {base, p.batches, p.tokens, p.heads, p.width, p.qkv_stride()},
                             keys_per_tile);
  };
  const auto blocks = static_cast<unsigned>(
      std::min<long long>(v.query_tiles, static_cast<long long>(to.device().multiprocessors)));
  empty_redo_list(to, v);
  launch(to, attend_by_warps_on_hopper<Shape>, dim3(blocks), dim3(Shape::threads),
         sizeof(warp_memory<Shape>) + 1024, warp_maps{map_of(p.q), map_of(p.k), map_of(p.v)}, v);
  attend_listed_tiles(to, p);
}

}  // namespace

void attend_from_first_tile_by_warps(launcher& to, const problem& p) {
  if (p.width == 16)
    run_warps<warp_shape<16, 4, 4, 32, 3, 32, 112, shape_16::query_rows>>(to, p);
  else
    run_warps<warp_shape<32, 4, 4, 16, 2, 32, 112, shape_32::query_rows>>(to, p);
}

void hopper_warp_first_tile(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_from_first_tile_by_warps(to, p);
}

}  // namespace ablate::window_attention
