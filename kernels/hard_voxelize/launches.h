#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/hard_voxelize/hard_voxelize.h"

// The launch functions of hard_voxelize, by the file that defines them.

namespace ablate::hard_voxelize {

// hash_atomic.cu
void hash_atomic(launcher&, const problem&, const switches&);

// merged_atomic.cu
void merged_atomic(launcher&, const problem&, const switches&);

// ordered_slots.cu
void ordered_slots(launcher&, const problem&, const switches&);

// quadratic.cu
void quadratic(launcher&, const problem&, const switches&);

// sorted.cu
void sorted(launcher&, const problem&, const switches&);

}  // namespace ablate::hard_voxelize
