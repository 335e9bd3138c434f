// Forward attention by mma.sync, one block shape a head width: see mma_forward.cuh.
#include "kernels/window_attention/mma_forward.cuh"

#include "kernels/window_attention/key_norms.cuh"

namespace ablate::window_attention {

namespace {

template <class Shape, class Options>
void run(launcher& to, const problem& p) {
  const view v(p, mma_query_rows);
  if (Options::bounded) measure_keys(to, p);
  launch(to, attend_by_mma<Shape, Options>, dim3(static_cast<unsigned>(v.query_tiles)), dim3(mma_threads),
         sizeof(mma_memory<Shape>) + sizeof(int) * static_cast<std::size_t>(v.window / Shape::keys), v);
}

/// At 128 elements a head the scores of 64 keys and the outputs would spill registers. `Narrow`: at 16 and 32
/// elements, where the exponentials limit.
template <class Options, class Narrow = Options>
void run_overlapped(launcher& to, const problem& p) {
  using enum copies_form;
  switch (p.width) {
    case 16:
      return run<mma_shape<16, 64, ahead, 4>, Narrow>(to, p);
    case 32:
      return run<mma_shape<32, 64, ahead, 3>, Narrow>(to, p);
    case 64:
      return run<mma_shape<64, 64, ahead, 2>, Options>(to, p);
    default:
      return run<mma_shape<128, 32, ahead, 2>, Options>(to, p);
  }
}

template <class Options>
void run_awaited(launcher& to, const problem& p) {
  using enum copies_form;
  switch (p.width) {
    case 16:
      return run<mma_shape<16, 64, awaited, 4>, Options>(to, p);
    case 32:
      return run<mma_shape<32, 64, awaited, 3>, Options>(to, p);
    case 64:
      return run<mma_shape<64, 64, awaited, 2>, Options>(to, p);
    default:
      return run<mma_shape<128, 32, awaited, 2>, Options>(to, p);
  }
}

}  // namespace

void mma_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_overlapped<mma_options<false>>(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void mma_bounded(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_overlapped<mma_options<true>, mma_options<true, 4>>(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void mma_online_one_stage(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_awaited<mma_options<false>>(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention
