#pragma once

#include "kernels/common/launcher.h"
#include "kernels/serialize/sort_plan.h"

namespace ablate::serialize {

/// Phase sort, and the inverse of phase patches if the problem requests it. The keys, and the words and
/// numbers that the plan needs, must have been written.
void find_order(launcher&, const problem&, const sort_plan&);

/// The padding of phase patches, for a problem with patches.
void pad_patches(launcher&, const problem&);

}  // namespace ablate::serialize
