#include "variants/clouds_in_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>

#include "harness/inputs/points/fitted_frame.h"
#include "variants/cloud_axes.h"

namespace ablate {
namespace {

std::string text_of(const std::array<double, 3>& place) {
  return fmt::format("({:.8g}, {:.8g}, {:.8g})", place[0], place[1], place[2]);
}

point_bounds bounds_of(std::span<const float> xyz) {
  point_bounds bounds;
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) bounds.add({xyz[i], xyz[i + 1], xyz[i + 2]});
  return bounds;
}

/// "points from (…) to (…)"
std::string extent_text(const point_bounds& bounds) {
  if (bounds.points() == 0) return "no finite point";
  return fmt::format("points from {} to {}", text_of(bounds.low()), text_of(bounds.high()));
}

/// What a user can do about a cloud that is elsewhere.
std::string remedy(const point_bounds& bounds, const axis_values& at) {
  if (bounds.points() == 0) return "check the file";
  if (!is_point_file(at)) return "choose the frame that the cloud is made for";
  if (at.word("frame") == "fitted") return "its rotated copies leave the grid: ask for batch=1";
  return "frame=fitted lays the grid around the points, whatever their unit; frame=vehicle needs meters "
         "around the sensor";
}

[[noreturn]] void refuse(const clouds_in_grid& clouds, std::size_t cloud, const axis_values& at,
                         const input_library& inputs) {
  const std::size_t numbers = clouds.of.xyz.size() / clouds.valid.size();
  const point_bounds bounds = bounds_of(std::span(clouds.of.xyz).subspan(cloud * numbers, numbers));
  std::array<double, 3> low, high;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = clouds.grid.origin[axis];
    high[axis] = low[axis] + clouds.grid.size[axis];
  }
  throw input_unfit(
      name_of_cloud(at, inputs),
      extent_text(bounds) + (clouds.valid.size() > 1 ? fmt::format(" in cloud {} of the batch", cloud) : ""),
      fmt::format("expected some in the grid from {} to {}, found none: {}", text_of(low), text_of(high),
                  remedy(bounds, at)));
}

}  // namespace

void add_facts_in_grid(const clouds_in_grid& clouds, const axis_values& at, const input_library& inputs,
                       nlohmann::ordered_json& facts) {
  // A cloud of no points was asked for as such.
  const auto empty = std::ranges::find(clouds.valid, 0);
  if (empty != clouds.valid.end() && !clouds.of.xyz.empty())
    refuse(clouds, static_cast<std::size_t>(empty - clouds.valid.begin()), at, inputs);
  const auto copies = static_cast<std::int64_t>(clouds.valid.size());
  facts["points"] = clouds.of.points();
  facts["valid"] = std::accumulate(clouds.valid.begin(), clouds.valid.end(), std::int64_t{0});
  facts["non_finite"] = clouds.of.non_finite * copies;
  add_facts_of(clouds.of, clouds.of.zero_returns * copies, facts);
}

}  // namespace ablate
