#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/network/problem.h"

namespace ablate::backbone {

/// Launches a step of a kind that only PTv3 has, or its clusters. A variant may have the switch
///   index   published: codes, orders and clusters in the steps of the published code
void run_ptv3_step(launcher&, const problem&, const network&, const step&, const switches&);

/// Waits for the index: reads how many clusters the last level has.
void read_last_count(launcher&, const problem&, const network&);

/// Steps that are no other operation's: instance and cell of each row, as a kernel map takes them; the rows
/// of the windows' slots; pieces of a map's lists, for products and for gradients; skipped rows plus normed
/// ones.
void write_voxels(launcher&, const problem&, const network&, const step&);
void find_slots(launcher&, const problem&, const network&, const step&);
void cut_lists(launcher&, const problem&, const network&, const step&);
void split_lists(launcher&, const problem&, const network&, const step&);
void add_normed_rows(launcher&, const problem&, const network&, const step&);

/// Of rows in bucket order: their cells and positions, and their features.
void arrange_voxels(launcher&, const problem&, const network&, const step&);
void take_features(launcher&, const problem&, const network&, const step&);

/// Gradients of steps that only PTv3 has: of rows that were moved to windows and back, and of convolutions.
void run_ptv3_gradient(launcher&, const problem&, const network&, const step&);

}  // namespace ablate::backbone
