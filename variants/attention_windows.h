#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "harness/registry/operation.h"
#include "kernels/window_attention/scattered_rows.h"
#include "kernels/window_attention/window_attention.h"
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

/// Buffers for the index of scattered rows, else empty: problem::wide, then ::narrow.
constexpr std::size_t buffers_of_index = 4;
inline std::array<buffer, buffers_of_index> index_buffers(const problem& p) {
  const std::size_t rows = p.rows == row_order::scattered ? static_cast<std::size_t>(p.tokens) : 0;
  const auto input = buffer_role::input;
  return {{{"row_of_token", 8 * rows, input},
           {"token_of_row", 8 * rows, input},
           {"narrow_row_of_token", 4 * rows, input},
           {"narrow_token_of_row", 4 * rows, input}}};
}
/// Their initial contents; views of `rows`.
inline std::array<std::span<const std::byte>, buffers_of_index> index_contents(const scattered_rows& rows) {
  return {std::as_bytes(std::span(rows.row_of_token)), std::as_bytes(std::span(rows.token_of_row)),
          std::as_bytes(std::span(rows.narrow_row_of_token)),
          std::as_bytes(std::span(rows.narrow_token_of_row))};
}
/// Puts their addresses into a problem with scattered rows; others have no index.
inline void attach_index(problem& p, std::span<void* const> addresses) {
  if (p.rows != row_order::scattered) return;
  p.wide = {static_cast<const std::int64_t*>(addresses[0]), static_cast<const std::int64_t*>(addresses[1])};
  p.narrow = {static_cast<const std::int32_t*>(addresses[2]), static_cast<const std::int32_t*>(addresses[3])};
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
