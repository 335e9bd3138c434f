#pragma once

#include "oracles/block_pooling/reference.h"
#include "oracles/block_pooling_backward/checked_problem.h"

namespace ablate::block_pooling_backward {

using block_pooling::exact_row;

/// A row by the oracle in fp64, from inputs that it makes itself, and its floor: what is accepted is one ulp
/// of bf16 or, where it is greater, the floor of the row (block_pooling::tolerance_of). An output is rounded
/// once; but what rotates may wait in bf16 for the norm. So the floor is √2 · 2^-7 of the greatest element of
/// w·R'(dy) / σ of each norm that the row went through, over b if it was that of the block's mean.
/// Without norms the floor is 0: a bf16 number over b is exact, and the fp32 sum of two of them is off by its
/// last bit at most.
exact_row reference_row(const checked_problem&, const sampled_row&);

}  // namespace ablate::block_pooling_backward
