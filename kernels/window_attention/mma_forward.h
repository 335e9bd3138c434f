#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Launch the forward core by mma.sync (mma_forward.cuh) on rows in buckets or contiguous.

void attend_online_by_mma(launcher&, const problem&);
/// Nothing is subtracted where norms of queries and keys bound the scores; split Q, K and V only.
void attend_bounded_by_mma(launcher&, const problem&);
/// Probabilities and outputs are divided by the running sum at each tile of keys.
void attend_normalizing_per_tile_by_mma(launcher&, const problem&);
/// Powers of e instead of powers of 2.
void attend_by_natural_powers_by_mma(launcher&, const problem&);
/// The maximum is fixed after the first keys; blocks begin again what overflowed.
void attend_with_fixed_max_by_mma(launcher&, const problem&);
/// The same with exponentials by pairs in 16-bit arithmetic, at head dimensions 16 and 32. `exp2`.
void attend_in_pairs_by_mma(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention
