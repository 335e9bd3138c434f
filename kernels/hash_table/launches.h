#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/hash_table/hash_table.h"

// The launch functions of hash_table, by the file that defines them.

namespace ablate::hash_table {

// partitioned.cu
/// layout.
void partitioned(launcher&, const problem&, const switches&);

// probing_table.cu
/// One of tables.h: layout, hash, probe, insert, in_flight.
void probing_table(launcher&, const problem&, const switches&);

// regions.cu
/// build, pdl, cluster.
void interleaved_regions(launcher&, const problem&, const switches&);

// warp_search.cu
/// row, window, insert.
void packed_warp_search(launcher&, const problem&, const switches&);

}  // namespace ablate::hash_table
