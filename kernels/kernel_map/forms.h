#pragma once

#include "kernels/common/launcher.h"
#include "kernels/kernel_map/coarse_cells.h"

// What the launch functions (launches.h) pick from, by the file that compiles it.

namespace ablate::kernel_map {

/// Which half of the offsets is searched, where out rows are the in rows, and where the other half's pairs
/// go.
enum class symmetry {
  none,      ///< both
  in_table,  ///< each pair is stored in the dense table again, at the opposite offset
  in_lists   ///< the opposite list is made from the same entries, in and out rows symmetric
};

/// Where lists that are made from a dense table begin, and in which order blocks write their parts.
enum class list_form {
  as_blocks_arrive,  ///< after the list before; a block's place comes from an atomic
  fixed_order,       ///< after the list before; a block's place comes from a scan
  in_slabs           ///< list q at q · outs; a block's place comes from an atomic
};

/// A search by one thread per out row and offset. Lists that also hold the opposite offsets, and those of a
/// table that is stored mirrored, are written as blocks arrive.
struct flat_form {
  symmetry half = symmetry::none;
  int rows_of_block = 64;  ///< or 128, but not with symmetry::in_table
  list_form lists = list_form::as_blocks_arrive;
};

// flat.cu, packed_hashes.cu, vector_keys.cu: without a form, all offsets in blocks of 64 rows
void map_flat_on_packed_rows(launcher&, const problem&, const flat_form&);
void map_flat_on_interleaved_rows(launcher&, const problem&, list_form);
void map_flat_on_packed_rows_by_murmur(launcher&, const problem&, list_form);
void map_flat_on_packed_rows_by_city(launcher&, const problem&, list_form);
void map_flat_on_indirect_rows_by_murmur(launcher&, const problem&, list_form);
void map_flat_on_indirect_rows_by_city(launcher&, const problem&, list_form);
void map_flat_on_in_line_rows_by_murmur(launcher&, const problem&, list_form);

// query_loop.cu
void map_by_query_loop_on_packed_rows(launcher&, const problem&, list_form);
void map_by_query_loop_on_interleaved_rows(launcher&, const problem&, list_form);

// count_scatter.cu, query_count_scatter.cu, register_held.cu, direct_write.cu: without a dense table
void map_by_count_scatter(launcher&, const problem&);
void map_by_query_count_scatter(launcher&, const problem&);
void map_with_held_rows(launcher&, const problem&);
void map_by_direct_write(launcher&, const problem&);

/// Which cells of the box a row looks up: all, or only those that its offsets reach from its place in its
/// own cell.
enum class probed_cells { fixed_box, own_box };

// hierarchical.cu: cells of edge³ voxels; a thread per offset, which tests its cell's bit
void map_by_occupied_cells(launcher&, const problem&, int edge, probed_cells, searched_offsets);

// hierarchical_by_cell.cu: the occupied cells enumerate their offsets
void map_by_enumerated_cells(launcher&, const problem&, int edge, probed_cells);

// hierarchical_bitmap.cu
void map_with_bitmaps(launcher&, const problem&, searched_offsets);

/// How occupied cells of 4³ voxels get their numbers and maps.
enum class cell_numbering { by_warp, by_block };

// cells.cu: phase map, from numbered cells, offset by offset
void map_cells_by_offsets(launcher&, const problem&, cell_numbering);

// cell_lines.cu: phase map, from numbered cells, by lines of offsets along z
void map_cells_by_lines(launcher&, const problem&, searched_offsets, cell_numbering);

}  // namespace ablate::kernel_map
