#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/kernel_map/kernel_map.h"

// The launch functions of kernel_map, by the file that defines them.

namespace ablate::kernel_map {

// cell_lines.cu
void cells_by_line(launcher&, const problem&, const switches&);
void cells_by_line_symmetric(launcher&, const problem&, const switches&);
void cells_symmetric(launcher&, const problem&, const switches&);

// cells.cu
void cells(launcher&, const problem&, const switches&);

// count_scatter.cu
void count_scatter(launcher&, const problem&, const switches&);

// direct_write.cu
void direct_write(launcher&, const problem&, const switches&);

// dispatch.cu
void dispatch_published(launcher&, const problem&, const switches&);
void dispatch_measured(launcher&, const problem&, const switches&);

// flat.cu
void flat(launcher&, const problem&, const switches&);
void flat_interleaved(launcher&, const problem&, const switches&);
void flat_mirrored(launcher&, const problem&, const switches&);
void flat_symmetric(launcher&, const problem&, const switches&);
void flat_128x8(launcher&, const problem&, const switches&);
void flat_deterministic(launcher&, const problem&, const switches&);

// hierarchical.cu
void hierarchical(launcher&, const problem&, const switches&);
void hierarchical_exact_box(launcher&, const problem&, const switches&);
void hierarchical_symmetric(launcher&, const problem&, const switches&);

// hierarchical_bitmap.cu
void hierarchical_bitmap(launcher&, const problem&, const switches&);
void hierarchical_bitmap_symmetric(launcher&, const problem&, const switches&);

// hierarchical_by_cell.cu
void hierarchical_by_cell(launcher&, const problem&, const switches&);

// query_count_scatter.cu
void query_count_scatter(launcher&, const problem&, const switches&);

// query_loop.cu
void query_loop(launcher&, const problem&, const switches&);

// register_held.cu
void register_held(launcher&, const problem&, const switches&);

// sorted.cu
void sorted(launcher&, const problem&, const switches&);

// vector_keys.cu
void flat_indirect_murmur(launcher&, const problem&, const switches&);
void flat_indirect_city(launcher&, const problem&, const switches&);
void flat_in_line_murmur(launcher&, const problem&, const switches&);

}  // namespace ablate::kernel_map
