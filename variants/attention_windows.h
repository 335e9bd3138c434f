#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/inputs/clouds.h"
#include "harness/registry/axis.h"
#include "harness/registry/bound_buffers.h"
#include "kernels/window_attention/window_attention.h"
#include "oracles/window_attention/scattered_rows.h"
#include "variants/attention_inputs.h"
#include "variants/row_errors.h"

namespace ablate::window_attention {

/// Axes shared by the operations on attention inside windows: these, then `scores`.
inline std::vector<axis> window_axes_and(std::vector<axis> more) {
  std::vector<axis> all = {
      axis::of_integers("tokens", 128, 1 << 24, 131072, "tokens of a batch, whole windows"),
      axis::of_integers("window", 128, 1 << 16, 4096, "tokens that attend to each other"),
      axis::of_integers("bucket", 128, 1 << 16, 512,
                        "neighboring rows that stay together, a multiple of 128"),
      axis::of_integers("heads", 1, 64, 8, "heads"),
      axis::of_words("width", {"64", "16", "32", "128"}, "elements of a head"),
      axis::of_integers("batches", 1, 64, 1, "instances with the same windows"),
      axis::of_words("order", {"scanned", "shuffled"},
                     "of the buckets of all windows: as the offset and stride say, or random"),
      axis::of_integers("offset", 0, 1 << 16, 0, "buckets by which the windows are shifted"),
      axis::of_integers("stride", 1, 6, 1, "windows whose buckets lie interleaved"),
      axis::of_words("rows", {"buckets", "contiguous", "random", "scan", "z"},
                     "where a window's tokens stand: whole buckets, found through a table; windows one after "
                     "the other; or any rows, windows following a Hilbert curve through a LiDAR scan's "
                     "points, rows at random, as scanned or along a z-curve")};
  for (axis& one : more) all.push_back(std::move(one));
  return all;
}

/// The points of scattered rows: a LiDAR scan.
inline point_cloud cloud_of_rows(const axis_values& at, const input_library& inputs) {
  const std::string& rows = at.word("rows");
  return inputs.cloud({.distribution = "lidar",
                       .order = rows == "random" ? "shuffled"
                                : rows == "z"    ? "morton"
                                                 : "natural",
                       .points = at.integer("tokens"),
                       .domain = {{-128, -128, -128}, {256, 256, 256}}});
}

/// Adds to a case's quality figures what gathering scattered rows depends on: null where nothing is known
/// about the windows' points. A property of the inputs, the same for every variant.
inline void add_locality(nlohmann::ordered_json& quality, const window_locality& found) {
  const auto number = [](const std::optional<double>& figure) {
    return figure ? nlohmann::ordered_json(*figure) : nlohmann::ordered_json(nullptr);
  };
  quality["locality_rms_m"] = number(found.rms_m);
  quality["row_distance"] = number(found.row_distance);
  quality["row_neighbor_share"] = number(found.row_neighbor_share);
}

/// Buffers for the index of scattered rows; of other rows they are empty, and the problem has no index.
inline std::array<bound_buffer, 4> index_buffers(problem& p) {
  if (p.rows != row_order::scattered)
    return {unbound("row_of_token", 0), unbound("token_of_row", 0), unbound("narrow_row_of_token", 0),
            unbound("narrow_token_of_row", 0)};
  const auto rows = static_cast<std::size_t>(p.tokens);
  const auto input = buffer_role::input;
  return {bind("row_of_token", p.wide.row_of_token, 8 * rows, input),
          bind("token_of_row", p.wide.token_of_row, 8 * rows, input),
          bind("narrow_row_of_token", p.narrow.row_of_token, 4 * rows, input),
          bind("narrow_token_of_row", p.narrow.token_of_row, 4 * rows, input)};
}

/// Why these axis values do not form a case.
inline std::optional<std::string> refuses(const axis_values& at) {
  if (rows_of(at) != row_order::buckets &&
      (at.word("order") != "scanned" || at.integer("offset") != 0 || at.integer("stride") != 1))
    return fmt::format("rows={}: windows follow each other; order, offset and stride are of buckets",
                       at.word("rows"));
  const long tokens = at.integer("tokens"), window = at.integer("window"), bucket = at.integer("bucket");
  if (bucket % 128 != 0) return fmt::format("bucket={}: expected a multiple of 128", bucket);
  if (window % bucket != 0) return fmt::format("window={} is not a multiple of bucket={}", window, bucket);
  if (tokens % (window * at.integer("stride")) != 0)
    return fmt::format("tokens={} are not whole windows of {}, {} of them interleaved", tokens, window,
                       at.integer("stride"));
  if (at.integer("batches") * tokens * at.integer("heads") * at.integer("width") > long{1} << 31)
    return "more than 2^31 elements";
  if (const planted_word* const word = planted_at(at);
      word && word->what == planted::overflow && window < overflowing_tile)
    return fmt::format("scores={}: in windows of {} the first keys are all there are", word->word, window);
  return std::nullopt;
}

}  // namespace ablate::window_attention
