// The oracle: rows sorted into columns of equal (batch, x, y), and for each (x, y) of the kernel two cursors
// over the columns; a pair of columns gives all its offsets along z at once.
#include "oracles/kernel_map/reference.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/common/mixed.h"

namespace ablate::kernel_map {
namespace {

constexpr int lowest_coordinate = -131072, highest_coordinate = 131071, coordinates_of_axis = 262144;

int center(int kernel) { return kernel % 2 == 1 ? (kernel - 1) / 2 : 0; }

/// Batch, x and y as one sortable number; all below 2^23 in magnitude, so that sums of two do not carry into
/// the next field.
std::uint64_t column_key(std::int64_t batch, std::int64_t x, std::int64_t y) {
  constexpr std::int64_t bias = 1 << 23;
  return static_cast<std::uint64_t>(((batch + (1 << 14)) << 48) + ((x + bias) << 24) + (y + bias));
}

/// Added to a key, displaces its column.
std::uint64_t displacement(std::int64_t x, std::int64_t y) {
  return static_cast<std::uint64_t>(x * (1 << 24) + y);
}

struct entry {
  std::uint64_t column;
  std::int32_t z, row;
};

struct column {
  std::uint64_t key;
  std::size_t begin;
};

struct sorted_rows {
  std::vector<entry> entries;        ///< by column, then z
  std::vector<column> columns;       ///< ascending, then one with the greatest key and no entries
  std::array<int, 3> low{}, high{};  ///< of the coordinates, times the stride
};

sorted_rows sort_rows(const std::int32_t* coordinates, std::int64_t rows, const std::array<int, 3>& stride) {
  sorted_rows sorted;
  sorted.entries.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int32_t* const at = coordinates + 4 * i;
    const std::array<int, 3> place = {stride[0] * at[1], stride[1] * at[2], stride[2] * at[3]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sorted.low[axis] = i == 0 ? place[axis] : std::min(sorted.low[axis], place[axis]);
      sorted.high[axis] = i == 0 ? place[axis] : std::max(sorted.high[axis], place[axis]);
    }
    sorted.entries.push_back({column_key(at[0], place[0], place[1]), place[2], static_cast<std::int32_t>(i)});
  }
  const auto before = [](const entry& a, const entry& b) {
    return a.column != b.column ? a.column < b.column : a.z < b.z;
  };
  if (!std::is_sorted(sorted.entries.begin(), sorted.entries.end(), before))
    std::sort(sorted.entries.begin(), sorted.entries.end(), before);
  for (std::size_t i = 0; i < sorted.entries.size(); ++i)
    if (i == 0 || sorted.entries[i].column != sorted.entries[i - 1].column)
      sorted.columns.push_back({sorted.entries[i].column, i});
  sorted.columns.push_back({std::numeric_limits<std::uint64_t>::max(), sorted.entries.size()});
  return sorted;
}

/// How far an in row may be from where the offset points: 0 and, where fields wrap, one turn of the axis.
std::vector<int> turns_of(const problem& p, const sorted_rows& out, std::size_t axis) {
  std::vector<int> turns = {0};
  const int lowest = -center(p.kernel[axis]) * p.dilation[axis];
  const int highest = lowest + (p.kernel[axis] - 1) * p.dilation[axis];
  if (p.guards) return turns;
  if (out.low[axis] + lowest < lowest_coordinate) turns.push_back(coordinates_of_axis);
  if (out.high[axis] + highest > highest_coordinate) turns.push_back(-coordinates_of_axis);
  return turns;
}

/// By distance from the lowest offset along z: the offset there, or −1.
std::vector<int> offsets_by_distance(const problem& p) {
  std::vector<int> offsets(static_cast<std::size_t>((p.kernel[2] - 1) * p.dilation[2] + 1), -1);
  for (int iz = 0; iz < p.kernel[2]; ++iz) offsets[static_cast<std::size_t>(iz * p.dilation[2])] = iz;
  return offsets;
}

/// Calls `found(iz, in row, out row)` for every pair between two columns; `lowest` leads from an out row to
/// its first offset.
template <class Found>
void match_columns(const sorted_rows& in, const column* in_column, const sorted_rows& out,
                   const column* out_column, int lowest, const std::vector<int>& by_distance, Found&& found) {
  const int span = static_cast<int>(by_distance.size());
  const entry *first = &in.entries[in_column->begin], *const end = in.entries.data() + in_column[1].begin;
  for (std::size_t j = out_column->begin; j < out_column[1].begin; ++j) {
    const int from = out.entries[j].z + lowest;
    while (first != end && first->z < from) ++first;
    for (const entry* i = first; i != end && i->z < from + span; ++i)
      if (const int iz = by_distance[static_cast<std::size_t>(i->z - from)]; iz >= 0)
        found(iz, i->row, out.entries[j].row);
  }
}

/// Calls `found(q, in row, out row)` for every pair.
template <class Found>
void for_each_pair(const problem& p, const sorted_rows& in, const sorted_rows& out, Found&& found) {
  const std::vector<int> by_distance = offsets_by_distance(p);
  const std::vector<int> turns[3] = {turns_of(p, out, 0), turns_of(p, out, 1), turns_of(p, out, 2)};
  for (int q = 0; q < p.offsets(); q += p.kernel[2]) {
    const std::array<int, 3> offset = offset_of(p, q);
    for (const int turn_x : turns[0])
      for (const int turn_y : turns[1]) {
        const std::uint64_t moved = displacement(offset[0] + turn_x, offset[1] + turn_y);
        const column* candidate = in.columns.data();
        for (std::size_t c = 0; c + 1 < out.columns.size(); ++c) {
          const std::uint64_t wanted = out.columns[c].key + moved;
          while (candidate->key < wanted) ++candidate;
          if (candidate->key != wanted) continue;
          for (const int turn_z : turns[2])
            match_columns(in, candidate, out, &out.columns[c], offset[2] + turn_z, by_distance,
                          [&](int iz, std::int32_t i, std::int32_t j) { found(q + iz, i, j); });
        }
      }
  }
}

std::uint64_t mixed_pair(std::int32_t in_row, std::int32_t out_row) {
  return mixed(std::uint64_t{static_cast<std::uint32_t>(in_row)} << 32 | static_cast<std::uint32_t>(out_row));
}

}  // namespace

