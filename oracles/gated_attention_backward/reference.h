#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "oracles/gated_attention_backward/checked_problem.h"
#include "oracles/global_attention_backward/reference.h"
#include "oracles/selection_attention_backward/reference.h"

// The oracle: the layer's gradients in fp64, one head. Of the parts' own oracles, put together.

namespace ablate::gated_attention_backward {

using selection_attention_backward::graded_row;
using selection_attention_backward::head_values;
using selection_attention_backward::key_gradients;
using selection_attention_backward::row;

/// The head as it is made, its lists those that `entry` says; without C.
head_values generated_head(const checked_problem&, std::int64_t head,
                           std::function<std::int32_t(std::int64_t query_block, int slot)> entry);

enum class pooled_rounding { bf16, none };  ///< of pooled rows and dC, as the layer hands them on; or not

/// The pooled rows of a head, dC instead of dO. Rows of k and v are given, or made from all tokens where
/// they are not.
head_values pooled_head(const head_values& tokens, pooled_rounding, std::vector<row> keys = {},
                        std::vector<row> values = {});

/// A row's gradient by way of its list and by way of its block's pooled row, of `block` tokens. What either
/// may be off by adds up.
graded_row both_ways(const graded_row& selected, const graded_row& pooled, int block);

}  // namespace ablate::gated_attention_backward
