// Forward attention in the published shape: see published.cuh. Switches: `division`, `exponential`, `grid`,
// `smem_request`.
#include "kernels/common/min_max.h"
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/published.cuh"

namespace ablate::window_attention {

namespace {

template <int Width, published_softmax Softmax>
void run(launcher& to, const problem& p, const switches& s) {
  using shape = published_shape<Width>;
  const view v(p, shape::rows);
  const int blocks_of_window = v.window / shape::rows;
  const int query_blocks = s.word("grid") == "windows" ? blocks_of_window : 1;
  const std::size_t needed = sizeof(published_memory<Width>);
  const std::size_t request =
      s.word("smem_request") == "max" ? std::max(needed, to.device().shared_bytes_per_block) : needed;
  launch(to, attend_as_published<Width, Softmax>, dim3(static_cast<unsigned>(v.query_tiles / query_blocks)),
         dim3(shape::threads), request, v, query_blocks);
}

template <published_softmax Softmax>
void run_width(launcher& to, const problem& p, const switches& s) {
  switch (p.width) {
    case 16:
      return run<16, Softmax>(to, p, s);
    case 32:
      return run<32, Softmax>(to, p, s);
    case 64:
      return run<64, Softmax>(to, p, s);
    default:
      return run<128, Softmax>(to, p, s);
  }
}

}  // namespace

void mma_published(launcher& to, const problem& p, const switches& s) {
  using enum published_softmax;
  if (p.does(phase::attend)) {
    if (s.word("exponential") == "exp2")
      run_width<exp2>(to, p, s);
    else if (s.word("normalize") == "at_end")
      run_width<deferred>(to, p, s);
    else
      run_width<per_step>(to, p, s);
  }
}

}  // namespace ablate::window_attention
