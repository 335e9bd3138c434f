#include "variants/voxelize/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/text/or_null.h"
#include "kernels/voxelize/sort_scratch.h"
#include "oracles/voxelize/reference.h"
#include "variants/point_scenes.h"
#include "variants/voxelize/buffers.h"

namespace ablate::voxelize {
namespace {

/// Each cloud's points in the memory order of their cells; points outside come last.
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

/// A cloud and the oracle's answer for it.
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

check_result check(const problem& seen, const known_answer& answer) {
  const auto* const output = static_cast<const std::byte*>(seen.grid);
  if (std::memcmp(answer.grid.data(), output, grid_bytes(seen)) == 0) return {.ok = true};
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
                      describe(seen, first, answer.grid[first], found_first)),
          static_cast<double>(differing)};
}

/// Where the points fall: occupied cells, and 32-byte sectors of the grid that contain at least one.
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

// Compulsory: every point once (12 bytes, or its key if those are already sorted), every counter once if the
// region clears, and one update of each occupied cell, however well the points are merged: a reduction,
// unless plain stores suffice. Sectors are updated at most at the rate of distinct ones, cells at most at
// that of full sectors.
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

/// Points that the reciprocal counts in a different cell than the division.
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
  const auto per = reports::quotient_or_null;
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

}  // namespace

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto answer = std::make_shared<known_answer>();
  point_cloud clouds = clouds_at(at, inputs);
  if (at.word("order") == "linear") sort_by_cell(p, clouds.xyz);
  std::vector<std::int64_t> cells;
  for (std::size_t i = 0; i < clouds.xyz.size(); i += 3) cells.push_back(cell_of(p, &clouds.xyz[i]));
  nlohmann::ordered_json facts = {{"hash", hash_hex(clouds.xyz.data(), sizeof(float) * clouds.xyz.size())}};
  add_facts_in_grid({clouds, valid_of(p, cells), frame_at(at, inputs).grid}, at, inputs, facts);
  answer->points = std::move(clouds.xyz);
  answer->soa = soa_of(p, answer->points);
  answer->grid.resize(p.all_cells());
  reference(p, answer->points.data(), answer->grid.data());
  const occupied_places occupied = occupied_of(answer->grid);

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"points", std::as_bytes(std::span(answer->points))},
                            {"points_soa", std::as_bytes(std::span(answer->soa))}});
  w.check = [p, answer](std::span<const std::byte* const> outputs) {
    return check(attached(p, buffers, outputs), *answer);
  };
  w.reference = [p, answer](std::span<void* const> host) {
    reference(p, answer->points.data(), attached(p, buffers, host).grid);
  };
  w.work = work(p, occupied);
  w.input = std::move(facts);
  w.input["occupied"] = occupied.cells;
  if (p.by_reciprocal) w.input["moved_by_reciprocal"] = moved_by_reciprocal(p, answer->points);
  w.read_instruments = read_instruments;
  w.storage = answer;
  return w;
}

}  // namespace ablate::voxelize
