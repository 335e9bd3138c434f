#pragma once

#include "oracles/pool/checked_problem.h"

namespace ablate::pool {

/// The oracle, into host buffers (problem with host pointers). Outputs that are null are left out. It makes
/// the index by itself, whatever the first phase.
void reference(const problem&);
/// And promises all that there is.
void reference(const checked_problem&);

}  // namespace ablate::pool
