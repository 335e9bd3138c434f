#pragma once

#include "kernels/ceilings/ceilings.h"
#include "kernels/common/launch_function.h"

// The launch functions of ceilings, by the file that defines them.

namespace ablate::ceilings {

// fused_multiply_add.cu
void fma_f32(launcher&, const problem&, const switches&);

// launch_cost.cu
void smallest_kernel(launcher&, const problem&, const switches&);

// memory.cu
void copy_vec16(launcher&, const problem&, const switches&);
void write_vec16(launcher&, const problem&, const switches&);
void read_vec16(launcher&, const problem&, const switches&);

// random_access.cu
void load_8(launcher&, const problem&, const switches&);
void load_16(launcher&, const problem&, const switches&);
void load_8_twice(launcher&, const problem&, const switches&);
void cas_64(launcher&, const problem&, const switches&);
void store_4(launcher&, const problem&, const switches&);
void red_add_64(launcher&, const problem&, const switches&);
void red_min_64(launcher&, const problem&, const switches&);
void atom_add_64(launcher&, const problem&, const switches&);
void fill_memory(launcher&, const problem&, const switches&);

// random_blocks.cu
void gather_4kib(launcher&, const problem&, const switches&);

// reductions.cu
void red_scattered(launcher&, const problem&, const switches&);
void red_full_sectors(launcher&, const problem&, const switches&);
void red_one_address(launcher&, const problem&, const switches&);

// tensor_product.cu
void mma_sync_bf16(launcher&, const problem&, const switches&);

// tensor_wgmma.cu
void tensor_wgmma(launcher&, const problem&, const switches&);

}  // namespace ablate::ceilings
