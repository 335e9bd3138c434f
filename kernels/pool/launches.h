#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/pool/pool.h"

// The launch functions of pool, by the file that defines them.

namespace ablate::pool {

// counting_sort.cu
void index_by_counting(launcher&, const problem&, const switches&);
void counting_sort(launcher&, const problem&, const switches&);

// counting_sort_batched.cu
void counting_sort_batched(launcher&, const problem&, const switches&);

// counting_sort_one_launch.cu
void counting_sort_one_launch(launcher&, const problem&, const switches&);

// counting_sort_published.cu
void counting_sort_published(launcher&, const problem&, const switches&);

// counting_sort_stable.cu
void counting_sort_stable(launcher&, const problem&, const switches&);

// flags_of_orders.cu
void index_by_flags(launcher&, const problem&, const switches&);
void flags_of_orders(launcher&, const problem&, const switches&);

// hash_table.cu
void by_hash_table(launcher&, const problem&, const switches&);

// sort_packed.cu
void sort_packed(launcher&, const problem&, const switches&);

// three_steps.cu
void three_steps(launcher&, const problem&, const switches&);

// torch_steps.cu
void index_by_torch_steps(launcher&, const problem&, const switches&);
void torch_steps(launcher&, const problem&, const switches&);

}  // namespace ablate::pool
