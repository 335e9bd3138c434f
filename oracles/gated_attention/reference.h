#pragma once

#include <cstdint>
#include <vector>

#include "oracles/compression_attention/reference.h"
#include "oracles/gated_attention/checked_problem.h"

// The oracle: the layer in fp64, one head, from inputs that it makes itself. Pooled rows are rounded to bf16,
// as the layer hands them on; nothing else is.

namespace ablate::gated_attention {

using compression_attention::row_values;

/// A token's attention to some keys.
struct exact_token {
  row_values out{};
  double scale = 0;  ///< what errors of the row are divided by (window_attention::deviation)
  double lse = 0;    ///< ln Σ exp of its scores; −∞ without keys
};

/// What takes a walk over all tokens of a head.
struct exact_head {
  std::vector<exact_token> dense;                      ///< of the given tokens, to all tokens
  std::vector<row_values> pooled_keys, pooled_values;  ///< of all blocks, where means are attended to
};
exact_head walk_head(const checked_problem&, std::int64_t head, const std::vector<std::int64_t>& tokens);

/// C, its log-sum-exp and the list of a block.
compression_attention::exact_row reference_block(const checked_problem&, const exact_head&, std::int64_t head,
                                                 std::int64_t block);

/// A token's attention to the means of all blocks, and to special tokens as they are.
exact_token reference_to_means(const checked_problem&, const exact_head&, std::int64_t head,
                               std::int64_t token);

/// A token's attention to all tokens of the blocks in a list; entries that are no block are skipped. The
/// first frame is forced or masked as the problem says; tokens that attend to all are no concern of this.
exact_token reference_selection(const checked_problem&, std::int64_t head, std::int64_t token,
                                const std::vector<std::int32_t>& list);

/// Both, gated. The log-sum-exp is the selection's. Errors are divided by what both parts are at most, so
/// that parts that cancel need no bound of their own.
exact_token gated(const compression_attention::exact_row& compressed, const exact_token& selected,
                  double compressed_gate, double selected_gate);

}  // namespace ablate::gated_attention
