// kernel_map: for each offset of a sparse convolution's kernel, which rows meet. Axes, and one entry a
// variant; rows, buffers, inputs, check and work model stand in variants/kernel_map/.
#include "kernels/kernel_map/kernel_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/registry/define.h"
#include "kernels/kernel_map/coarse_cells.h"
#include "variants/convolution_kernel.h"
#include "variants/hash_table.h"
#include "variants/kernel_map/buffers.h"
#include "variants/kernel_map/prepare.h"
#include "variants/kernel_map/rows.h"

namespace ablate::kernel_map {
namespace {

constexpr std::int64_t most_list_bytes = std::int64_t{16} << 30;  // in_rows and out_rows, or tables
constexpr std::int64_t most_adversarial_rows = 1 << 14;           // each is found after half of them

std::array<int, 3> on_each_axis(long value) {
  const int all = static_cast<int>(value);
  return {all, all, all};
}

const std::vector<std::string> outputs = {"lists", "dense", "masks", "reverse"};

output output_at(const axis_values& at) {
  return static_cast<output>(std::find(outputs.begin(), outputs.end(), at.word("output")) - outputs.begin());
}

/// Kernel, output and lists of a problem, and the sizes of what comes out.
problem shape_at(std::int64_t rows, std::int64_t outs, const axis_values& at) {
  problem p;
  p.rows = rows;
  p.outs = outs;
  p.kernel = convolution_kernel(at.word("kernel"));
  p.wanted = output_at(at);
  p.first_half = at.word("lists") == "first_half";
  if (p.wanted == output::lists) p.capacity = outs * p.lists() * at.integer("list_room") / 100;
  return p;
}

/// Why an output of this size makes no case.
std::optional<std::string> refuses_output(const problem& p) {
  const bool in_lists = p.wanted == output::lists;
  const std::int64_t bytes = sizeof(std::int32_t) * (in_lists ? 2 * p.capacity : p.table_words());
  if (bytes <= most_list_bytes) return std::nullopt;
  return fmt::format("{} out rows x {} offsets: the {} need {:.1f} GiB, at most {}", p.outs, p.offsets(),
                     in_lists ? "lists" : "tables", static_cast<double>(bytes) / (1 << 30),
                     most_list_bytes >> 30);
}

/// Why these axes make no case, whatever the rows.
std::optional<std::string> refuses_half(const axis_values& at) {
  if (at.word("lists") == "all") return std::nullopt;
  const std::array<int, 3> kernel = convolution_kernel(at.word("kernel"));
  const bool is_odd = std::all_of(kernel.begin(), kernel.end(), [](int size) { return size % 2 == 1; });
  if (at.integer("stride") != 1 || !is_odd)
    return "lists=first_half needs a map onto its own rows by an odd kernel: stride=1 and odd edges";
  if (at.word("output") != "lists") return "lists=first_half needs output=lists";
  return std::nullopt;
}

std::optional<std::string> refuses(const axis_values& at) {
  const std::string& scene = at.word("scene");
  const long rows = at.integer("rows");
  if (scene == "empty" && rows != 0) return "scene=empty needs rows=0";
  if (scene == "faces" && rows == 0) return "scene=faces needs rows";
  if ((scene == "faces" || scene == "random" || scene == "adversarial") && at.integer("shift") != 0)
    return fmt::format("scene={} needs shift=0", scene);
  if (scene == "adversarial" && rows > most_adversarial_rows)
    return fmt::format("scene=adversarial needs half as many probes a row as there are rows: at most {}",
                       most_adversarial_rows);
  if (auto reason = refuses_half(at)) return reason;
  if (at.word("output") != "lists" && at.word("host") == "count")
    return "host=count reads how many pairs there are before the lists are written: it needs output=lists";
  // Rows of a strided map are known once the scene is made.
  return at.integer("stride") == 1 ? refuses_output(shape_at(rows, rows, at)) : std::nullopt;
}

const std::vector<std::string> host_roles = {"absent", "end", "count", "stages", "graph"};

host_role host_role_of(const std::string& word) {
  return static_cast<host_role>(std::find(host_roles.begin(), host_roles.end(), word) - host_roles.begin());
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  const bool same = at.integer("stride") == 1;
  const std::int64_t rows = rows_at(at, inputs);
  problem p = shape_at(rows, same ? rows : out_rows_at(at, inputs), at);
  p.same = same;
  if (const auto reason = refuses_output(p))
    throw input_unfit(fmt::format("scene '{}'", at.word("scene")), fmt::format("{} rows", p.rows), *reason);
  p.stride = on_each_axis(at.integer("stride"));
  p.dilation = on_each_axis(at.integer("dilation"));
  p.guards = at.word("range") == "guard";
  const long load = at.integer("load");
  const auto slots_needed = static_cast<std::uint64_t>((p.rows * 100 + load - 1) / load);
  p.slots = static_cast<std::int64_t>(std::bit_ceil(std::max(slots_needed, std::uint64_t{16})));
  const std::string& region = at.word("region");
  p.first = region == "map" ? phase::map : region == "cells_kept" ? phase::build : phase::coarse;
  p.last = region == "build" ? phase::build : phase::map;
  p.host = host_role_of(at.word("host"));
  return p;
}

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

/// What was built is checked by a map that is made of it.
std::optional<problem> readback(const problem& p) {
  problem after = p;
  after.first = p.last == phase::build ? phase::map : phase::read_back;
  after.last = phase::read_back;
  after.host = host_role::absent;
  return after;
}

axis scene_axis() {
  axis scene{.name = "scene",
             .description =
                 "the rows' voxels: a scene, the corners of the range in batches 0, 1, 510 and 511 "
                 "(faces), none at all (empty); or the name of a point file",
             .default_value = "lidar_10cm",
             .words = voxel_scenes(),
             .takes_point_files = true};
  scene.words.insert(scene.words.end(), {"faces", "empty"});
  return scene;
}

axis kernel_axis() {
  return axis::of_words(
      "kernel", {"3", "5", "7", "9", "11", "1", "2", "4", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"},
      "offsets along x, y and z; one number for all three");
}

/// Out rows are the in rows, and each offset has its opposite.
axis_conditions onto_itself() {
  return {{"stride", {"1"}},
          {"kernel", {"3", "5", "7", "9", "11", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"}}};
}

axis_conditions at_most_27_offsets() { return {{"kernel", {"1", "2", "3"}}}; }

/// A list of as many pairs as there are out rows for each offset, and nobody asks how many pairs there are
/// before they are written.
axis_conditions room_for_slabs() {
  return {{"list_room", {"100"}}, {"host", {"absent", "end", "stages", "graph"}}};
}

/// No table of out rows and offsets that others could use is left behind.
axis_conditions in_lists(axis_conditions also = {}) {
  also.push_back({"output", {"lists"}});
  also.push_back({"lists", {"all"}});
  return also;
}

axis_conditions all_offsets(axis_conditions also = {}) {
  also.push_back({"lists", {"all"}});
  return also;
}

/// The host takes part and the region is all of the map, so that a choice can be read and acted upon.
axis_conditions where_the_host_reads() { return {{"host", {"end", "count", "stages"}}, {"region", {"all"}}}; }

/// Kernels, undilated, whose offsets reach no more cells of edge³ voxels than a mask has bits.
axis_conditions within_a_mask(int edge) {
  std::vector<std::string> kernels;
  for (const std::string& word : kernel_axis().words) {
    problem p;
    p.kernel = convolution_kernel(word);
    if (cells_around(p, edge) <= most_masked_cells) kernels.push_back(word);
  }
  return {{"dilation", {"1"}}, {"kernel", kernels}};
}

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What both sets of conditions let through.
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
     .axes = {scene_axis(),
              axis::of_integers("rows", 0, most_voxel_rows, 100000,
                                "voxels; all (or 0): of a point file, or as many as the scene has by itself")
                  .with_all(0),
              kernel_axis(),
              axis::of_words("stride", {"1", "2"},
                             "1: out rows are the in rows; 2: the cells of 2 x 2 x 2 voxels that hold one"),
              axis::of_words("dilation", {"1", "2"}, "voxels from one offset to the next"),
              axis::of_words("order", {"scan", "shuffled", "morton"},
                             "of the rows: as generated or scanned, random, along a Morton curve"),
              axis::of_words(
                  "range", {"guard", "wrap"},
                  "of coordinates beyond a key's: no row is there, or they come round to the other side"),
              axis::of_integers("shift", 0, 511, 0,
                                "cells added to x, y and z: x + 8 y + 64 z, up to 7 each"),
              hash_table::cell_axis(),
              axis::of_integers(
                  "load", 5, 95, 50,
                  "rows in percent of the fine table's slots, or fewer: those are a power of two"),
              axis::of_integers("list_room", 0, 100, 100,
                                "pairs that the lists hold, in percent of offsets x out rows"),
              axis::of_words("output", outputs,
                             "lists of pairs; the dense table of in rows alone; that and masks of which "
                             "offsets found one; or that and the table from in rows to out rows"),
              axis::of_words(
                  "lists", {"all", "first_half"},
                  "of all offsets; or of those before the middle one only, in which the others are mirrored"),
              axis::of_words("region", {"all", "build", "map", "cells_kept"},
                             "what is timed: all; building what rows are looked up in; the map alone; or all "
                             "but the table of occupied cells, which is kept from an earlier map"),
              axis::of_words("host", host_roles,
                             "absent: device time, everything is enqueued beforehand. Else the host's time: "
                             "one call, and the number of pairs read at its end; read before the lists are "
                             "written (count); a call for each stage; or all as one CUDA graph")},
     .baseline = "flat",
     .problem = problem_at,
     .buffers = buffers,
     .attach = attach,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .clock = clock,
     .readback = readback,
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
          {.only_where = in_lists()}},
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
          {.only_where = in_lists(room_for_slabs())}},
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
          "chooses from flat, hierarchical_bitmap, both exchanged, and cells by sizes and, where it pays to "
          "count them, by rows an occupied cell",
          {.only_where = in_lists(where_the_host_reads())}},
     }});

}  // namespace ablate::kernel_map
