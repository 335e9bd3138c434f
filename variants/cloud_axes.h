#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/inputs/clouds.h"
#include "harness/registry/axis.h"

/// Shared by the operations on clouds: axes that select a cloud, generated or from a point file.
namespace ablate {

/// The generated clouds.
inline const std::vector<std::string>& cloud_words() {
  static const std::vector<std::string> words = {"uniform", "surface", "lidar", "clustered"};
  return words;
}

/// E.g. "points of a cloud". 0, or `all` in a suite, means all points of a point file.
inline axis points_axis(long most, long default_value, const std::string& of_what) {
  return axis::of_integers("points", 0, most, default_value, of_what + "; all (or 0) of a point file")
      .with_all(0);
}

inline axis distribution_axis(const std::string& default_value) {
  return {.name = "distribution",
          .description = "where the points lie; or the name of a point file",
          .default_value = default_value,
          .words = cloud_words(),
          .takes_point_files = true};
}

inline bool is_point_file(const axis_values& at) {
  const auto& words = cloud_words();
  return std::find(words.begin(), words.end(), at.word("distribution")) == words.end();
}

/// The path of a point file, or the generator, for messages.
inline std::string name_of_cloud(const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const auto file = inputs.point_files().find(distribution);
  return file != inputs.point_files().end() ? file->second.path
                                            : fmt::format("distribution '{}'", distribution);
}

/// Adds what is known of a file's cloud, where there is something to say: the zero returns of all copies of
/// it, and the offset that was subtracted from its coordinates.
inline void add_facts_of(const point_cloud& cloud, std::int64_t zero_returns, nlohmann::ordered_json& facts) {
  if (zero_returns > 0) facts["zero_returns"] = zero_returns;
  if (cloud.offset != std::array<double, 3>{})
    for (std::size_t axis = 0; axis < 3; ++axis)
      facts[std::array{"offset_x", "offset_y", "offset_z"}[axis]] = cloud.offset[axis];
}

/// Why this number of points is impossible, if it is.
inline std::optional<std::string> refuses_all_points(const axis_values& at) {
  if (is_point_file(at) || at.integer("points") != 0) return std::nullopt;
  return "points=all (0) is for point files only: a generated cloud has as many as are asked for";
}

}  // namespace ablate
