#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ablate::window_attention {

/// [rows]: the code of each row's point on the Hilbert curve through cells of 5 cm from the lowest
/// coordinates, 16 bits an axis (docs/operations/serialize.md). `xyz` [rows][3], meters; what is not finite
/// or beyond the last cell goes into the first or last one.
std::vector<std::uint64_t> keys_along_curve(std::span<const float> xyz);

/// Rows in the order of their keys, equal ones in their own order: the arrays of problem::wide and ::narrow.
struct scattered_rows {
  std::vector<std::int64_t> row_of_token, token_of_row;
  std::vector<std::int32_t> narrow_row_of_token, narrow_token_of_row;

  explicit scattered_rows(const std::vector<std::uint64_t>& keys);
};

/// What windows of scattered rows are like, in space and in memory: gathers cost what the order of the rows
/// lets them.
struct window_locality {
  /// slice_locality (kernels/common/locality.h) of the windows, in meters; points without a place do not
  /// count. Nothing without windows.
  std::optional<double> rms_m;
  /// From the row of a token to that of the next one of its window: the mean distance in rows, and the share
  /// that is side by side. Nothing where windows have one token.
  std::optional<double> row_distance, row_neighbor_share;
};

/// Of windows of `window` tokens; `xyz` [rows][3], meters, by row.
window_locality locality_of(std::span<const float> xyz, std::span<const std::int64_t> row_of_token,
                            std::int64_t window);

}  // namespace ablate::window_attention
