#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/gated_attention/gated_attention.h"

// The launch functions of gated_attention, by the file that defines them.

namespace ablate::gated_attention {

// block_sparse.cu
void block_sparse(launcher&, const problem&, const switches&);

// layer.cu
void sparse(launcher&, const problem&, const switches&);
void sparse_by_heads(launcher&, const problem&, const switches&);
void dense(launcher&, const problem&, const switches&);

// merged.cu
void merged(launcher&, const problem&, const switches&);

// pooled_keys.cu
void pooled_keys(launcher&, const problem&, const switches&);

}  // namespace ablate::gated_attention
