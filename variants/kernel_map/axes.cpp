#include "variants/kernel_map/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "variants/convolution_kernel.h"
#include "variants/hash_table.h"
#include "variants/kernel_map/rows.h"

namespace ablate::kernel_map {
namespace {

constexpr std::int64_t max_list_bytes = std::int64_t{16} << 30;  // for in_rows and out_rows, or tables
constexpr std::int64_t max_adversarial_rows = 1 << 14;           // each search visits half of them

std::array<int, 3> on_each_axis(long value) {
  const int all = static_cast<int>(value);
  return {all, all, all};
}

// Functions, not constants: operations may be defined before the constants of another file are initialized.
std::vector<std::string> outputs() { return {"lists", "dense", "masks", "reverse"}; }
std::vector<std::string> host_roles() { return {"absent", "end", "count", "stages", "graph"}; }

/// The enumerator with the word's index in the list.
template <class Enum>
Enum enumerator(const std::string& word, const std::vector<std::string>& words) {
  return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

/// Kernel, output and lists of a problem, and the sizes of its results.
problem shape_at(std::int64_t rows, std::int64_t outs, const axis_values& at) {
  problem p;
  p.rows = rows;
  p.outs = outs;
  p.kernel = convolution_kernel(at.word("kernel"));
  p.wanted = enumerator<output>(at.word("output"), outputs());
  p.first_half = at.word("lists") == "first_half";
  if (p.wanted == output::lists) p.capacity = outs * p.lists() * at.integer("list_room") / 100;
  return p;
}

/// Why an output of this size does not form a case.
std::optional<std::string> refuses_output(const problem& p) {
  const bool in_lists = p.wanted == output::lists;
  const std::int64_t bytes = sizeof(std::int32_t) * (in_lists ? 2 * p.capacity : p.table_words());
  if (bytes <= max_list_bytes) return std::nullopt;
  return fmt::format("{} out rows x {} offsets: the {} need {:.1f} GiB, at most {}", p.outs, p.offsets(),
                     in_lists ? "lists" : "tables", static_cast<double>(bytes) / (1 << 30),
                     max_list_bytes >> 30);
}

/// Why these axes do not form a case, whatever the rows.
std::optional<std::string> refuses_half(const axis_values& at) {
  if (at.word("lists") == "all") return std::nullopt;
  const std::array<int, 3> kernel = convolution_kernel(at.word("kernel"));
  const bool is_odd = std::all_of(kernel.begin(), kernel.end(), [](int size) { return size % 2 == 1; });
  if (at.integer("stride") != 1 || !is_odd)
    return "lists=first_half needs a map onto its own rows by an odd kernel: stride=1 and odd edges";
  if (at.word("output") != "lists") return "lists=first_half needs output=lists";
  return std::nullopt;
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

}  // namespace

std::vector<std::string> kernel_words() { return kernel_axis().words; }

std::vector<axis> axes() {
  return {
      scene_axis(),
      axis::of_integers("rows", 0, max_voxel_rows, 100000,
                        "voxels; all (or 0): of a point file, or as many as the scene has by itself")
          .with_all(0),
      kernel_axis(),
      axis::of_words("stride", {"1", "2"},
                     "1: out rows are the in rows; 2: the cells of 2 x 2 x 2 voxels that hold one"),
      axis::of_words("dilation", {"1", "2"}, "voxels from one offset to the next"),
      axis::of_words("order", {"scan", "shuffled", "morton"},
                     "of the rows: as generated or scanned, random, along a Morton curve"),
      axis::of_words("range", {"guard", "wrap"},
                     "of coordinates beyond a key's: no row is there, or they come round to the other side"),
      axis::of_integers("shift", 0, 511, 0, "cells added to x, y and z: x + 8 y + 64 z, up to 7 each"),
      hash_table::cell_axis(),
      axis::of_integers("load", 5, 95, 50,
                        "rows in percent of the row table's slots, or fewer: slots are a power of two"),
      axis::of_integers("list_room", 0, 100, 100,
                        "pairs that the lists hold, in percent of offsets x out rows"),
      axis::of_words("output", outputs(),
                     "lists of pairs; the dense table of in rows alone; the dense table and masks of "
                     "which offsets found one; or it and the table from in rows to out rows"),
      axis::of_words("lists", {"all", "first_half"},
                     "lists of all offsets; or only of those before the middle one, which the others mirror"),
      axis::of_words("region", {"all", "build", "map", "cells_kept"},
                     "what is timed: all; building what rows are looked up in; the map alone; or all "
                     "but the table of occupied cells, which is kept from an earlier map"),
      axis::of_words("host", host_roles(),
                     "absent: device time, everything is enqueued beforehand. Else the host's time: "
                     "one call, and the number of pairs read at its end; read before the lists are "
                     "written (count); a call for each stage; or all as one CUDA graph")};
}

std::optional<std::string> refuses(const axis_values& at) {
  const std::string& scene = at.word("scene");
  const long rows = at.integer("rows");
  if (scene == "empty" && rows != 0) return "scene=empty needs rows=0";
  if (scene == "faces" && rows == 0) return "scene=faces needs rows";
  if ((scene == "faces" || scene == "random" || scene == "adversarial") && at.integer("shift") != 0)
    return fmt::format("scene={} needs shift=0", scene);
  if (scene == "adversarial" && rows > max_adversarial_rows)
    return fmt::format("scene=adversarial needs half as many probes a row as there are rows: at most {}",
                       max_adversarial_rows);
  if (auto reason = refuses_half(at)) return reason;
  if (at.word("output") != "lists" && at.word("host") == "count")
    return "host=count reads how many pairs there are before the lists are written: it needs output=lists";
  // The out rows of a strided map are known only once the scene is made.
  return at.integer("stride") == 1 ? refuses_output(shape_at(rows, rows, at)) : std::nullopt;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  const bool same = at.integer("stride") == 1;
  const std::int64_t rows = rows_at(at, inputs);
  checked_problem p{shape_at(rows, same ? rows : out_rows_at(at, inputs), at)};
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
  p.host = enumerator<host_role>(at.word("host"), host_roles());
  return p;
}

}  // namespace ablate::kernel_map
