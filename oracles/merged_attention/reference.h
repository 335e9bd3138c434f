#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/token_merging/partition_lists.h"
#include "oracles/global_attention/reference.h"
#include "oracles/merged_attention/checked_problem.h"

// The oracle of attention among merged tokens, from inputs that it makes itself. Merged rows are rounded to
// bf16, as the layer hands them on.

namespace ablate::merged_attention {

using global_attention::exact_token, global_attention::row_values;

/// Attention of merged rows of a head, given each source's destination.
std::vector<exact_token> reference_among_merged(const checked_problem&, const token_merging::partition_lists&,
                                                std::int64_t head, std::span<const std::int32_t> best,
                                                const std::vector<std::int64_t>& rows);

}  // namespace ablate::merged_attention
