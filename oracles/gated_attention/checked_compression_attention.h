#pragma once

#include "kernels/gated_attention/gated_attention.h"
#include "oracles/compression_attention/checked_problem.h"

namespace ablate::gated_attention {

// Attention of the layer's parts (kernels/gated_attention/parts.h), with what its comparison takes.
compression_attention::checked_problem checked_compression_of(const problem&);
compression_attention::checked_problem checked_dense_of(const problem&);
compression_attention::checked_problem checked_to_pooled_keys_of(const problem&);
compression_attention::checked_problem checked_among_merged_of(const problem&);
/// Special tokens attend by a launch of their own, and are compared with the others.
compression_attention::checked_problem checked_kept_of(const problem&);

}  // namespace ablate::gated_attention
