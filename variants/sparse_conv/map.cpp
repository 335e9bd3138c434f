#include "variants/sparse_conv/map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/inputs/clouds.h"
#include "harness/inputs/points/box.h"
#include "harness/inputs/random.h"
#include "harness/inputs/voxels/collector.h"
#include "oracles/kernel_map/reference.h"

namespace ablate::sparse_conv {
namespace {

constexpr float cell_m = 0.05f;  // of level 1

/// The lowest coordinates of the finite points.
std::array<float, 3> corner_of(const std::vector<float>& xyz) {
  std::array<float, 3> corner{};
  bool is_first = true;
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    if (!std::isfinite(xyz[i]) || !std::isfinite(xyz[i + 1]) || !std::isfinite(xyz[i + 2])) continue;
    for (std::size_t axis = 0; axis < 3; ++axis)
      corner[axis] = is_first ? xyz[i + axis] : std::min(corner[axis], xyz[i + axis]);
    is_first = false;
  }
  return corner;
}

/// The distinct cells of a cloud's points, counted from its corner as PTv3 does, in order of first
/// appearance; then of level after level.
std::vector<voxel> voxels_at(const map_request& request, const input_library& inputs) {
  const point_cloud cloud = inputs.cloud({.distribution = request.distribution,
                                          .order = "natural",
                                          .points = request.points,
                                          .domain = {{-128, -128, -128}, {256, 256, 256}}});
  const std::array<float, 3> corner = corner_of(cloud.xyz);
  voxel_collector cells(0);
  for (std::size_t i = 0; i + 2 < cloud.xyz.size(); i += 3) {
    std::int32_t cell[3];
    bool fits = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float place = std::floor((cloud.xyz[i + axis] - corner[axis]) / cell_m);
      fits = fits && place >= lowest_coordinate && place <= highest_coordinate;  // NaN never fits
      if (fits) cell[axis] = static_cast<std::int32_t>(place);
    }
    if (fits) cells.add({0, cell[0], cell[1], cell[2]});
  }
  std::vector<voxel> voxels = cells.take();
  for (int level = 1; level < request.level; ++level) {
    voxel_collector coarser(0);
    for (const voxel& v : voxels) coarser.add({v.batch, v.x >> 1, v.y >> 1, v.z >> 1});
    voxels = coarser.take();
  }
  return voxels;
}

void put_in_order(std::vector<voxel>& voxels, const std::string& order, std::uint64_t seed) {
  if (order == "morton") std::ranges::sort(voxels, {}, [](const voxel& v) { return morton_code(v); });
  if (order != "shuffled") return;
  random_stream random(seed, "order of rows");
  for (std::size_t i = voxels.size(); i > 1; --i)
    std::swap(voxels[i - 1], voxels[random.below(static_cast<std::uint32_t>(i))]);
}

int words_of(int kernel) { return (kernel * kernel * kernel + 31) / 32; }

/// Whether row a's mask comes after row b's: read from the highest word.
bool is_behind(std::span<const std::uint32_t> masks, std::int64_t rows, std::int32_t a, std::int32_t b) {
  for (std::int64_t word = static_cast<std::int64_t>(masks.size()) / rows - 1; word >= 0; --word) {
    const std::uint32_t of_a = masks[static_cast<std::size_t>(word * rows + a)],
                        of_b = masks[static_cast<std::size_t>(word * rows + b)];
    if (of_a != of_b) return of_a < of_b;
  }
  return false;
}

/// Offsets that any of the rows has.
int offsets_of(std::span<const std::uint32_t> masks, std::int64_t rows, std::span<const std::int32_t> tile) {
  int count = 0;
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(masks.size()); first += rows) {
    std::uint32_t together = 0;
    for (const std::int32_t row : tile) together |= masks[static_cast<std::size_t>(first + row)];
    count += std::popcount(together);
  }
  return count;
}

std::vector<std::int32_t> all_rows(std::int64_t rows) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

