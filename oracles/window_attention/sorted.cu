// Rows that stay sorted are taken back to those of the problem before they are compared.
#include "kernels/window_attention/gather.cuh"
#include "oracles/window_attention/launches.h"

namespace ablate::window_attention {

void compare_sorted(launcher& to, const checked_problem& p, const switches& s) {
  gather_outputs(to, p, moved_rows(p), p.narrow.token_of_row);
  compare_with_plain(to, p, s);
}

}  // namespace ablate::window_attention
