// kernel_map: for each offset of a sparse convolution's kernel, which rows pair up. One entry per variant;
// axes, rows, buffers, inputs, check and work model are in variants/kernel_map/.
#include "kernels/kernel_map/kernel_map.h"

#include <algorithm>

#include "harness/registry/define.h"
#include "kernels/kernel_map/coarse_cells.h"
#include "kernels/kernel_map/launches.h"
#include "oracles/kernel_map/launches.h"
#include "variants/convolution_kernel.h"
#include "variants/kernel_map/axes.h"
#include "variants/kernel_map/buffers.h"
#include "variants/kernel_map/prepare.h"
#include "variants/kernel_map/switches.h"

namespace ablate::kernel_map {
namespace {

region_clock clock(const problem& p) {
  if (p.host == host_role::absent) return region_clock::device;
  return p.host == host_role::graph ? region_clock::host_graph : region_clock::host;
}

std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.first == phase::coarse) return std::nullopt;
  checked_problem before = p;
  before.first = phase::coarse;
  before.last = p.first == phase::map ? phase::build : phase::coarse;
  before.host = host_role::absent;
  return before;
}

/// A build is checked by a map made from it.
std::optional<checked_problem> readback(const checked_problem& p) {
  if (p.last != phase::build) return std::nullopt;
  checked_problem after = p;
  after.first = after.last = phase::map;
  after.host = host_role::absent;
  return after;
}

