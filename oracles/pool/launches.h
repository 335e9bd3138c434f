#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/pool/checked_problem.h"

// The launch functions of the oracle of pool, by the file that defines them.

namespace ablate::pool {

// promises.cu
/// What a variant promises of its index; the published table turned into lists.
void tell_promises(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::pool
