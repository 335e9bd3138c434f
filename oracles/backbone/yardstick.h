#pragma once

#include <cstdint>

#include "kernels/backbone/backbone.h"

// Memory of compare_steps.

namespace ablate::backbone {

/// Bytes that compare_steps needs for any step, and for a copy of the output before it.
std::int64_t yardstick_bytes(const problem&);

/// Of what is kept while the steps run again, before the yardstick's other memory: the output and,
/// of training, all gradients.
std::int64_t bytes_of_copies(const problem&);

}  // namespace ablate::backbone
