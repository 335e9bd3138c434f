#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/unique_rows/unique_rows.h"

// The launch functions of unique_rows, by the file that defines them.

namespace ablate::unique_rows {

// flags.cu
void flag_slots(launcher&, const problem&, const switches&);
void flag_found(launcher&, const problem&, const switches&);
void flag_winners(launcher&, const problem&, const switches&);
void flag_winners_load_first(launcher&, const problem&, const switches&);

// search_back.cu
void search_back(launcher&, const problem&, const switches&);

// sort.cu
void sort(launcher&, const problem&, const switches&);

}  // namespace ablate::unique_rows
