#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// The lists from the dense table [offsets][outs] in scratch: count, sum, scatter. `mirrored`: the table
/// holds the offsets before the middle one only; the middle list is the identity, and the list of an opposite
/// offset is the offset's own with in and out rows exchanged.
void lists_from_dense(launcher&, const problem&, bool mirrored = false);

/// What the problem wants, from the dense table in scratch; `mirrored`, of lists only, as above.
void outputs_from_dense(launcher&, const problem&, bool mirrored = false);

/// The same lists, in the same order each time.
void ordered_lists_from_dense(launcher&, const problem&);

/// The middle list of a map onto its own rows: each row with itself. `ends` stand.
void write_middle_list(launcher&, const problem&);

/// The table of occupied cells of edge³ voxels in scratch, and their numbers and coordinates.
void number_all_cells(launcher&, const problem&, int edge);

/// scratch.counts to 0.
void clear_counts(launcher&, const problem&);

/// scratch.counts → ends (exclusive sums, and the whole behind them); cursors and status to 0, or to
/// map_overflow where the capacity is less than all pairs. Read by the host where it asks for the count.
void sum_counts(launcher&, const problem&, bool mirrored = false);

/// Where each stage is a call of its own: waits for the result of the one just launched.
template <class T>
void end_stage(launcher& to, const problem& p, const T* result) {
  if (p.host == host_role::stages) to.read(result, T());
}

/// The end of phase map, as the host waits for it.
void end_map(launcher&, const problem&);

/// Where the list of offset q stands in in_rows and out_rows.
enum class list_layout {
  dense,  ///< from ends[q] on
  slabs   ///< from q · outs on
};

/// Phase read_back where tables are wanted: `ends`, `digest` and `status`.
void sum_table_digests(launcher&, const problem&);

/// Phase read_back: digests of the lists, or of the tables that are wanted.
void sum_digests(launcher&, const problem&, list_layout = list_layout::dense);

}  // namespace ablate::kernel_map