/// Out rows are the in rows, and each offset has its opposite.
axis_conditions onto_itself() {
  return {{"stride", {"1"}},
          {"kernel", {"3", "5", "7", "9", "11", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"}}};
}

axis_conditions at_most_27_offsets() { return {{"kernel", {"1", "2", "3"}}}; }

/// Lists with room for one pair per out row and offset, where nothing needs the number of pairs before they
/// are written.
axis_conditions room_for_slabs() {
  return {{"list_room", {"100"}}, {"host", {"absent", "end", "stages", "graph"}}};
}

/// For variants that leave no table of out rows and offsets.
axis_conditions in_lists(axis_conditions also = {}) {
  also.push_back({"output", {"lists"}});
  also.push_back({"lists", {"all"}});
  return also;
}

axis_conditions all_offsets(axis_conditions also = {}) {
  also.push_back({"lists", {"all"}});
  return also;
}

/// The host takes part and the region is the whole map, so that the host can make a choice and act on it.
axis_conditions where_the_host_reads() { return {{"host", {"end", "count", "stages"}}, {"region", {"all"}}}; }

/// Undilated kernels whose offsets reach no more cells of edge³ voxels than a mask has bits.
axis_conditions within_a_mask(int edge) {
  std::vector<std::string> kernels;
  for (const std::string& word : kernel_words()) {
    problem p;
    p.kernel = convolution_kernel(word);
    if (cells_around(p, edge) <= max_masked_cells) kernels.push_back(word);
  }
  return {{"dilation", {"1"}}, {"kernel", kernels}};
}

/// Edges beside the published 4. Larger cells are fewer around a row, so they fit a mask for larger kernels.
std::vector<switch_range> other_cells() {
  return {{"coarse_stride", {"2"}, 80, within_a_mask(2)}, {"coarse_stride", {"8"}, 80, within_a_mask(8)}};
}
std::vector<switch_range> other_cells_and(switch_range more) {
  std::vector<switch_range> all = other_cells();
  all.push_back(std::move(more));
  return all;
}

std::vector<switch_range> numbered_by_block() { return {{"numbering", {"by_block"}}}; }

/// Lists made from a dense table in slabs.
switch_range in_slabs() { return {"lists", {"slabs"}, 80, in_lists(room_for_slabs())}; }

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The intersection of two sets of conditions.
axis_conditions both(axis_conditions conditions, const axis_conditions& others) {
  for (const auto& [name, words] : others) {
    const auto same = std::find_if(conditions.begin(), conditions.end(),
                                   [&name = name](const auto& c) { return c.first == name; });
    if (same == conditions.end())
      conditions.emplace_back(name, words);
    else
      std::erase_if(same->second, [&words = words](const auto& word) { return !is_one_of(word, words); });
  }
  return conditions;
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "kernel_map",
     .description =
         "for each offset of a sparse convolution's kernel the pairs of rows that lie that offset apart",
     .axes = axes(),
     .baseline = "flat",
     .presets = {.published = {"flat", "hierarchical"},
                 .best = {"cells_symmetric", "flat_symmetric", "cells", "hierarchical_bitmap_symmetric",
                          "flat"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .clock = clock,
     .readback = readback,
     .compare = ABLATE_LAUNCH(sum_digests),
     .switches = switches_of_kernel_map(),
     .variants = {
         {"flat",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}},
          "one thread per out row and offset fills a dense table, which is then counted, scanned and "
          "scattered, as published",
          {.takes = {{"hash", {"murmur", "city"}}, in_slabs()}}},
         {"flat_interleaved",
          ABLATE_LAUNCH(row_table),
          {{"layout", "interleaved"}, {"driver", "grid"}, {"prune", "none"}},
          "one thread per out row and offset fills a dense table; the row table has key and row side by "
          "side in 16 bytes",
          {.takes = {in_slabs()}}},
         {"flat_mirrored",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"symmetry", "mirrored"}},
          "one thread per out row and offset, on half of the offsets; each pair is also stored in the dense "
          "table for the opposite offset",
          {.only_where = all_offsets(onto_itself())}},
         {"flat_symmetric",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"symmetry", "on"}},
          "one thread per out row and offset, on half of the offsets; each pair is also written to the "
          "opposite list with in and out rows symmetric",
          {.only_where = in_lists(onto_itself()), .takes = {{"block", {"128x8"}}}}},
         {"flat_128x8",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"block", "128x8"}},
          "one thread per out row and offset, in blocks of 128 out rows by 8 offsets, twice the published "
          "size",
          {.takes = {in_slabs()}}},
         {"flat_deterministic",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"list_order", "fixed"}},
          "one thread per out row and offset; lists in a fixed order: blocks' places come from a sum over "
          "their counts, not from atomics",
          {.only_where = in_lists(), .same_bits = true, .takes = {{"block", {"128x8"}}}}},
         {"flat_indirect_murmur",
          ABLATE_LAUNCH(row_table),
          {{"layout", "indirect"}, {"hash", "murmur"}, {"driver", "grid"}, {"prune", "none"}},
          "one thread per out row and offset, on a table whose slots hold row numbers; their coordinates "
          "are fetched and compared; MurmurHash3"},
         {"flat_indirect_city",
          ABLATE_LAUNCH(row_table),
          {{"layout", "indirect"}, {"hash", "city"}, {"driver", "grid"}, {"prune", "none"}},
          "one thread per out row and offset, on a table whose slots hold row numbers, hashed as it "
          "shipped, by Murmur's finalizer once per word"},
         {"flat_in_line_murmur",
          ABLATE_LAUNCH(row_table),
          {{"layout", "in_line"}, {"hash", "murmur"}, {"driver", "grid"}, {"prune", "none"}},
          "one thread per out row and offset, on a table whose slots hold the 16-byte coordinates "
          "themselves; MurmurHash3"},
         {"query_loop",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "query_loop"}, {"prune", "none"}},
          "one thread per out row loops over all offsets and fills the dense table",
          {.only_where = in_lists(), .takes = {{"layout", {"interleaved"}}, {"list_order", {"fixed"}}}}},
         {"count_scatter",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "count_scatter"}, {"prune", "none"}},
          "one thread per out row and offset, no dense table: it searches once to count and once more to "
          "write",
          {.only_where = in_lists()}},
         {"query_count_scatter",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "query_count_scatter"}, {"prune", "none"}},
          "one thread per out row, no dense table: it searches to count, to reserve places, and to write",
          {.only_where = in_lists()}},
         {"register_held",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "register_held"}, {"prune", "none"}},
          "one thread per out row, no dense table: rows found stay in registers until places are reserved, "
          "so it searches twice",
          {.only_where = in_lists(at_most_27_offsets())}},
         {"direct_write",
          ABLATE_LAUNCH(row_table),
          {{"layout", "packed"}, {"driver", "direct_write"}, {"prune", "none"}, {"lists", "slabs"}},
          "one search, and one atomic per pair, into slabs with room for all out rows",
          {.only_where = in_lists(room_for_slabs())}},
         {"hierarchical",
          ABLATE_LAUNCH(hierarchy),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "cells"}, {"coarse_stride", "4"}},
          "rows look up coarse cells of 4³ voxels; offsets whose cell is empty are not searched, as "
          "published",
          {.only_where = all_offsets(within_a_mask(4)), .takes = other_cells()}},
         {"hierarchical_exact_box",
          ABLATE_LAUNCH(hierarchy),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "own_cells"}, {"coarse_stride", "4"}},
          "rows look up only those cells of 4³ voxels that their own offsets reach; offsets whose cell is "
          "empty are not searched",
          {.only_where = all_offsets(within_a_mask(4)), .takes = other_cells()}},
         {"hierarchical_by_cell",
          ABLATE_LAUNCH(hierarchy),
          {{"layout", "packed"},
           {"driver", "grid"},
           {"prune", "cells"},
           {"search", "by_cell"},
           {"coarse_stride", "4"}},
          "each occupied cell of 4³ voxels around a row enumerates its offsets, so that offsets of empty "
          "cells take no thread",
          {.only_where = all_offsets(within_a_mask(4)), .takes = other_cells_and({"prune", {"own_cells"}})}},
         {"hierarchical_symmetric",
          ABLATE_LAUNCH(hierarchy),
          {{"layout", "packed"},
           {"driver", "grid"},
           {"prune", "cells"},
           {"coarse_stride", "4"},
           {"symmetry", "on"}},
          "half of the offsets, less those whose cell of 4³ voxels is empty; each pair is also written to "
          "the opposite list with in and out rows symmetric",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4))),
           .takes = {{"coarse_stride", {"8"}}, {"prune", {"own_cells"}}}}},
         {"hierarchical_bitmap",
          ABLATE_LAUNCH(hierarchy_of_bitmaps),
          {{"layout", "packed"}, {"driver", "block"}, {"prune", "bitmap"}, {"coarse_stride", "4"}},
          "each cell of 4³ voxels has a bitmap of its places that are taken, so no probe of the row table "
          "misses",
          {.only_where = all_offsets(within_a_mask(4))}},
         {"hierarchical_bitmap_symmetric",
          ABLATE_LAUNCH(hierarchy_of_bitmaps),
          {{"layout", "packed"},
           {"driver", "block"},
           {"prune", "bitmap"},
           {"coarse_stride", "4"},
           {"symmetry", "on"}},
          "bitmaps of 4³ cells, so that no probe of the row table misses, on half of the offsets; each pair "
          "is also written to the opposite list with in and out rows symmetric",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"cells",
          ABLATE_LAUNCH(bitmaps),
          {{"layout", "bitmap"}, {"driver", "cell"}, {"prune", "bitmap"}},
          "pairs from shifted bitmaps of 4³ cells, offset by offset, without a voxel table or a dense table",
          {.only_where = in_lists(both(within_a_mask(4), {{"stride", {"1"}}})),
           .takes = numbered_by_block()}},
         {"cells_by_line",
          ABLATE_LAUNCH(bitmaps),
          {{"layout", "bitmap"}, {"driver", "cell"}, {"prune", "bitmap"}, {"match", "by_line"}},
          "pairs from shifted bitmaps of 4³ cells; offsets along z are matched together and all their pairs "
          "dealt to the lanes at once",
          {.only_where = in_lists(both(within_a_mask(4), {{"stride", {"1"}}})),
           .takes = numbered_by_block()}},
         {"cells_by_line_symmetric",
          ABLATE_LAUNCH(bitmaps),
          {{"layout", "bitmap"},
           {"driver", "cell"},
           {"prune", "bitmap"},
           {"match", "by_line"},
           {"symmetry", "on"}},
          "pairs from shifted bitmaps of 4³ cells, by lines of offsets along z, on half of the offsets; "
          "each pair is also written to the opposite list with in and out rows symmetric",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"cells_symmetric",
          ABLATE_LAUNCH(bitmaps),
          {{"layout", "bitmap"},
           {"driver", "cell"},
           {"prune", "bitmap"},
           {"match", "by_line"},
           {"symmetry", "on"},
           {"numbering", "by_block"}},
          "pairs from bitmaps of 4³ cells, by lines along z and on half of the offsets, with cells numbered "
          "by blocks and marked in one pass over the rows",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"sorted",
          ABLATE_LAUNCH(sorted),
          {{"layout", "sorted"}, {"driver", "block"}, {"prune", "none"}},
          "no hash: rows sorted by key, each looked up by bisection in the range that its block can reach",
          {.only_where = in_lists()}},
         {"dispatch_published",
          ABLATE_LAUNCH(dispatch),
          {{"rule", "published"}, {"coarse_stride", "4"}},
          "picks hierarchical from 125 offsets on if all edges are odd and nothing is dilated, else flat"},
         {"dispatch_measured",
          ABLATE_LAUNCH(dispatch),
          {{"rule", "measured"}, {"coarse_stride", "4"}},
          "picks flat, hierarchical_bitmap, cells or an symmetric form by sizes and, where counting pays, by "
          "rows per occupied cell",
          {.only_where = in_lists(where_the_host_reads()), .takes = {{"rule", {"sizes"}}}}},
     }});

}  // namespace ablate::kernel_map
