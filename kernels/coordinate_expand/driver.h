#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/coordinate_expand/coordinate_expand.h"

namespace ablate::coordinate_expand {

struct room;

/// Launches one step: the sums of all base rows with `offsets` offsets from `first` on. `gives_up`: a step
/// that has failed need not be finished.
using step = void (*)(launcher&, const problem&, const room&, int first, int offsets, bool gives_up);

// insert.cu: sums by offset
step cas_first_by_offset();
step cas_first_by_offset_aggregated();
step load_first_by_offset();
step load_first_by_offset_one_by_one();
step load_first_by_offset_aggregated();

// insert_by_row.cu: sums by row
step cas_first_by_row();
step load_first_by_row();
step load_first_by_row_aggregated();
step warp_deduplicated_by_row();

/// Runs all phases that the problem requests, with steps of this kind, and the host's part in them: what it
/// reads after a step, and how it then makes room.
void expand_by_steps(launcher&, const problem&, step);

/// Empties a table of the given size, with `rows` numbers given out already and the status ok.
void clear_table(launcher&, const problem&, const room&, std::int64_t rows);

}  // namespace ablate::coordinate_expand
