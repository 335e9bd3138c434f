#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/token_merging/token_merging.h"

// The launch functions of token_merging, one a step, and the forms of matching, which layers call by name:
// each by the file that defines it.

namespace ablate::token_merging {

// forms.cu
void find_matches(launcher&, const problem&, const switches&);

// match_hopper.cu
void match_hopper(launcher&, const problem&, const switches&);

// match_mma.cu
void match_mma(launcher&, const problem&, const switches&);

// match_rows.cu
void match_rows(launcher&, const problem&, const switches&);

// merge.cu
void merge(launcher&, const problem&, const switches&);

// unmerge.cu
void unmerge(launcher&, const problem&, const switches&);

}  // namespace ablate::token_merging
