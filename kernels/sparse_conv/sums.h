#pragma once

#include "kernels/common/launcher.h"
#include "kernels/sparse_conv/tile_use.h"

namespace ablate::sparse_conv {

/// problem::sums: what lists' products are added to, of Y (weight_use::forward) or dX.
template <weight_use Use>
void clear_sums(launcher&, const problem&);

/// Adds Y's bias and rounds, to Y or dX.
template <weight_use Use>
void round_sums(launcher&, const problem&);

/// round_sums of Y, which leaves them 0. Begins while the products still run, for which it waits itself.
void round_and_clear_sums(launcher&, const problem&);

}  // namespace ablate::sparse_conv
