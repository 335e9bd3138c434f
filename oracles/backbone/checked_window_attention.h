#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backbone/backbone.h"
#include "oracles/window_attention/checked_problem.h"

namespace ablate::backbone {

/// A step's attention with what its comparison needs; `memory`: attention_yardstick_bytes.
window_attention::checked_problem checked_attention_of(const problem&, const network&, const step&,
                                                       window_attention::deviations* found,
                                                       std::byte* memory);

/// What plain attention needs.
std::int64_t attention_yardstick_bytes(const network&, const step&);

}  // namespace ablate::backbone
