#pragma once

#include "oracles/kernel_map/checked_problem.h"

namespace ablate::kernel_map {

/// The oracle, on host buffers, ignoring the phases: `ends`, `digest` and `status`, plus the lists unless
/// in_rows is null. The capacity matters only for lists. 10^6 rows and 343 offsets take a second. Out rows
/// may repeat; stride · out is in range.
void reference(const checked_problem&);

}  // namespace ablate::kernel_map
