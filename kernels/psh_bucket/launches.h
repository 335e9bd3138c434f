#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/psh_bucket/psh_bucket.h"

// The launch functions of psh_bucket, by the file that defines them.

namespace ablate::psh_bucket {

// cumsum.cu
void cumsum(launcher&, const problem&, const switches&);

// place_by_counter.cu
void place_by_counter(launcher&, const problem&, const switches&);

// sort_and_chunk.cu
void sort_and_chunk(launcher&, const problem&, const switches&);

// sort_and_chunk_resident.cu
void sort_and_chunk_resident(launcher&, const problem&, const switches&);

// two_stage_resident.cu
void two_stage_resident(launcher&, const problem&, const switches&);

}  // namespace ablate::psh_bucket
