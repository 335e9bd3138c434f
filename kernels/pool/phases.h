#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/pool/pool.h"

namespace ablate::pool {

using index_launch = void (*)(launcher&, const problem&, const switches&);

/// Launches the phases that the problem requests: `index` as the variant does it, the others by the switches
///   reduction   vec16: lanes of 16 bytes; warp_row: a warp a row, 2 bytes a lane
///   finish      separate, or fused with `reduce` where both are requested
///   winner      kept (by `reduce`), or searched again by `reduce_backward`
///   members     lists, or the published table
void run_phases(launcher&, const problem&, const switches&, index_launch index);

/// All but `index`.
void run_rows(launcher&, const problem&, const switches&);

/// How `order` sorts where it sorts by a key.
inline const switches bucket_sort = {{"key_bits", "12"}};

/// Phase `order`.
void order_rows(launcher&, const problem&);

void reduce_by_vectors(launcher&, const problem&, bool finishes);
void reduce_by_warps(launcher&, const problem&, bool from_table);
void finish_rows(launcher&, const problem&);
void unpool_by_vectors(launcher&, const problem&);
void unpool_by_warps(launcher&, const problem&, bool from_table);
void reduce_backward_by_vectors(launcher&, const problem&, bool searches);
void reduce_backward_by_warps(launcher&, const problem&, bool from_table);
/// The sum of a cluster's rows of point_gradient, to down_gradient.
void unpool_backward_by_vectors(launcher&, const problem&);
void unpool_backward_by_warps(launcher&, const problem&, bool from_table);

/// Lists from the published table.
void list_table(launcher&, const problem&);

}  // namespace ablate::pool
