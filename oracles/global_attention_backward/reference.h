#pragma once

#include <cstdint>
#include <functional>

#include "oracles/global_attention/checked_layer.h"
#include "oracles/selection_attention_backward/reference.h"

// What the oracles of trained layers begin at: gradients in fp64, one head.

namespace ablate::global_attention_backward {

using selection_attention_backward::graded_row;
using selection_attention_backward::head_values;
using selection_attention_backward::row;

/// The head as it is made, ungated, its lists those that `entry` says.
head_values generated_head(const global_attention::checked_layer&, std::int64_t head,
                           std::function<std::int32_t(std::int64_t query_block, int slot)> entry);

/// Attention of all rows to all, as lists would have it that name every row: blocks of one row.
head_values all_to_all(std::int64_t rows,
                       std::function<row(window_attention::tensor, std::int64_t row)> values);

}  // namespace ablate::global_attention_backward
