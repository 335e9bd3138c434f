#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/serialize/serialize.h"

// The launch functions of serialize, by the file that defines them.

namespace ablate::serialize {

// bits.cu
void bits(launcher&, const problem&, const switches&);

// states.cu
void states(launcher&, const problem&, const switches&);

// tables.cu
void tables(launcher&, const problem&, const switches&);

}  // namespace ablate::serialize
