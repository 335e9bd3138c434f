#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/sparse_conv/sparse_conv.h"

// The launch functions of sparse_conv, by the file that defines them.

namespace ablate::sparse_conv {

// gather_gemm_scatter.cu
void gather_gemm_scatter(launcher&, const problem&, const switches&);

// lists_fused.cu
void lists_on_clear_sums(launcher&, const problem&);
void lists_fused(launcher&, const problem&, const switches&);

// output_tiles.cu
void output_tiles(launcher&, const problem&, const switches&);

// stem_rows.cu
void stem_rows(launcher&, const problem&, const switches&);

}  // namespace ablate::sparse_conv
