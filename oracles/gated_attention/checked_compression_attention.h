#pragma once

#include "oracles/compression_attention/checked_problem.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

// Attention of the layer's parts (kernels/gated_attention/parts.h), with what its comparison takes.
compression_attention::checked_problem checked_compression_of(const checked_problem&);
compression_attention::checked_problem checked_dense_of(const checked_problem&);
compression_attention::checked_problem checked_to_pooled_keys_of(const checked_problem&);
compression_attention::checked_problem checked_among_merged_of(const checked_problem&);
/// Special tokens attend by a launch of their own, and are compared with the others.
compression_attention::checked_problem checked_kept_of(const checked_problem&);

}  // namespace ablate::gated_attention
