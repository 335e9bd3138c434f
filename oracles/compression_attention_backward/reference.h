#pragma once

#include <cstdint>

#include "oracles/compression_attention_backward/checked_problem.h"
#include "oracles/window_attention_backward/reference.h"

namespace ablate::compression_attention_backward {

/// The oracle's head: its rows alone, as they are made.
window_attention_backward::window_values values_of_head(const checked_problem&, std::int64_t head);

}  // namespace ablate::compression_attention_backward
