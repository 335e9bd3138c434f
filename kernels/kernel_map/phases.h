#pragma once

#include "kernels/common/launcher.h"
#include "kernels/kernel_map/forms.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// Makes the lists from the dense table [offsets][outs] in scratch: count, scan, scatter. `mirrored`: the
/// table holds only the offsets before the middle one; the middle list is the identity, and the list of an
/// opposite offset is the offset's own with in and out rows symmetric.
void lists_from_dense(launcher&, const problem&, bool mirrored = false);

/// Makes the wanted outputs from the dense table in scratch; `mirrored`, for lists only, as above.
void outputs_from_dense(launcher&, const problem&, bool mirrored = false);

/// Makes the same lists, in the same order each time.
void ordered_lists_from_dense(launcher&, const problem&);

/// Writes list q to a slab of its own, from q · outs on; nothing is counted before.
void slabs_from_dense(launcher&, const problem&);

/// Makes lists from a whole dense table.
inline void lists_in_form(launcher& to, const problem& p, list_form form) {
  if (form == list_form::in_slabs) return slabs_from_dense(to, p);
  form == list_form::fixed_order ? ordered_lists_from_dense(to, p) : lists_from_dense(to, p);
}

/// Writes the middle list of a map onto its own rows: each row with itself. Needs final `ends`.
void write_middle_list(launcher&, const problem&);

/// Builds the table of occupied cells of edge³ voxels in scratch, with their numbers and coordinates.
void number_all_cells(launcher&, const problem&, int edge);

/// From numbered cells of 4³ voxels: their maps, and their rows in bit order.
void order_numbered_rows(launcher&, const problem&);

/// Builds the table of occupied 4³ cells in scratch, with their numbers, coordinates, maps and the beginnings
/// of their rows; cell_of_row is a slot.
void number_maps(launcher&, const problem&);

/// cell_rows: the rows cell by cell, in bit order. May be repeated on the same cells.
void order_rows_of_maps(launcher&, const problem&);

/// Zeroes scratch.counts.
void clear_counts(launcher&, const problem&);

/// scratch.counts → ends (exclusive sums, then the total); zeroes the cursors and sets the status,
/// map_overflow if the capacity is less than all pairs. The host reads the total if it requests the count.
void sum_counts(launcher&, const problem&, bool mirrored = false);

/// If each stage is a separate call: waits for the result of the one just launched.
template <class T>
void end_stage(launcher& to, const problem& p, const T* result) {
  if (p.host == host_role::stages) to.read(result, T());
}

/// Ends phase map, with the read that the host waits for, if any.
void end_map(launcher&, const problem&);

}  // namespace ablate::kernel_map
