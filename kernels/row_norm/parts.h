#pragma once

#include "kernels/common/launcher.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::row_norm {

/// The gradients of a layer norm, as `normalize` launches them, but the blocks' parts of γ's and β's are
/// added by `sums`, which waits for them: the same launcher, or one beside it, for which whoever reads these
/// gradients or writes to `partial` waits.
void layer_backward(launcher&, launcher& sums, const problem&);

}  // namespace ablate::row_norm
