#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backbone/backbone.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::backbone {

/// A step's gradients of attention with what their comparison needs; `memory`:
/// attention_gradient_yardstick_bytes.
window_attention_backward::checked_problem checked_attention_gradient_of(
    const problem&, const network&, const step&, window_attention_backward::deviations* found,
    std::byte* memory);

/// What plain arithmetic of attention's gradients needs.
std::int64_t attention_gradient_yardstick_bytes(const network&, const step&);

}  // namespace ablate::backbone
