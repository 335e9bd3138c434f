// kernel_map: for each offset of a sparse convolution's kernel, which rows pair up. One entry per variant;
// axes, rows, buffers, inputs, check and work model are in variants/kernel_map/.
#include "kernels/kernel_map/kernel_map.h"

#include <algorithm>

#include "harness/registry/define.h"
#include "kernels/kernel_map/coarse_cells.h"
#include "kernels/kernel_map/launches.h"
#include "variants/convolution_kernel.h"
#include "variants/kernel_map/axes.h"
#include "variants/kernel_map/buffers.h"
#include "variants/kernel_map/prepare.h"

namespace ablate::kernel_map {
namespace {

region_clock clock(const problem& p) {
  if (p.host == host_role::absent) return region_clock::device;
  return p.host == host_role::graph ? region_clock::host_graph : region_clock::host;
}

std::optional<problem> ahead(const problem& p) {
  if (p.first == phase::coarse) return std::nullopt;
  problem before = p;
  before.first = phase::coarse;
  before.last = p.first == phase::map ? phase::build : phase::coarse;
  before.host = host_role::absent;
  return before;
}

/// A build is checked by a map made from it.
std::optional<problem> readback(const problem& p) {
  if (p.last != phase::build) return std::nullopt;
  problem after = p;
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
    if (cells_around(p, edge) <= most_masked_cells) kernels.push_back(word);
  }
  return {{"dilation", {"1"}}, {"kernel", kernels}};
}

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

const bool defined = define<problem>(
    {.name = "kernel_map",
     .description =
         "for each offset of a sparse convolution's kernel the pairs of rows that lie so far apart",
     .axes = axes(),
     .baseline = "flat",
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .clock = clock,
     .readback = readback,
     .compare = ABLATE_LAUNCH(sum_digests),
     .variants = {
         {"flat",
          ABLATE_LAUNCH(flat),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}},
          "G2: a thread for each out row and offset into a dense table, then counted, scanned and scattered, "
          "as published"},
         {"flat_interleaved",
          ABLATE_LAUNCH(flat_interleaved),
          {{"layout", "interleaved"}, {"driver", "grid"}, {"prune", "none"}},
          "G2 with key and row side by side"},
         {"flat_mirrored",
          ABLATE_LAUNCH(flat_mirrored),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"symmetry", "mirrored"}},
          "Y2: half of the offsets searched, each pair stored in the dense table for the opposite one too",
          {.only_where = all_offsets(onto_itself())}},
         {"flat_exchanged",
          ABLATE_LAUNCH(flat_exchanged),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"symmetry", "exchanged"}},
          "Y2 without its table: the list of an opposite offset is the offset's own with in and out rows "
          "exchanged",
          {.only_where = in_lists(onto_itself())}},
         {"flat_128x8",
          ABLATE_LAUNCH(flat_128x8),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"block", "128x8"}},
          "G2 in blocks of 128 out rows by 8 offsets, twice the published ones"},
         {"flat_deterministic",
          ABLATE_LAUNCH(flat_deterministic),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "none"}, {"list_order", "fixed"}},
          "G2 whose lists come in the same order each time: blocks' places by a sum over their counts, not "
          "by atomics",
          {.only_where = in_lists(), .same_bits = true}},
         {"flat_indirect_murmur",
          ABLATE_LAUNCH(flat_indirect_murmur),
          {{"layout", "indirect"}, {"hash", "murmur"}, {"driver", "grid"}, {"prune", "none"}},
          "G2 on VI: slots hold rows, whose coordinates are fetched to be compared"},
         {"flat_indirect_city",
          ABLATE_LAUNCH(flat_indirect_city),
          {{"layout", "indirect"}, {"hash", "city"}, {"driver", "grid"}, {"prune", "none"}},
          "G2 on VI with the hash that was shipped with it"},
         {"flat_in_line_murmur",
          ABLATE_LAUNCH(flat_in_line_murmur),
          {{"layout", "in_line"}, {"hash", "murmur"}, {"driver", "grid"}, {"prune", "none"}},
          "G2 on VL: the coordinates themselves in the slots"},
         {"query_loop",
          ABLATE_LAUNCH(query_loop),
          {{"layout", "packed"}, {"driver", "query_loop"}, {"prune", "none"}},
          "QL: a thread for each out row goes through all offsets, into the dense table",
          {.only_where = in_lists()}},
         {"count_scatter",
          ABLATE_LAUNCH(count_scatter),
          {{"layout", "packed"}, {"driver", "count_scatter"}, {"prune", "none"}},
          "CS: no dense table, the grid's search runs once to count and once more to write",
          {.only_where = in_lists()}},
         {"exchanged_count_scatter",
          ABLATE_LAUNCH(exchanged_count_scatter),
          {{"layout", "packed"}, {"driver", "count_scatter"}, {"prune", "none"}, {"symmetry", "exchanged"}},
          "half of the offsets counted and kept as a bit each; what is there is searched once more and "
          "written to both lists",
          {.only_where = in_lists(onto_itself())}},
         {"query_count_scatter",
          ABLATE_LAUNCH(query_count_scatter),
          {{"layout", "packed"}, {"driver", "query_count_scatter"}, {"prune", "none"}},
          "QCS: a thread for each out row and no dense table: searched to count, to reserve places and to "
          "write",
          {.only_where = in_lists()}},
         {"register_held",
          ABLATE_LAUNCH(register_held),
          {{"layout", "packed"}, {"driver", "register_held"}, {"prune", "none"}},
          "OP: searched to count and once more, with what is found held in registers until places are "
          "reserved",
          {.only_where = in_lists(at_most_27_offsets())}},
         {"direct_write",
          ABLATE_LAUNCH(direct_write),
          {{"layout", "packed"}, {"driver", "direct_write"}, {"prune", "none"}, {"lists", "slabs"}},
          "DW: one search and an atomic for each pair, into slabs with room for all out rows",
          {.only_where = in_lists(room_for_slabs())},
          ABLATE_LAUNCH(sum_digests_of_slabs)},
         {"hierarchical",
          ABLATE_LAUNCH(hierarchical),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "cells"}, {"coarse_stride", "4"}},
          "H27: offsets whose cell of 4³ voxels is empty are not searched, as published",
          {.only_where = all_offsets(within_a_mask(4))}},
         {"hierarchical_s2",
          ABLATE_LAUNCH(hierarchical),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "cells"}, {"coarse_stride", "2"}},
          "H27 with cells of 2³ voxels, for kernels that reach two voxels",
          {.only_where = all_offsets(within_a_mask(2))}},
         {"hierarchical_s8",
          ABLATE_LAUNCH(hierarchical),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "cells"}, {"coarse_stride", "8"}},
          "H27 with cells of 8³ voxels",
          {.only_where = all_offsets(within_a_mask(8))}},
         {"hierarchical_exact_box",
          ABLATE_LAUNCH(hierarchical_exact_box),
          {{"layout", "packed"}, {"driver", "grid"}, {"prune", "own_cells"}, {"coarse_stride", "4"}},
          "HB: of the 27 cells those only are looked up that the row's own offsets reach",
          {.only_where = all_offsets(within_a_mask(4))}},
         {"hierarchical_by_cell",
          ABLATE_LAUNCH(hierarchical_by_cell),
          {{"layout", "packed"},
           {"driver", "grid"},
           {"prune", "cells"},
           {"search", "by_cell"},
           {"coarse_stride", "4"}},
          "HC: each occupied cell enumerates its offsets, no thread for the others",
          {.only_where = all_offsets(within_a_mask(4))}},
         {"hierarchical_keys_only",
          ABLATE_LAUNCH(hierarchical_keys_only),
          {{"layout", "packed"},
           {"driver", "grid"},
           {"prune", "cells"},
           {"cell_set", "keys"},
           {"coarse_stride", "4"}},
          "H27 with a set of cells that holds keys alone, of a size that the counted cells need",
          {.only_where = all_offsets(within_a_mask(4))}},
         {"hierarchical_exchanged",
          ABLATE_LAUNCH(hierarchical_exchanged),
          {{"layout", "packed"},
           {"driver", "grid"},
           {"prune", "cells"},
           {"coarse_stride", "4"},
           {"symmetry", "exchanged"}},
          "H27 on half of the offsets, 18 of the 27 cells; the opposite lists are the same pairs, exchanged",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"hierarchical_bitmap",
          ABLATE_LAUNCH(hierarchical_bitmap),
          {{"layout", "packed"}, {"driver", "block"}, {"prune", "bitmap"}, {"coarse_stride", "4"}},
          "HM: a cell's entry says which of its 4³ places are taken, so no probe of the table of rows misses",
          {.only_where = all_offsets(within_a_mask(4))}},
         {"hierarchical_bitmap_exchanged",
          ABLATE_LAUNCH(hierarchical_bitmap_exchanged),
          {{"layout", "packed"},
           {"driver", "block"},
           {"prune", "bitmap"},
           {"coarse_stride", "4"},
           {"symmetry", "exchanged"}},
          "HM on half of the offsets",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"cells",
          ABLATE_LAUNCH(cells),
          {{"layout", "bitmap"}, {"driver", "cell"}, {"prune", "bitmap"}},
          "pairs from shifted bitmaps of 4³ cells, no table of voxels and no dense table",
          {.only_where = in_lists(both(within_a_mask(4), {{"stride", {"1"}}}))}},
         {"cells_by_line",
          ABLATE_LAUNCH(cells_by_line),
          {{"layout", "bitmap"}, {"driver", "cell"}, {"prune", "bitmap"}, {"match", "by_line"}},
          "offsets along z matched together, and all their pairs dealt to the lanes at once",
          {.only_where = in_lists(both(within_a_mask(4), {{"stride", {"1"}}}))}},
         {"cells_by_line_exchanged",
          ABLATE_LAUNCH(cells_by_line_exchanged),
          {{"layout", "bitmap"},
           {"driver", "cell"},
           {"prune", "bitmap"},
           {"match", "by_line"},
           {"symmetry", "exchanged"}},
          "half of the offsets, 18 of the 27 cells around; each pair also written exchanged, to the opposite "
          "list",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"cells_exchanged",
          ABLATE_LAUNCH(cells_exchanged),
          {{"layout", "bitmap"},
           {"driver", "cell"},
           {"prune", "bitmap"},
           {"match", "by_line"},
           {"symmetry", "exchanged"},
           {"numbering", "by_block"}},
          "likewise, the cells numbered by blocks and marked in one pass over the rows",
          {.only_where = in_lists(both(onto_itself(), within_a_mask(4)))}},
         {"sorted",
          ABLATE_LAUNCH(sorted),
          {{"layout", "sorted"}, {"driver", "block"}, {"prune", "none"}},
          "no hash: rows sorted by key, each looked up by bisection in the range that its block can reach",
          {.only_where = in_lists()}},
         {"dispatch_published",
          ABLATE_LAUNCH(dispatch_published),
          {{"rule", "published"}, {"coarse_stride", "4"}},
          "hierarchical from 125 offsets on where all edges are odd and nothing is dilated, else flat"},
         {"dispatch_measured",
          ABLATE_LAUNCH(dispatch_measured),
          {{"rule", "measured"}, {"coarse_stride", "4"}},
          "chooses from flat, hierarchical_bitmap and cells, all also exchanged, by sizes and, where it pays "
          "to count them, by rows an occupied cell",
          {.only_where = in_lists(where_the_host_reads())}},
     }});

}  // namespace ablate::kernel_map
