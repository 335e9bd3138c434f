// hopper_reduced with a block a multiprocessor, which takes one block of 128 keys after the other: the next
// keys and values come during the products with these, queries and dO stream on, and dK and dV are stored
// while the next scores are multiplied. In a window of 512 a block of keys has four tiles of queries, and
// what it waits for before the first and after the last one is a fifth of its time. Should move, against
// hopper_reduced: the tensor pipe's activity, up, the more the shorter windows are.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/persistent_shapes.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_persistent_blocks(launcher& to, const problem& p) {
  compute_row_statistics(to, p, statistics_order::quads);
  clear_query_gradient_sums(to, p);
  launch_persistent_on_hopper<query_gradient_way::reductions>(to, p);
}

}  // namespace ablate::window_attention_backward
