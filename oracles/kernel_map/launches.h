#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/kernel_map/checked_problem.h"

// The launch functions of the oracle of kernel_map, by the file that defines them.

namespace ablate::kernel_map {

// digests.cu
/// Digests of the lists, or of the wanted tables with their `ends` and `status`. With lists=slabs the list of
/// offset q begins at q · outs.
void sum_digests(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::kernel_map
