// voxelize: points to a count per cell of a grid. Axes, inputs, oracle check and work model; one line a
// variant.
#include "kernels/voxelize/voxelize.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "harness/inputs/turned_copies.h"
#include "harness/registry/define.h"

namespace ablate::voxelize {
namespace {

struct frame {
  std::array<float, 3> origin, size;
};

// `vehicle` is what a roof LiDAR sees; `robot` is a workspace whose cells are no power of two (0.02 m at
// 64³).
frame frame_of(const std::string& word) {
  if (word == "vehicle") return {{-51.2f, -51.2f, -4.0f}, {102.4f, 102.4f, 8.0f}};
  const float edge = word == "robot" ? 1.28f : 1.0f;
  return {{0, 0, 0}, {edge, edge, edge}};
}

counter mode_of(const std::string& word) {
  if (word == "count_f32") return counter::float32;
  return word == "occupancy" ? counter::occupancy : counter::int32;
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  p.batch = static_cast<int>(at.integer("batch"));
  p.points_per_cloud = inputs.point_count(at.word("distribution"), at.integer("points"));
  const frame f = frame_of(at.word("frame"));
  const int cells = static_cast<int>(at.integer("grid"));
  for (int axis = 0; axis < 3; ++axis) {
    p.origin[axis] = f.origin[axis];
    p.voxel[axis] = f.size[axis] / static_cast<float>(cells);
    p.cells[axis] = cells;
  }
  p.mode = mode_of(at.word("mode"));
  p.clears_grid = at.word("region") == "clear_kernel";
  return p;
}

std::size_t grid_bytes(const problem& p) { return sizeof(std::int32_t) * p.batch * p.cells_per_cloud(); }

std::vector<buffer> buffers(const problem& p) {
  return {
      {"points", 3 * sizeof(float) * p.batch * p.points_per_cloud, buffer_role::input},
      {"grid", grid_bytes(p), buffer_role::output,
       p.clears_grid ? buffer_reset::poison : buffer_reset::zeros},
      {"events", sizeof(unsigned long long) * event_count, buffer_role::instruments, buffer_reset::zeros}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.points = static_cast<const float*>(addresses[0]);
  p.grid = addresses[1];
  p.events = static_cast<unsigned long long*>(addresses[2]);
}

std::vector<float> batch_of(const point_cloud& cloud, int batch, const frame& f) {
  return turned_copies(cloud.xyz, batch, {f.origin[0] + f.size[0] / 2.0, f.origin[1] + f.size[1] / 2.0});
}

/// A cloud and what the oracle says of it.
struct known_answer {
  std::vector<float> points;
  std::vector<std::int32_t> grid;  ///< counters of either type, bit for bit
};

std::string describe(const problem& p, std::int64_t cell, std::int32_t expected, std::int32_t found) {
  const std::int64_t in_cloud = cell % p.cells_per_cloud();
  const auto text = [&](std::int32_t bits) {
    float as_float;
    std::memcpy(&as_float, &bits, sizeof bits);
    return p.mode == counter::float32 ? fmt::format("{}", as_float) : fmt::format("{}", bits);
  };
  return fmt::format("cloud {}, cell ({}, {}, {}): expected {}, found {}", cell / p.cells_per_cloud(),
                     in_cloud % p.cells[0], in_cloud / p.cells[0] % p.cells[1],
                     in_cloud / p.cells[0] / p.cells[1], text(expected), text(found));
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

// Compulsory: every point once (12 bytes), every counter once where the region clears, and one update of each
// occupied cell, however well the points are merged.
work_model work(const problem& p, std::int64_t occupied) {
  return {.bytes = 12.0 * p.batch * static_cast<double>(p.points_per_cloud) +
                   (p.clears_grid ? static_cast<double>(grid_bytes(p)) : 0.0),
          .flops = 6.0 * p.batch * static_cast<double>(p.points_per_cloud),
          .atomics = static_cast<double>(occupied)};
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
  const frame f = frame_of(at.word("frame"));
  const point_cloud cloud = inputs.cloud({.distribution = at.word("distribution"),
                                          .order = at.word("order"),
                                          .points = at.integer("points"),
                                          .domain = {f.origin, f.size}});
  auto answer = std::make_shared<known_answer>();
  answer->points = batch_of(cloud, p.batch, f);
  answer->grid.resize(p.batch * p.cells_per_cloud());
  reference(p, answer->points.data(), answer->grid.data());
  std::int64_t occupied = 0;
  for (std::int32_t bits : answer->grid) occupied += bits != 0;
  std::int64_t valid_points = 0;
  for (std::size_t i = 0; i < answer->points.size(); i += 3)
    valid_points += cell_of(p, &answer->points[i]) >= 0;

  workload w;
  w.contents = {std::as_bytes(std::span(answer->points)), {}, {}};
  w.check = [p, answer](std::span<const std::byte* const> outputs) { return check(p, *answer, outputs[1]); };
  w.reference = [p, answer](std::span<void* const> host) { reference(p, answer->points.data(), host[1]); };
  w.work = work(p, occupied);
  w.input = {{"hash", hash_hex(answer->points.data(), sizeof(float) * answer->points.size())},
             {"points", answer->points.size() / 3},
             {"valid", valid_points},
             {"non_finite", cloud.non_finite * p.batch},
             {"occupied", occupied}};
  w.read_instruments = read_instruments;
  w.storage = answer;
  return w;
}

std::optional<std::string> refuses(const axis_values& at) {
  const std::string& distribution = at.word("distribution");
  const bool shape = distribution == "uniform" || distribution == "surface" || distribution == "clustered";
  if (!shape && at.word("frame") != "vehicle")
    return "scans are in meters around the sensor: they need frame=vehicle";
  if (at.word("order") == "azimuth" && distribution != "lidar")
    return "order=azimuth is for distribution=lidar only";
  if (shape && at.integer("points") == 0) return "points=0 (all of them) is for point files only";
  return std::nullopt;
}

switches hashed(const char* entries, const char* points_per_block, const char* count = "i32") {
  return {{"smem", "on"},
          {"stage", "voxels"},
          {"search", "hash"},
          {"entries", entries},
          {"points_per_block", points_per_block},
          {"count", count}};
}

axis_conditions only_mode(const char* mode) { return {{"mode", {mode}}}; }

}  // namespace

// clang-format off
const bool defined = define<problem>({
    .name = "voxelize",
    .description = "count the points of each cloud in each cell of a grid",
    .axes = {axis::of_words("mode", {"count_i32", "count_f32", "occupancy"},
                            "what a cell holds: the number of its points as int32 or float32, or 1 where it has any"),
             axis::of_integers("points", 0, 1 << 24, 131072, "points of a cloud; 0 = all of a point file"),
             axis::of_integers("batch", 1, 65535, 1, "clouds, each with a grid of its own"),
             axis::of_integers("grid", 1, 1290, 128, "cells along each edge of the grid"),
             {.name = "distribution",
              .description = "where the points lie; or the name of a point file",
              .default_value = "uniform",
              .words = {"uniform", "surface", "lidar", "clustered"},
              .takes_point_files = true},
             axis::of_words("frame", {"unit", "robot", "vehicle"},
                            "box of the grid: cube of 1 m, cube of 1.28 m, 102.4 x 102.4 x 8 m around a LiDAR"),
             axis::of_words("order", {"natural", "azimuth", "shuffled", "morton"},
                            "of the points: as generated or scanned, azimuth-major, random, along a Morton curve"),
             axis::of_words("region", {"clear_kernel", "kernel"}, "what is timed: clear and count, or count alone")},
    .baseline = "global_atomic",
    .problem = problem_at,
    .buffers = buffers,
    .attach = attach,
    .prepare = prepare,
    .refuses = refuses,
    .before = ABLATE_LAUNCH(clear_grid),
    .variants = {
        {"global_atomic", ABLATE_LAUNCH(global_atomic), {{"smem", "off"}}, "N0: one thread a point, one reduction a point"},
        {"global_atomic_vec4", ABLATE_LAUNCH(global_atomic_vec4), {{"smem", "off"}, {"vector", "16B"}}, "N1: four points a thread through three 16-byte loads"},
        {"smem_point_cache", ABLATE_LAUNCH(smem_point_cache), {{"smem", "on"}, {"stage", "points"}}, "A1: points through shared memory, as the study has it"},
        {"smem_point_cache_flat", ABLATE_LAUNCH(smem_point_cache_flat), {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}}, "A2: points through shared memory by 16-byte loads"},
        {"smem_linear_scan", ABLATE_LAUNCH(smem_linear_scan), {{"smem", "on"}, {"stage", "voxels"}, {"search", "scan"}, {"entries", "4096"}}, "B0: table scanned by each point and never filled, as the study has it"},
        {"smem_linear_claim", ABLATE_LAUNCH(smem_linear_claim), {{"smem", "on"}, {"stage", "voxels"}, {"search", "scan"}, {"claim", "on"}, {"entries", "4096"}}, "B1: table scanned by each point, which claims the first empty entry"},
        {"smem_hashed", ABLATE_LAUNCH(smem_hashed), hashed("2048", "auto"), "E1: direct-mapped table; as many points a block as leave a block for every SM"},
        {"smem_hashed_256", ABLATE_LAUNCH(smem_hashed), hashed("2048", "256"), "E1 with 256 points a block"},
        {"smem_hashed_1024", ABLATE_LAUNCH(smem_hashed), hashed("2048", "1024"), "E1 with 1024 points a block"},
        {"smem_hashed_4096", ABLATE_LAUNCH(smem_hashed), hashed("2048", "4096"), "E1 with 4096 points a block"},
        {"smem_hashed_8192", ABLATE_LAUNCH(smem_hashed), hashed("2048", "8192"), "E1 with 8192 points a block"},
        {"smem_hashed_8192_e4096", ABLATE_LAUNCH(smem_hashed), hashed("4096", "8192"), "E1 with 8192 points a block and 4096 entries"},
        {"smem_hashed_f32", ABLATE_LAUNCH(smem_hashed), hashed("2048", "auto", "f32"), "E1f: E1 with fp32 counts in shared memory", only_mode("count_f32")},
        {"warp_match", ABLATE_LAUNCH(warp_match), {{"smem", "off"}, {"merge", "warp"}}, "W1: lanes of one cell found by match, one reduction for all of them"},
        {"packed_pair", ABLATE_LAUNCH(packed_pair), {{"smem", "off"}, {"word", "64"}}, "P0: two counters a 64-bit word, one reduction a point", only_mode("count_i32")},
        {"plain_store", ABLATE_LAUNCH(plain_store), {{"smem", "off"}, {"atomic", "off"}}, "N4: every point stores 1", only_mode("occupancy")},
    }});
// clang-format on

}  // namespace ablate::voxelize
