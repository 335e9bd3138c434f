#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/coordinate_expand/coordinate_expand.h"

// The launch functions of coordinate_expand, by the file that defines them.

namespace ablate::coordinate_expand {

// by_switches.cu
/// Inserts every sum: insert, partition, number.
void insert(launcher&, const problem&, const switches&);

// sort.cu
void sort(launcher&, const problem&, const switches&);

}  // namespace ablate::coordinate_expand
