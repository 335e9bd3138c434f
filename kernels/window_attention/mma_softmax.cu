// Forms of the softmax on the core of mma_online, each one step from it (mma_softmax in mma_forward.cuh).
// Should move: instructions a score (mma_eager and mma_natural_exp have more, mma_first_tile fewer).
#include <algorithm>

#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void mma_eager(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_ahead<mma_options_of<mma_softmax::eager>>(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void mma_natural_exp(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_ahead<mma_options_of<mma_softmax::natural>>(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

/// The first launch puts query tiles on the list where its softmax overflowed, the second does them again.
void mma_first_tile(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    const view v(p, mma_query_rows);
    empty_list_of_tiles(to, v);
    run_mma_ahead<mma_options_of<mma_softmax::first_tile>>(to, p);
    with_mma_shape<copies_form::ahead>(p.width, [&](auto shape) {
      using of_width = decltype(shape);
      const auto blocks = std::min<long long>(
          v.query_tiles, static_cast<long long>(to.device().multiprocessors) * of_width::blocks);
      launch(to, attend_again_by_mma<of_width>, dim3(static_cast<unsigned>(blocks)), dim3(mma_threads),
             mma_shared_bytes<of_width>(v), v);
    });
  }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention
