// The inputs, and how far gradients are from plain ones, by window_attention_backward's: a head is a batch
// with one window.
#include "kernels/common/launcher.h"
#include "oracles/compression_attention_backward/launches.h"
#include "oracles/window_attention_backward/inputs_of_rows.h"
#include "oracles/window_attention_backward/launches.h"

namespace ablate::compression_attention_backward {

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  window_attention_backward::make_inputs_of_rows(to, checked_gradients_of(p), p.rows);
}

void compare_with_plain(launcher& to, const checked_problem& p, const switches& s) {
  window_attention_backward::compare_with_plain(to, checked_gradients_of(p), s);
}

}  // namespace ablate::compression_attention_backward
