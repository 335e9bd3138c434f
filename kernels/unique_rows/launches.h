#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/unique_rows/unique_rows.h"

// The launch functions of unique_rows, by the file that defines them.

namespace ablate::unique_rows {

// by_switches.cu
/// By a table of the rows: insert, mark, list.
void from_table(launcher&, const problem&, const switches&);

// sort.cu
void sort(launcher&, const problem&, const switches&);

}  // namespace ablate::unique_rows
