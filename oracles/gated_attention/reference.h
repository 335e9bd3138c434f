#pragma once

#include <cstdint>
#include <vector>

#include "oracles/compression_attention/reference.h"
#include "oracles/gated_attention/checked_problem.h"
#include "oracles/global_attention/reference.h"

// The oracle: the layer in fp64, one head, from inputs that it makes itself. Pooled rows are rounded to bf16,
// as the layer hands them on; nothing else is.

namespace ablate::gated_attention {

using global_attention::exact_head, global_attention::exact_token, global_attention::row_values;

/// C, its log-sum-exp and the list of a block.
compression_attention::exact_row reference_block(const checked_problem&, const exact_head&, std::int64_t head,
                                                 std::int64_t block);

/// A token's attention to all tokens of the blocks in a list; entries that are no block are skipped. The
/// first frame is forced or masked as the problem says; tokens that attend to all are no concern of this.
exact_token reference_selection(const checked_problem&, std::int64_t head, std::int64_t token,
                                const std::vector<std::int32_t>& list);

/// Both, gated. The log-sum-exp is the selection's. Errors are divided by what both parts are at most, so
/// that parts that cancel need no bound of their own.
exact_token gated(const compression_attention::exact_row& compressed, const exact_token& selected,
                  double compressed_gate, double selected_gate);

}  // namespace ablate::gated_attention
