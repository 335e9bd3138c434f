#pragma once

#include "oracles/psh_bucket/checked_problem.h"

namespace ablate::psh_bucket {

/// The oracle, on host buffers (problem with host pointers): one point at a time.
void reference(const problem&);
/// And tells that it hashes them.
void reference(const checked_problem&);

}  // namespace ablate::psh_bucket
