// Attention in windows of which some tokens are no keys: mma_forward.cuh with a list of the tiles of keys
// that have rows which count, made by a block's first warp before it begins. Tiles of padding alone are
// skipped, in the one tile of a level that has some of it their scores become −∞; a short window has fewer
// tiles, and its blocks of queries behind the last row end at once. Against windows filled up to their size
// should move: products and exponentials, by the share of padding among the keys.
#include "kernels/window_attention/partial_windows.h"

#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void attend_in_partial_windows(launcher& to, const problem& p, std::int64_t valid) {
  with_mma_shape<copies_form::ahead>(p.width, [&](auto shape) {
    using of_width = decltype(shape);
    const partial_view v(p, mma_query_rows, valid);
    launch(to, attend_by_mma<of_width, partial_options>, dim3(static_cast<unsigned>(v.query_tiles)),
           dim3(mma_threads), mma_shared_bytes<of_width, partial_options>(v), v);
  });
}

}  // namespace ablate::window_attention
