#pragma once

#include "kernels/block_sparse_selection/block_means.h"
#include "kernels/compression_attention/compression_attention.h"
#include "kernels/global_attention/global_attention.h"

namespace ablate::global_attention {

/// Attention of all rows of a layer to all, without lists, in the layer's memory.
compression_attention::problem among_all(const layer&);

/// The same of the special tokens alone, which are the last ones. Attention of all others goes ahead where it
/// writes rows after its own.
compression_attention::problem special_of(const layer&);

/// Means of so many rows in turn, of all tokens that are in blocks.
block_sparse_selection::block_means means_of(const layer&, int block, const std::uint16_t* rows,
                                             std::uint16_t* means);

}  // namespace ablate::global_attention
