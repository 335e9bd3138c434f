#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ablate::window_attention {

/// [rows]: the code of each row's point on the Hilbert curve through cells of 5 cm from the lowest
/// coordinates, 16 bits an axis (specification: flash3d §3.1). `xyz` [rows][3], meters; what is not finite or
/// beyond the last cell goes into the first or last one.
constexpr int key_bits = 48;
std::vector<std::uint64_t> keys_along_curve(std::span<const float> xyz);

/// Rows in the order of their keys, equal ones in their own order: the arrays of problem::wide and ::narrow.
struct scattered_rows {
  std::vector<std::int64_t> row_of_token, token_of_row;
  std::vector<std::int32_t> narrow_row_of_token, narrow_token_of_row;

  explicit scattered_rows(const std::vector<std::uint64_t>& keys);
};

}  // namespace ablate::window_attention
