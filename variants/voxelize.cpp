// voxelize: points to a count per cell of a grid. Axes, inputs, oracle check and work model; one entry a
// variant.
#include "kernels/voxelize/voxelize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/registry/define.h"
#include "kernels/voxelize/sort_scratch.h"
#include "variants/point_scenes.h"

namespace ablate::voxelize {
namespace {

counter mode_of(const std::string& word) {
  if (word == "count_f32") return counter::float32;
  return word == "occupancy" ? counter::occupancy : counter::int32;
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  static_cast<point_grid&>(p) = grid_at(at, inputs);
  p.mode = mode_of(at.word("mode"));
  p.by_reciprocal = at.word("cell_by") == "reciprocal";
  p.z_fastest = at.word("layout") == "z_fastest";
  const std::string& region = at.word("region");
  p.clears_grid = region == "clear_kernel" || region == "presorted_clear_kernel";
  if (region.starts_with("presorted_")) p.first = phase::count;
  return p;
}

/// The keys of presorted regions.
std::optional<problem> ahead(const problem& p) {
  if (p.does(phase::sort)) return std::nullopt;
  problem before = p;
  before.first = before.last = phase::sort;
  before.clears_grid = false;
  return before;
}

std::size_t grid_bytes(const problem& p) { return sizeof(std::int32_t) * p.all_cells(); }

std::vector<buffer> buffers(const problem& p) {
  const std::size_t bytes_of_points = 3 * sizeof(float) * p.all_points();
  return {{"points", bytes_of_points, buffer_role::input},
          {"grid", grid_bytes(p), buffer_role::output,
           p.clears_grid ? buffer_reset::poison : buffer_reset::zeros},
          {"events", sizeof(unsigned long long) * event_count, buffer_role::instruments, buffer_reset::zeros},
          {"points_soa", bytes_of_points, buffer_role::input},
          {"scratch", sort_scratch_bytes(p), buffer_role::scratch, buffer_reset::poison},
          {"bins", bin_bytes(p), buffer_role::scratch, buffer_reset::poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.points = static_cast<const float*>(addresses[0]);
  p.grid = addresses[1];
  p.events = static_cast<unsigned long long*>(addresses[2]);
  p.points_soa = static_cast<const float*>(addresses[3]);
  p.scratch = addresses[4];
  p.bins = addresses[5];
}

/// Each cloud's points in the order of their cells in memory; those outside come last.
void sort_by_cell(const problem& p, std::vector<float>& points) {
  using point = std::array<float, 3>;
  std::vector<std::pair<std::uint64_t, point>> places(static_cast<std::size_t>(p.points_per_cloud));
  for (int cloud = 0; cloud < p.batch; ++cloud) {
    float* const first = points.data() + 3 * cloud * p.points_per_cloud;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const float* xyz = first + 3 * i;
      places[i] = {static_cast<std::uint64_t>(cell_of(p, xyz)), {xyz[0], xyz[1], xyz[2]}};
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < places.size(); ++i) std::ranges::copy(places[i].second, first + 3 * i);
  }
}

std::vector<float> soa_of(const problem& p, const std::vector<float>& points) {
  std::vector<float> columns(points.size());
  const auto count = static_cast<std::size_t>(p.points_per_cloud);
  for (std::size_t cloud = 0; cloud < columns.size(); cloud += 3 * count)
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        columns[cloud + axis * count + i] = points[cloud + 3 * i + axis];
  return columns;
}

/// A cloud and what the oracle says of it.
struct known_answer {
  std::vector<float> points, soa;
  std::vector<std::int32_t> grid;  ///< counters of either type, bit for bit
};

std::string describe(const problem& p, std::int64_t cell, std::int32_t expected, std::int32_t found) {
  const std::int64_t in_cloud = cell % p.cells_per_cloud();
  const auto along = [&](std::size_t axis) { return in_cloud / p.stride()[axis] % p.cells[axis]; };
  const auto text = [&](std::int32_t bits) {
    float as_float;
    std::memcpy(&as_float, &bits, sizeof bits);
    return p.mode == counter::float32 ? fmt::format("{}", as_float) : fmt::format("{}", bits);
  };
  return fmt::format("cloud {}, cell ({}, {}, {}): expected {}, found {}", cell / p.cells_per_cloud(),
                     along(0), along(1), along(2), text(expected), text(found));
}

check_result check(const problem& p, const known_answer& answer, const std::byte* output) {
  if (std::memcmp(answer.grid.data(), output, grid_bytes(p)) == 0) return {.ok = true};
  std::int64_t differing = 0, first = -1;
  std::int32_t found_first = 0;
  for (std::size_t cell = 0; cell < answer.grid.size(); ++cell) {
    std::int32_t found;
    std::memcpy(&found, output + cell * sizeof found, sizeof found);
    if (found == answer.grid[cell]) continue;
    if (differing++ == 0) first = static_cast<std::int64_t>(cell), found_first = found;
  }
  return {false,
          fmt::format("{} of {} cells differ; first: {}", differing, answer.grid.size(),
                      describe(p, first, answer.grid[first], found_first)),
          static_cast<double>(differing)};
}

/// What the points fall into: cells, and 32-byte sectors of the grid that hold at least one of them.
struct occupied_places {
  std::int64_t cells = 0, sectors = 0;
};

occupied_places occupied_of(const std::vector<std::int32_t>& grid) {
  constexpr std::size_t cells_per_sector = 32 / sizeof(std::int32_t);
  occupied_places occupied;
  for (std::size_t first = 0; first < grid.size(); first += cells_per_sector) {
    std::int64_t in_sector = 0;
    for (std::size_t cell = first; cell < std::min(first + cells_per_sector, grid.size()); ++cell)
      in_sector += grid[cell] != 0;
    occupied.cells += in_sector;
    occupied.sectors += in_sector > 0;
  }
  return occupied;
}

// Compulsory: every point once (12 bytes, or its key where those stand sorted), every counter once where the
// region clears, and one update of each occupied cell, however well the points are merged: a reduction,
// unless plain stores do. Sectors come at most at the rate of distinct ones, cells at most at that of full
// sectors.
work_model work(const problem& p, const occupied_places& occupied) {
  const bool has_keys = !p.does(phase::sort);
  const double points = static_cast<double>(p.all_points());
  const double cleared = p.clears_grid ? static_cast<double>(grid_bytes(p)) : 0.0;
  work_model w = {.bytes = (has_keys ? static_cast<double>(key_bytes(p)) : 12.0) * points + cleared,
                  .written_bytes = cleared,
                  .flops = has_keys ? 0.0 : 6.0 * points,
                  .flop_pipe = "fma_f32"};
  if (p.mode == counter::occupancy) return w;
  const std::string operand = p.mode == counter::float32 ? "_f32" : "";
  const auto sectors = static_cast<double>(occupied.sectors);
  w.atomics = static_cast<double>(occupied.cells);
  w.reductions = {{"atomics_distinct" + operand, sectors}, {"atomics_full_sectors" + operand, w.atomics}};
  return w;
}

/// Points that the reciprocal counts in another cell than the division.
std::int64_t moved_by_reciprocal(problem p, const std::vector<float>& points) {
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < points.size(); i += 3) {
    p.by_reciprocal = false;
    const std::int64_t divided = cell_of(p, &points[i]);
    p.by_reciprocal = true;
    moved += divided != cell_of(p, &points[i]);
  }
  return moved;
}

nlohmann::ordered_json read_instruments(std::span<const std::uint64_t> counts) {
  if (counts[points] == 0) return nullptr;
  const auto per = [](std::uint64_t a, std::uint64_t b) -> nlohmann::ordered_json {
    if (b == 0) return nullptr;
    return static_cast<double>(a) / static_cast<double>(b);
  };
  return {{"points", counts[points]},
          {"valid", counts[valid]},
          {"atomics", counts[global_atomics]},
          {"points_per_atomic", per(counts[valid], counts[global_atomics])},
          {"hits", counts[hits]},
          {"conflicts", counts[conflicts]},
          {"fallbacks", counts[fallbacks]},
          {"flushes", counts[flushes]},
          {"groups", counts[groups]},
          {"distinct_per_group", per(counts[group_voxels], counts[groups])}};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto answer = std::make_shared<known_answer>();
  scene_clouds clouds = clouds_at(at, inputs);
  answer->points = std::move(clouds.xyz);
  if (at.word("order") == "linear") sort_by_cell(p, answer->points);
  answer->soa = soa_of(p, answer->points);
  answer->grid.resize(p.all_cells());
  reference(p, answer->points.data(), answer->grid.data());
  const occupied_places occupied = occupied_of(answer->grid);
  std::int64_t valid_points = 0;
  for (std::size_t i = 0; i < answer->points.size(); i += 3)
    valid_points += cell_of(p, &answer->points[i]) >= 0;

  workload w;
  w.contents = {std::as_bytes(std::span(answer->points)), {}, {},
                std::as_bytes(std::span(answer->soa)),    {}, {}};
  w.check = [p, answer](std::span<const std::byte* const> outputs) { return check(p, *answer, outputs[1]); };
  w.reference = [p, answer](std::span<void* const> host) { reference(p, answer->points.data(), host[1]); };
  w.work = work(p, occupied);
  w.input = {{"hash", hash_hex(answer->points.data(), sizeof(float) * answer->points.size())},
             {"points", answer->points.size() / 3},
             {"valid", valid_points},
             {"non_finite", clouds.non_finite},
             {"occupied", occupied.cells}};
  if (p.by_reciprocal) w.input["moved_by_reciprocal"] = moved_by_reciprocal(p, answer->points);
  w.read_instruments = read_instruments;
  w.storage = answer;
  return w;
}

std::optional<std::string> refuses(const axis_values& at) {
  if (auto why = refuses_scene(at)) return why;
  if (at.word("frame") == "corner") {
    if (at.word("distribution") != "uniform" || at.word("order") != "natural")
      return "frame=corner is for uniform points in natural order";
    if (at.integer("points") * at.integer("batch") > 1 << 24)
      return "frame=corner makes the points of all clouds as one: expected 2^24 at most";
  }
  return std::nullopt;
}

/// What its switches say of a line: it does without the buffers that it does not read; only what sorts can
/// begin with sorted keys; and the cell is found by division unless the line says how else.
std::vector<variant<problem>> with_consequences(std::vector<variant<problem>> lines) {
  for (variant<problem>& line : lines) {
    const bool sorts = line.switches.has("sort");
    line.limits.without.push_back(line.switches.has("points") ? "points" : "points_soa");
    if (!sorts) line.limits.without.push_back("scratch");
    if (!line.switches.has("bins")) line.limits.without.push_back("bins");
    if (!sorts) line.limits.only_where.push_back({"region", {"clear_kernel", "kernel"}});
    line.limits.only_where.push_back(
        {"cell_by", {line.switches.has("division") ? "reciprocal" : "division"}});
  }
  return lines;
}

switches hashed(const char* entries, const char* points_per_block, const char* count = "i32") {
  return {{"smem", "on"},
          {"stage", "voxels"},
          {"search", "hash"},
          {"entries", entries},
          {"points_per_block", points_per_block},
          {"count", count}};
}

switches bricks(const char* held) {
  return {{"smem", "on"}, {"stage", "bricks"}, {"bricks", held}, {"points_per_block", "auto"}};
}

switches dealt(const char* bins, const char* points_per_block) {
  return {{"smem", "on"},
          {"stage", "bins"},
          {"bins", bins},
          {"points_per_block", points_per_block},
          {"clears", "itself"}};
}

/// Variants that sort keys of the cells, along which curve, and what they make of equal ones.
switches sorted_by(const char* curve, const char* merge) {
  return {{"smem", "off"}, {"sort", curve}, {"merge", merge}};
}

axis_conditions only_mode(const char* mode) { return {{"mode", {mode}}}; }

}  // namespace

const bool defined = define<problem>(
    {.name = "voxelize",
     .description = "count the points of each cloud in each cell of a grid",
     .axes = joined(
         {{axis::of_words(
              "mode", {"count_i32", "count_f32", "occupancy"},
              "what a cell holds: the number of its points as int32 or float32, or 1 where it has any")},
          cloud_axes(),
          {axis::of_words("frame", {"unit", "robot", "vehicle", "corner", "fitted"},
                          "box of the grid: cube of 1 m, cube of 1.28 m, 102.4 x 102.4 x 8 m around a LiDAR, "
                          "cube of 1.28 m in a corner of the points' cube of 2 m, or the cube around the box "
                          "of a point file's points"),
           axis::of_words("order", {"natural", "azimuth", "shuffled", "morton", "linear"},
                          "of the points: as generated or scanned, azimuth-major, random, along a Morton "
                          "curve, by the index of their cells"),
           axis::of_words("cell_by", {"division", "reciprocal"},
                          "how a place becomes a cell: divided by the cell's edge, or multiplied by its "
                          "reciprocal, which moves points within rounding of a boundary"),
           axis::of_words("layout", {"x_fastest", "z_fastest"},
                          "of the grid: which neighbor of a cell is next to it in memory"),
           axis::of_words("region", {"clear_kernel", "kernel", "presorted_clear_kernel", "presorted_kernel"},
                          "what is timed: clear and count, or count alone; a variant's sort is timed with "
                          "it, or stands done ahead (presorted)")}}),
     .baseline = "global_atomic",
     .problem = problem_at,
     .buffers = buffers,
     .attach = attach,
     .prepare = prepare,
     .refuses = refuses,
     .before = ABLATE_LAUNCH(clear_grid),
     .ahead = ahead,
     .keeps_ahead = true,
     .variants = with_consequences({
         {"global_atomic",
          ABLATE_LAUNCH(global_atomic),
          {{"smem", "off"}},
          "N0: one thread a point, one reduction a point"},
         {"global_atomic_128_threads",
          ABLATE_LAUNCH(global_atomic),
          {{"smem", "off"}, {"threads", "128"}},
          "N0 with 128 threads a block"},
         {"global_atomic_512_threads",
          ABLATE_LAUNCH(global_atomic),
          {{"smem", "off"}, {"threads", "512"}},
          "N0 with 512 threads a block"},
         {"global_atomic_reciprocal",
          ABLATE_LAUNCH(global_atomic_reciprocal),
          {{"smem", "off"}, {"division", "reciprocal"}},
          "N0 by RCP: cells found by multiplication"},
         {"global_atomic_vec4",
          ABLATE_LAUNCH(global_atomic_vec4),
          {{"smem", "off"}, {"points_per_thread", "4"}, {"vector", "16B"}},
          "N1: four points a thread through three 16-byte loads"},
         {"global_atomic_soa",
          ABLATE_LAUNCH(global_atomic_soa),
          {{"smem", "off"}, {"points", "soa"}},
          "N2: N0 on points as structure of arrays"},
         {"global_atomic_four_points",
          ABLATE_LAUNCH(global_atomic_four_points),
          {{"smem", "off"}, {"points_per_thread", "4"}},
          "N0 with four points a thread, all found before the first is counted"},
         {"global_atomic_overlapped",
          ABLATE_LAUNCH(global_atomic_four_points),
          {{"smem", "off"}, {"points_per_thread", "4"}, {"launch", "overlapped"}},
          "the same, the points found while the grid is still being cleared",
          {.minimum_compute_capability = 90}},
         {"smem_point_cache",
          ABLATE_LAUNCH(smem_point_cache),
          {{"smem", "on"}, {"stage", "points"}},
          "A1: points through shared memory, as the study has it"},
         {"smem_point_cache_flat",
          ABLATE_LAUNCH(smem_point_cache_flat),
          {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}},
          "A2: points through shared memory by 16-byte loads"},
         {"smem_point_cache_async",
          ABLATE_LAUNCH(smem_point_cache_async),
          {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}, {"copy", "async"}},
          "A3: A2 in two stages by cp.async, blocks that walk the cloud"},
         {"smem_point_cache_bulk",
          ABLATE_LAUNCH(smem_point_cache_bulk),
          {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}, {"copy", "bulk"}},
          "A3: A2 in two stages by bulk copies, blocks that walk the cloud",
          {.minimum_compute_capability = 90}},
         {"smem_linear_scan",
          ABLATE_LAUNCH(smem_linear_scan),
          {{"smem", "on"}, {"stage", "voxels"}, {"search", "scan"}, {"entries", "4096"}},
          "B0: table scanned by each point and never filled, as the study has it"},
         {"smem_linear_claim",
          ABLATE_LAUNCH(smem_linear_claim),
          {{"smem", "on"}, {"stage", "voxels"}, {"search", "scan"}, {"claim", "on"}, {"entries", "4096"}},
          "B1: table scanned by each point, which claims the first empty entry"},
         {"smem_hashed", ABLATE_LAUNCH(smem_hashed), hashed("2048", "auto"),
          "E1: direct-mapped table; as many points a block as leave a block for every SM"},
         {"smem_hashed_128_threads", ABLATE_LAUNCH(smem_hashed),
          hashed("2048", "auto").with({{"threads", "128"}}), "E1 with 128 threads a block"},
         {"smem_hashed_512_threads", ABLATE_LAUNCH(smem_hashed),
          hashed("2048", "auto").with({{"threads", "512"}}), "E1 with 512 threads a block"},
         {"smem_hashed_256", ABLATE_LAUNCH(smem_hashed), hashed("2048", "256"), "E1 with 256 points a block"},
         {"smem_hashed_1024", ABLATE_LAUNCH(smem_hashed), hashed("2048", "1024"),
          "E1 with 1024 points a block"},
         {"smem_hashed_4096", ABLATE_LAUNCH(smem_hashed), hashed("2048", "4096"),
          "E1 with 4096 points a block"},
         {"smem_hashed_8192", ABLATE_LAUNCH(smem_hashed), hashed("2048", "8192"),
          "E1 with 8192 points a block"},
         {"smem_hashed_8192_e4096", ABLATE_LAUNCH(smem_hashed), hashed("4096", "8192"),
          "E1 with 8192 points a block and 4096 entries"},
         {"smem_hashed_f32",
          ABLATE_LAUNCH(smem_hashed),
          hashed("2048", "auto", "f32"),
          "E1f: E1 with fp32 counts in shared memory",
          {.only_where = only_mode("count_f32")}},
         {"smem_hashed_probing", ABLATE_LAUNCH(smem_hashed_probing),
          hashed("2048", "auto").with({{"probes", "4"}}), "E2: open addressing, four slots are tried"},
         {"smem_hashed_warp_match", ABLATE_LAUNCH(smem_hashed_warp_match),
          hashed("2048", "auto").with({{"merge", "warp"}}), "E6: E1 behind W1"},
         {"smem_bricks", ABLATE_LAUNCH(smem_bricks), bricks("16"),
          "E3: dense counters for 16 bricks of 8x8x8 cells; for points along a Morton curve"},
         {"smem_one_brick", ABLATE_LAUNCH(smem_bricks), bricks("1"), "E3 with one brick"},
         {"smem_bins", ABLATE_LAUNCH(smem_bins), dealt("128", "auto"),
          "points dealt into 128 bins of cells or more; then each bin is counted in shared memory and "
          "written whole, so nothing is cleared"},
         {"smem_bins_overlapped",
          ABLATE_LAUNCH(smem_bins),
          dealt("128", "auto").with({{"launch", "overlapped"}}),
          "the same, counting launched while points are still dealt",
          {.minimum_compute_capability = 90}},
         {"smem_bins_2048", ABLATE_LAUNCH(smem_bins), dealt("128", "2048"),
          "the same with 2048 points a block"},
         {"smem_bins_4096", ABLATE_LAUNCH(smem_bins), dealt("128", "4096"),
          "the same with 4096 points a block"},
         {"smem_bins_8192", ABLATE_LAUNCH(smem_bins), dealt("128", "8192"),
          "the same with 8192 points a block"},
         {"smem_256_bins", ABLATE_LAUNCH(smem_bins), dealt("256", "auto"), "the same with 256 bins or more"},
         {"smem_bitmap",
          ABLATE_LAUNCH(smem_bitmap),
          {{"smem", "on"}, {"stage", "bitmap"}, {"atomic", "off"}},
          "E5: one bit a cell, private to a block, in slabs where the grid is too large",
          {.only_where = only_mode("occupancy")}},
         {"smem_bitmap_cluster",
          ABLATE_LAUNCH(smem_bitmap_cluster),
          {{"smem", "on"}, {"stage", "bitmap"}, {"atomic", "off"}, {"cluster", "2"}},
          "E5: one bit a cell, shared by the two blocks of a cluster",
          {.only_where = only_mode("occupancy"), .minimum_compute_capability = 90}},
         {"warp_match",
          ABLATE_LAUNCH(warp_match),
          {{"smem", "off"}, {"merge", "warp"}},
          "W1: lanes of one cell found by match, one reduction for all of them"},
         {"warp_neighbors",
          ABLATE_LAUNCH(warp_neighbors),
          {{"smem", "off"}, {"merge", "neighbors"}},
          "W2: neighboring lanes of one cell merged, by shuffle and ballot"},
         {"warp_shuffles",
          ABLATE_LAUNCH(warp_shuffles),
          {{"smem", "off"}, {"merge", "warp"}, {"election", "shuffles"}},
          "W3: W1 with leaders elected one after the other, no match instruction"},
         {"packed_pair",
          ABLATE_LAUNCH(packed_pair),
          {{"smem", "off"}, {"word", "64"}},
          "P0: two counters a 64-bit word, one reduction a point",
          {.only_where = only_mode("count_i32")}},
         {"packed_pair_lanes",
          ABLATE_LAUNCH(packed_pair_lanes),
          {{"smem", "off"}, {"word", "64"}, {"merge", "lane_pairs"}},
          "P1: P0, lanes 2k and 2k+1 merged where both fall into one pair",
          {.only_where = only_mode("count_i32")}},
         {"packed_pair_match",
          ABLATE_LAUNCH(packed_pair_match),
          {{"smem", "off"}, {"word", "64"}, {"merge", "warp"}},
          "P2: P0, lanes of one pair found by match",
          {.only_where = only_mode("count_i32")}},
         {"vector_pair_match",
          ABLATE_LAUNCH(vector_pair_match),
          {{"smem", "off"}, {"word", "2x32"}, {"merge", "warp"}},
          "P3: lanes of one pair found by match, one reduction of two floats",
          {.only_where = only_mode("count_f32"), .minimum_compute_capability = 90}},
         {"plain_store",
          ABLATE_LAUNCH(plain_store),
          {{"smem", "off"}, {"atomic", "off"}},
          "N4: every point stores 1",
          {.only_where = only_mode("occupancy")}},
         {"test_then_store",
          ABLATE_LAUNCH(test_then_store),
          {{"smem", "off"}, {"atomic", "off"}, {"test", "first"}},
          "N5: every point that finds 0 stores 1",
          {.only_where = only_mode("occupancy")}},
         {"atomic_exchange",
          ABLATE_LAUNCH(atomic_exchange),
          {{"smem", "off"}, {"atomic", "exchange"}},
          "N6: every point exchanges its cell for 1",
          {.only_where = only_mode("occupancy")}},
         {"count_then_binarize",
          ABLATE_LAUNCH(count_then_binarize),
          {{"smem", "off"}, {"passes", "2"}},
          "N7: counts as N0, then a second kernel makes 1 of them; in region clear_kernel it is what the "
          "study's baseline times",
          {.only_where = only_mode("occupancy")}},
         {"sorted_atomic", ABLATE_LAUNCH(sorted_atomic), sorted_by("morton", "none"),
          "N0 on sorted keys of the cells"},
         {"sorted_segments", ABLATE_LAUNCH(sorted_segments), sorted_by("morton", "neighbors"),
          "E4: sorted keys, one reduction a run in a warp"},
         {"sorted_segments_linear", ABLATE_LAUNCH(sorted_segments), sorted_by("linear", "neighbors"),
          "E4 with the cells' indices as keys"},
         {"sorted_runs", ABLATE_LAUNCH(sorted_runs), sorted_by("morton", "runs"),
          "M3: sorted keys, run-length encoded, no atomics"},
         {"sorted_runs_linear", ABLATE_LAUNCH(sorted_runs), sorted_by("linear", "runs"),
          "M3 with the cells' indices as keys"},
         {"sorted_bricks", ABLATE_LAUNCH(sorted_bricks),
          sorted_by("morton", "bricks").with({{"smem", "on"}, {"points_per_block", "auto"}}),
          "E3 on sorted keys: bricks that a block has alone are written by plain stores"},
     })});

}  // namespace ablate::voxelize
