#pragma once

#include <cstdint>
#include <vector>

#include "oracles/block_sparse_attention/checked_problem.h"
#include "oracles/global_attention/reference.h"

// The oracle of Block-Sparse attention: in fp64, from inputs that it makes itself. Means are rounded to bf16,
// as the layer hands them on, and rows to int8 where their products are; nothing else is. Places are those in
// the order of blocks (patch_order.h).

namespace ablate::block_sparse_attention {

using global_attention::exact_token, global_attention::row_values;

/// The mean of a block of query rows.
row_values reference_query_mean(const checked_problem&, std::int64_t head, std::int64_t block);
/// Of all blocks of key rows.
std::vector<row_values> reference_key_means(const checked_problem&, std::int64_t head);

/// The attention of the tokens at these places by the bits of their query blocks, [words] each; of a special
/// token they are not read.
/// One walk over all keys of the head.
std::vector<exact_token> reference_kept(const checked_problem&, std::int64_t head,
                                        const std::vector<std::int64_t>& places,
                                        const std::vector<const std::uint32_t*>& bits);

}  // namespace ablate::block_sparse_attention