std::vector<std::int32_t> order_by_mask(std::span<const std::uint32_t> masks, std::int64_t rows) {
  std::vector<std::int32_t> sorted = all_rows(rows);
  std::ranges::stable_sort(sorted,
                           [&](std::int32_t a, std::int32_t b) { return is_behind(masks, rows, b, a); });
  struct tile {
    int offsets;
    std::size_t first;
  };
  std::vector<tile> tiles;
  for (std::size_t first = 0; first + list_tile <= sorted.size(); first += list_tile)
    tiles.push_back({offsets_of(masks, rows, std::span(sorted).subspan(first, list_tile)), first});
  std::ranges::stable_sort(tiles, std::greater(), &tile::offsets);
  std::vector<std::int32_t> order;
  const auto take = [&](std::size_t first, std::size_t end) {
    order.insert(order.end(), sorted.begin() + static_cast<std::ptrdiff_t>(first),
                 sorted.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (const tile& t : tiles) take(t.first, t.first + list_tile);
  take(tiles.size() * list_tile, sorted.size());
  return order;
}

std::int64_t offsets_of_tiles(std::span<const std::uint32_t> masks, std::int64_t rows,
                              std::span<const std::int32_t> order) {
  const std::vector<std::int32_t> standing = all_rows(order.empty() ? rows : 0);
  if (order.empty()) order = standing;
  std::int64_t count = 0;
  for (std::size_t first = 0; first < order.size(); first += list_tile)
    count +=
        offsets_of(masks, rows, order.subspan(first, std::min<std::size_t>(list_tile, order.size() - first)));
  return count;
}

cut_lists cut(std::span<const std::int32_t> ends, int most) {
  cut_lists lists;
  std::int32_t parts = 0;
  lists.part_ends.push_back(0);
  for (std::size_t q = 0; q + 1 < ends.size(); ++q) {
    const bool is_several = ends[q + 1] - ends[q] > most;
    for (std::int32_t first = ends[q]; first < ends[q + 1]; first += most)
      lists.pieces.push_back({static_cast<std::int32_t>(q), first, std::min(most, ends[q + 1] - first),
                              is_several ? parts++ : -1});
    lists.part_ends.push_back(parts);
  }
  return lists;
}

level_map map_of(std::vector<std::int32_t> coordinates, int kernel) {
  level_map made;
  made.coordinates = std::move(coordinates);
  const std::int64_t rows = made.rows();
  kernel_map::checked_problem p;
  p.rows = p.outs = rows;
  p.kernel = {kernel, kernel, kernel};
  p.coordinates = p.out_coordinates = made.coordinates.data();
  const auto offsets = static_cast<std::size_t>(p.offsets());
  std::vector<std::int64_t> ends(offsets + 1);
  std::vector<std::uint64_t> digest(offsets);
  p.ends = ends.data();
  p.digest = digest.data();
  kernel_map::reference(p);  // counts
  p.capacity = ends.back();
  std::vector<std::int32_t> in_rows(static_cast<std::size_t>(p.capacity)), out_rows(in_rows.size());
  p.in_rows = in_rows.data();
  p.out_rows = out_rows.data();
  kernel_map::reference(p);

  made.table.assign(offsets * static_cast<std::size_t>(rows), -1);
  made.masks.assign(static_cast<std::size_t>(words_of(kernel)) * static_cast<std::size_t>(rows), 0);
  for (std::size_t q = 0; q < offsets; ++q)
    for (std::int64_t i = ends[q]; i < ends[q + 1]; ++i) {
      const auto pair = static_cast<std::size_t>(i), row = static_cast<std::size_t>(out_rows[pair]);
      made.table[q * static_cast<std::size_t>(rows) + row] = in_rows[pair];
      made.masks[q / 32 * static_cast<std::size_t>(rows) + row] |= std::uint32_t{1} << q % 32;
    }
  // The lists again from the table: out rows ascending.
  made.ends.push_back(0);
  for (std::size_t q = 0; q < offsets; ++q) {
    for (std::int64_t row = 0; row < rows; ++row)
      if (const std::int32_t in =
              made.table[q * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)];
          in >= 0) {
        made.in_rows.push_back(in);
        made.out_rows.push_back(static_cast<std::int32_t>(row));
      }
    made.ends.push_back(static_cast<std::int32_t>(made.in_rows.size()));
  }
  made.order = order_by_mask(made.masks, rows);
  return made;
}

std::shared_ptr<const level_map> map_at(const map_request& request, const input_library& inputs) {
  // Sizes of buffers depend on the map, so it is asked for many times in a row; cases that follow each other
  // often share it.
  constexpr std::size_t kept_maps = 6;
  using map_key = std::tuple<std::uint64_t, std::string, std::string, std::int64_t, int, int>;
  static std::mutex mutex;
  static std::deque<std::pair<map_key, std::shared_ptr<const level_map>>> kept;
  const map_key key(inputs.seed(), request.distribution, request.order,
                    inputs.point_count(request.distribution, request.points), request.level, request.kernel);
  const std::scoped_lock lock(mutex);
  for (const auto& [of, map] : kept)
    if (of == key) return map;
  std::vector<voxel> voxels = voxels_at(request, inputs);
  put_in_order(voxels, request.order, inputs.seed());
  std::vector<std::int32_t> coordinates;
  for (const voxel& v : voxels) coordinates.insert(coordinates.end(), {v.batch, v.x, v.y, v.z});
  kept.emplace_front(key, std::make_shared<const level_map>(map_of(std::move(coordinates), request.kernel)));
  if (kept.size() > kept_maps) kept.pop_back();
  return kept.front().second;
}

}  // namespace ablate::sparse_conv
