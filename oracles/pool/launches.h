#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/pool/checked_problem.h"

// What makes the inputs of pool and compares its outputs, by the file that defines it.

namespace ablate::pool {

// promises.cu
/// What a variant promises of its index; the published table turned into lists.
void tell_promises(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::pool
