#include "oracles/psh_bucket/properties/rows.h"

#include <cstring>

#include "kernels/common/poison.h"

namespace ablate::psh_bucket {
namespace {

std::string halves(const std::uint16_t* of) {
  return fmt::format("({:#06x}, {:#06x}, {:#06x})", of[0], of[1], of[2]);
}

/// The row in which point i of the instance must be.
std::int64_t row_of(const problem& p, const instance& of, std::int64_t i) {
  const int b = p.bucket_id[i];
  if (p.layout == layout::strided)
    return (static_cast<std::int64_t>(of.number) * p.buckets + b) * p.capacity + p.bucket_off[i];
  return of.begin + (of.cumulative[b] - of.count[b]) + p.bucket_off[i];
}

std::string at_row(std::int64_t row, const std::string& holds) {
  return fmt::format("P5: row {} ({}): ", row, holds);
}

/// What a row holds beside its source: a point's coordinates and features.
violation row_of_point_violated(const problem& p, std::int64_t row, std::int64_t point) {
  const auto at = [&] { return at_row(row, fmt::format("point {}", point)); };
  const std::uint16_t *expected = p.coordinates + 3 * point, *found = p.scattered + 3 * row;
  if (std::memcmp(expected, found, 6) != 0)
    return at() + fmt::format("scattered: expected {}, found {}", halves(expected), halves(found));
  for (int c = 0; c < p.channels; ++c) {
    const std::uint16_t value = p.features[point * p.channels + c];
    const std::uint16_t moved = p.scattered_features[row * p.channels + c];
    if (moved != value)
      return at() +
             fmt::format("scattered_features, channel {}: expected {:#06x}, found {:#06x}", c, value, moved);
  }
  return std::nullopt;
}

violation padding_violated(const problem& p, std::int64_t row) {
  static constexpr std::uint16_t padding[3] = {padding_half, padding_half, padding_half};
  const std::uint16_t* found = p.scattered + 3 * row;
  if (std::memcmp(padding, found, 6) != 0)
    return at_row(row, "padding") +
           fmt::format("scattered: expected {}, found {}", halves(padding), halves(found));
  for (int c = 0; c < p.channels; ++c)
    if (const std::uint16_t moved = p.scattered_features[row * p.channels + c]; moved != 0)
      return at_row(row, "padding") +
             fmt::format("scattered_features, channel {}: expected 0, found {:#06x}", c, moved);
  if (p.source[row] == poison_word)
    return at_row(row, "padding") + fmt::format("source: expected {} or more, found it unwritten", p.points);
  return std::nullopt;
}

}  // namespace

violation rows_violated(const problem& p) {
  std::int64_t padding_rows = 0;
  for (std::int64_t row = 0; row < p.rows(); ++row) {
    if (p.source[row] < p.points) continue;
    ++padding_rows;
    if (const violation v = padding_violated(p, row)) return v;
  }
  for (int k = 0; k < p.instances; ++k) {
    const instance of = instance_at(p, k);
    for (std::int64_t i = of.begin; i < of.end; ++i) {
      const std::int64_t row = row_of(p, of, i);
      if (p.source[row] != i)
        return fmt::format("P5: row {}: source: expected point {} of instance {}, found {}", row, i, k,
                           p.source[row]);
      if (const violation v = row_of_point_violated(p, row, i)) return v;
    }
  }
  if (padding_rows != p.rows() - p.points)
    return fmt::format("P5: expected {} rows of padding, found {}", p.rows() - p.points, padding_rows);
  return std::nullopt;
}

}  // namespace ablate::psh_bucket
