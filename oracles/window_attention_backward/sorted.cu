// Rows that stay sorted are taken back to those of the problem before they are compared.
#include "kernels/window_attention_backward/gather.cuh"
#include "oracles/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

void compare_sorted(launcher& to, const checked_problem& p, const switches& s) {
  gather_gradients(to, p, moved_rows(p));
  compare_with_plain(to, p, s);
}

}  // namespace ablate::window_attention_backward