void reference(const checked_problem& p) {
  const sorted_rows in = sort_rows(p.coordinates, p.rows, {1, 1, 1});
  const sorted_rows out = sort_rows(p.out_coordinates, p.outs, p.stride);
  const auto offsets = static_cast<std::size_t>(p.offsets());

  struct list {
    std::int64_t pairs = 0;
    std::uint64_t digest = 0, digest_of_mask = 0;
  };
  std::vector<list> lists(offsets);
  for_each_pair(p, in, out, [&](int q, std::int32_t i, std::int32_t j) {
    if (q >= p.lists()) return;
    list& l = lists[static_cast<std::size_t>(q)];
    ++l.pairs;
    l.digest += mixed_pair(i, j);
    if (p.wanted == output::masks) l.digest_of_mask += mixed_pair(-1, j);
  });
  p.ends[0] = 0;
  for (std::size_t q = 0; q < offsets; ++q) {
    p.ends[q + 1] = p.ends[q] + lists[q].pairs;
    p.digest[q] = p.wanted == output::masks ? lists[q].digest_of_mask : lists[q].digest;
    if (p.has_table_behind_dense()) p.digest[offsets + q] = lists[q].digest;
  }
  const bool overflows = p.wanted == output::lists && p.ends[offsets] > p.capacity;
  if (p.status) *p.status = overflows ? map_overflow : map_ok;
  if (!p.in_rows) return;

  std::vector<std::int64_t> places(p.ends, p.ends + offsets);
  for_each_pair(p, in, out, [&](int q, std::int32_t i, std::int32_t j) {
    if (q >= p.lists()) return;
    const std::int64_t place = places[static_cast<std::size_t>(q)]++;
    if (place >= p.capacity) return;
    p.in_rows[place] = i;
    p.out_rows[place] = j;
  });
}

}  // namespace ablate::kernel_map
