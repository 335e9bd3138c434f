#include "oracles/backbone/yardstick.h"

#include <algorithm>

#include "oracles/backbone/checked_linear.h"
#include "oracles/backbone/checked_mlp.h"
#include "oracles/backbone/checked_row_norm.h"
#include "oracles/backbone/checked_window_attention.h"
#include "oracles/backbone/checked_window_attention_backward.h"

namespace ablate::backbone {
namespace {

/// A copy of all gradients.
std::int64_t gradient_copy_bytes(const network& n) {
  return 4 * n.gradients.elements + (n.is_block() ? 2 * n.points() * n.out_channels : 0);
}

/// What plain arithmetic of a step needs.
std::int64_t bytes_of_step(const network& n, const step& s) {
  switch (s.kind) {
    case step_kind::linear:
      return linear_yardstick_bytes(n, s);
    case step_kind::mlp:
      return mlp_yardstick_bytes(n, s);
    case step_kind::attention:
      return attention_yardstick_bytes(n, s);
    default:
      return 0;
  }
}

/// Of a step of training.
std::int64_t bytes_of_gradient_step(const network& n, const step& s) {
  switch (s.kind) {
    case step_kind::normalize:
    case step_kind::norm_gradient:
    case step_kind::batch_norm:
    case step_kind::batch_gradient:
      return norm_yardstick_bytes(n, s);
    case step_kind::mlp_gradient:
      return mlp_yardstick_bytes(n, s);
    case step_kind::attention_gradient:
      return attention_gradient_yardstick_bytes(n, s);
    default:
      return 0;
  }
}

}  // namespace

std::int64_t bytes_of_copies(const problem& p) {
  const network& n = *p.by_library;
  std::int64_t used = 0;
  take(used, 2 * n.points() * n.out_channels);
  if (n.trains()) take(used, gradient_copy_bytes(n));
  return used;
}

std::int64_t yardstick_bytes(const problem& p) {
  std::int64_t most = 0;
  for (int form = 0; form < layer_forms; ++form) {
    const network& n = p.steps(static_cast<layer_form>(form));
    for (const step& s : n.steps) {
      most = std::max(most, bytes_of_step(n, s));
      if (n.trains()) most = std::max(most, bytes_of_gradient_step(n, s));
    }
  }
  return most + bytes_of_copies(p);
}

}  // namespace ablate::backbone
