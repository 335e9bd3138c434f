#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/selection_attention/selection_attention.h"

// The launch functions of selection_attention, by the file that defines them.

namespace ablate::selection_attention {

// cluster.cu
void cluster(launcher&, const problem&, const switches&);

// direct.cu
void direct(launcher&, const problem&, const switches&);

// one_list.cu
void one_list(launcher&, const problem&, const switches&);

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
/// `out` and `lse` against plain fp32 attention, which the first call computes, or each
/// (problem::keeps_plain).
void compare_with_plain(launcher&, const problem&, const switches&);

// shared.cu
void together(launcher&, const problem&, const switches&);

// staged.cu
void staged(launcher&, const problem&, const switches&);

}  // namespace ablate::selection_attention
