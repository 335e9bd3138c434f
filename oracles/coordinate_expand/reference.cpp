// The oracle: sums axis by axis, as sorted sets. A box of offsets is the Minkowski sum of its three edges, so
// adding the offsets along z, then those along y, then those along x gives the set of all sums; and a sorted
// set stays sorted when all of it moves along one axis.
#include "oracles/coordinate_expand/reference.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "oracles/hash_table/key.h"

namespace ablate::coordinate_expand {
namespace {

constexpr std::int64_t cells = 262144, lowest = -cells / 2;  // per axis
using place = std::uint64_t;  ///< batch, x, y, z, relative to the lowest corner, as one number
using set = std::vector<place>;

constexpr place step_of_axis[] = {place{cells} * cells, cells, 1};

place place_of(const std::int32_t* row) {
  place at = static_cast<place>(row[0]);
  for (int axis = 1; axis <= 3; ++axis) at = at * cells + static_cast<place>(row[axis] - lowest);
  return at;
}

std::array<std::int32_t, 4> row_of(place at) {
  std::array<std::int32_t, 4> row;
  for (int axis = 3; axis >= 1; --axis, at /= cells)
    row[axis] = static_cast<std::int32_t>(static_cast<std::int64_t>(at % cells) + lowest);
  row[0] = static_cast<std::int32_t>(at);
  return row;
}

int lowest_offset(int kernel) { return kernel % 2 == 1 ? -(kernel - 1) / 2 : 0; }

/// All places moved along one axis: those beyond the range are dropped, or wrap around.
set moved(const set& places, int axis, int by, bool guards) {
  set all;
  all.reserve(places.size());
  for (const place at : places) {
    const std::int64_t before = static_cast<std::int64_t>(at / step_of_axis[axis] % cells);
    const std::int64_t after = before + by, wrapped = (after + cells) % cells;
    if (guards && after != wrapped) continue;
    all.push_back(at + static_cast<place>(wrapped - before) * step_of_axis[axis]);
  }
  if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
  return all;
}

set sums(const std::int32_t* base, std::int64_t rows, const std::array<int, 3>& kernel, bool guards) {
  set all(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) all[static_cast<std::size_t>(i)] = place_of(base + 4 * i);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (int axis = 2; axis >= 0; --axis) {
    const set before = std::move(all);
    all.clear();
    for (int i = 0; i < kernel[axis]; ++i) {
      const set next = moved(before, axis, lowest_offset(kernel[axis]) + i, guards);
      set both;
      both.reserve(all.size() + next.size());
      std::set_union(all.begin(), all.end(), next.begin(), next.end(), std::back_inserter(both));
      all = std::move(both);
    }
  }
  return all;
}

/// The places in range that sums out of range wrap to, except base rows.
set places_of_sums_out_of_range(const std::int32_t* base, std::int64_t rows,
                                const std::array<int, 3>& kernel) {
  set at_base, out_of_range, none_of_base;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int32_t* const row = base + 4 * i;
    at_base.push_back(place_of(row));
    const int reach = std::max({kernel[0], kernel[1], kernel[2]});
    const bool is_far_inside = std::all_of(
        row + 1, row + 4, [&](std::int32_t c) { return c - reach >= lowest && c + reach < lowest + cells; });
    for (int q = 0; !is_far_inside && q < kernel[0] * kernel[1] * kernel[2]; ++q) {
      const std::array<int, 3> offset = offset_of(kernel, q);
      const std::int32_t sum[] = {row[0], row[1] + offset[0], row[2] + offset[1], row[3] + offset[2]};
      if (!hash_table::in_range(sum))
        out_of_range.push_back(place_of(hash_table::unpacked_key(hash_table::packed_key(sum)).data()));
    }
  }
  std::sort(at_base.begin(), at_base.end());
  std::sort(out_of_range.begin(), out_of_range.end());
  out_of_range.erase(std::unique(out_of_range.begin(), out_of_range.end()), out_of_range.end());
  std::set_difference(out_of_range.begin(), out_of_range.end(), at_base.begin(), at_base.end(),
                      std::back_inserter(none_of_base));
  return none_of_base;
}

}  // namespace

expanded_set expand(const std::int32_t* base, std::int64_t rows, const std::array<int, 3>& kernel,
                    bool guards) {
  const set all = sums(base, rows, kernel, guards);
  expanded_set result;
  result.rows = static_cast<std::int64_t>(all.size());
  for (const place at : all) result.sum_of_keys += mixed(hash_table::packed_key(row_of(at).data()));
  if (guards) return result;
  const set out_of_range = places_of_sums_out_of_range(base, rows, kernel);
  result.max_out_of_range = static_cast<std::int64_t>(out_of_range.size());
  if (out_of_range.empty()) return result;
  const set in_range = sums(base, rows, kernel, true);
  result.least_out_of_range = result.rows - static_cast<std::int64_t>(in_range.size());
  return result;
}

expand_status expected_status(const problem& p, std::int64_t rows_of_set) {
  if (p.grows != growth::none) return expand_ok;
  if (rows_of_set > p.slots) return table_full;
  return rows_of_set > p.capacity ? rows_full : expand_ok;
}

void reference(const checked_problem& p) {
  const expanded_set all = expand(p.base, p.rows, p.kernel, p.guards);
  *p.result = {static_cast<std::int32_t>(all.rows), expected_status(p, all.rows)};
  p.figures[rows_found] = p.figures[occupied_slots] = static_cast<std::uint64_t>(all.rows);
  p.figures[keys_of_rows] = p.figures[keys_of_slots] = all.sum_of_keys;
  p.figures[rows_out_of_range] = static_cast<std::uint64_t>(all.least_out_of_range);
  p.figures[rows_out_of_place] = 0;
}

}  // namespace ablate::coordinate_expand
