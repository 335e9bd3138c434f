#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/inputs/input_errors.h"
#include "harness/inputs/points/turned_copies.h"
#include "harness/registry/operation.h"
#include "variants/cloud_axes.h"

/// Shared by the operations on batches of clouds: the axes `points`, `batch`, `sizes`, `distribution`,
/// `order` and, where there is one, a grid.
namespace ablate {

inline axis instance_sizes_axis() {
  return axis::of_words("sizes", {"equal", "ragged"},
                        "of the instances: all whole; or none, half and all of the points by turns");
}

/// Points in each instance of a batch whose cloud has `points` points.
inline std::vector<std::int64_t> instance_sizes(std::int64_t points, const axis_values& at) {
  std::vector<std::int64_t> sizes;
  for (long k = 0; k < at.integer("batch"); ++k)
    sizes.push_back(at.word("sizes") == "ragged" ? points * (k % 3) / 2 : points);
  return sizes;
}

/// Why a batch of clouds with this many points has too many of them, if it has.
inline std::optional<std::string> refuses_batch(std::int64_t points, std::int64_t most,
                                                const axis_values& at) {
  std::int64_t together = 0;
  for (const std::int64_t size : instance_sizes(points, at)) together += size;
  if (together <= most) return std::nullopt;
  return fmt::format("{} points together: at most {}", together, most);
}

/// A 100 m cube around the sensor, or a 10 m room. For scans, which have a size of their own, it only orders
/// the points.
inline box batch_domain(const std::string& distribution) {
  if (distribution == "surface") return {{-5, -5, -5}, {10, 10, 10}};
  if (distribution == "uniform" || distribution == "clustered") return {{-50, -50, -50}, {100, 100, 100}};
  return {{-128, -128, -128}, {256, 256, 256}};
}

/// The clouds of a batch.
struct cloud_batch {
  std::vector<float> xyz;           ///< [points][3], instance after instance
  std::vector<std::uint32_t> ends;  ///< of each instance, cumulative
  nlohmann::ordered_json facts;     ///< of the cloud (add_facts_of)

  std::span<const float> instance(std::size_t k) const {
    const std::size_t begin = k == 0 ? 0 : ends[k - 1];
    return std::span(xyz).subspan(3 * begin, 3 * (ends[k] - begin));
  }
};

/// The first points of each rotated copy of the cloud, which is in `order`. A file's coordinates that are
/// far from 0 are counted from the middle of its box (cloud_origin::near_points): fp16, and fp32 too, would
/// otherwise merge points.
inline cloud_batch batch_of(const axis_values& at, const std::string& order, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const point_cloud cloud = inputs.cloud({.distribution = distribution,
                                          .order = order,
                                          .points = at.integer("points"),
                                          .domain = batch_domain(distribution),
                                          .origin = cloud_origin::near_points});
  const std::vector<std::int64_t> sizes = instance_sizes(cloud.points(), at);
  const std::vector<float> copies = turned_copies(cloud.xyz, static_cast<int>(sizes.size()), {0, 0});
  std::array<float, 3> zero_return;
  for (std::size_t axis = 0; axis < 3; ++axis) zero_return[axis] = static_cast<float>(-cloud.offset[axis]);
  const auto zero_returns_of = [&](std::int64_t first_points) {
    std::int64_t found = 0;
    for (std::int64_t i = 0; cloud.zero_returns > 0 && i < first_points; ++i)
      found += std::equal(zero_return.begin(), zero_return.end(), cloud.xyz.begin() + 3 * i);
    return found;
  };
  cloud_batch batch;
  std::int64_t zero_returns = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    zero_returns += zero_returns_of(sizes[k]);
    const auto first = copies.begin() + static_cast<std::ptrdiff_t>(k * cloud.xyz.size());
    batch.xyz.insert(batch.xyz.end(), first, first + 3 * sizes[k]);
    batch.ends.push_back(static_cast<std::uint32_t>(batch.xyz.size() / 3));
  }
  batch.facts = nlohmann::ordered_json::object();
  add_facts_of(cloud, zero_returns, batch.facts);
  return batch;
}

/// Throws input_unfit about one of the coordinates at these axes.
[[noreturn]] inline void refuse_coordinate(const axis_values& at, std::size_t i, const std::string& expected,
                                           float found) {
  throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")), fmt::format("point {}", i / 3),
                    fmt::format("expected {}, found {}", expected, found));
}

/// The least coordinate on each axis. Throws input_unfit where one is not finite.
inline std::array<float, 3> least_of(std::span<const float> points, const axis_values& at) {
  std::array<float, 3> least;
  least.fill(std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i])) refuse_coordinate(at, i, "finite coordinates", points[i]);
    least[i % 3] = std::min(least[i % 3], points[i]);
  }
  return least;
}

/// trunc((c − least) / cell) in fp32, as PTv3 has it, of all coordinates. Throws input_unfit where that makes
/// `max_cells` cells along an axis or more.
inline std::vector<std::int32_t> grid_cells(std::span<const float> points, const std::array<float, 3>& least,
                                            float cell_m, std::int32_t max_cells, const axis_values& at) {
  std::vector<std::int32_t> grid(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float cell = (points[i] - least[i % 3]) / cell_m;
    if (!(cell < static_cast<float>(max_cells)))
      refuse_coordinate(at, i, fmt::format("a grid of less than {} cells along an axis", max_cells), cell);
    grid[i] = static_cast<std::int32_t>(cell);
  }
  return grid;
}

}  // namespace ablate
