#include "oracles/backbone/ptv3_index_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ptv3/parts.h"
#include "oracles/kernel_map/reference.h"
#include "oracles/pool/index_answer.h"
#include "oracles/pool/index_check.h"
#include "oracles/serialize/checks.h"
#include "oracles/serialize/reference.h"

namespace ablate::backbone {
namespace {

using violation = std::optional<std::string>;

/// Instance and cell of each of a level's rows.
std::vector<std::int32_t> voxels_at(const problem& p, const network& n, const step& s) {
  const std::int32_t* const cells = cells_of(p, n, s.level);
  const level& of = n.level_at(s.level);
  std::vector<std::int32_t> voxels;
  std::int32_t instance = 0;
  for (std::int64_t row = 0; row < of.real; ++row) {
    while (row >= of.ends[static_cast<std::size_t>(instance)]) ++instance;
    voxels.insert(voxels.end(), {instance, cells[3 * row], cells[3 * row + 1], cells[3 * row + 2]});
  }
  return voxels;
}

/// A kernel map by its oracle: lists, and the table and masks that say the same.
struct right_map {
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> in_rows, out_rows, table;
  std::vector<std::uint32_t> masks;

  right_map(const kernel_map::problem& of, const std::vector<std::int32_t>& voxels) {
    kernel_map::checked_problem map{of};
    const auto offsets = static_cast<std::size_t>(map.offsets()), rows = static_cast<std::size_t>(map.rows);
    std::vector<std::uint64_t> digest(offsets);
    ends.resize(offsets + 1);
    map.wanted = kernel_map::output::lists;
    map.coordinates = map.out_coordinates = voxels.data();
    map.status = nullptr;
    map.ends = ends.data();
    map.digest = digest.data();
    map.in_rows = map.out_rows = nullptr;
    kernel_map::reference(map);  // counts
    map.capacity = ends.back();
    in_rows.resize(static_cast<std::size_t>(ends.back()));
    out_rows.resize(in_rows.size());
    map.in_rows = in_rows.data();
    map.out_rows = out_rows.data();
    kernel_map::reference(map);
    table.assign(offsets * rows, -1);
    masks.assign(static_cast<std::size_t>(map.mask_words()) * rows, 0);
    for (std::size_t q = 0; q < offsets; ++q)
      for (std::int64_t i = ends[q]; i < ends[q + 1]; ++i) {
        const auto out = static_cast<std::size_t>(out_rows[static_cast<std::size_t>(i)]);
        table[q * rows + out] = in_rows[static_cast<std::size_t>(i)];
        masks[q / 32 * rows + out] |= std::uint32_t{1} << q % 32;
      }
  }
};

/// Lists cut into pieces of so many pairs; `part_ends`: parts of the lists before each, which pieces of
/// lists of several have.
struct cut_pieces {
  std::vector<sparse_conv::piece> all = {};
  std::vector<std::int32_t> part_ends = {0};

  cut_pieces(const std::vector<std::int64_t>& ends, std::int64_t pairs, bool has_parts) {
    for (std::size_t q = 0; q + 1 < ends.size(); ++q) {
      std::int32_t part = part_ends.back();
      const bool is_several = has_parts && ends[q + 1] - ends[q] > pairs;
      for (std::int64_t first = ends[q]; first < ends[q + 1]; first += pairs)
        all.push_back({static_cast<std::int32_t>(q), static_cast<std::int32_t>(first),
                       static_cast<std::int32_t>(std::min(pairs, ends[q + 1] - first)),
                       is_several ? part++ : -1});
      part_ends.push_back(part);
    }
  }
};

/// What each slot takes and where each row is, by order, from a padding that is the same for all.
struct right_slots {
  std::vector<std::int32_t> row_of_slot, slot_of_row;

  right_slots(const problem& p, const network& n, const step& s) {
    const level& of = n.level_at(s.level);
    serialize::problem padded;
    padded.instances = n.instances();
    padded.points = of.real;
    padded.patch = n.shape.window;
    padded.slots = of.slots;
    padded.ends = of.ends.data();
    std::uint32_t begin = 0;
    for (const std::uint32_t end : of.ends) {
      padded.sequences += serialize::sequences_of(end - begin, padded.patch);
      begin = end;
    }
    const serialize::padding padding = serialize::padding_of(padded);
    const grid_places& grid = n.grid_at(s.level);
    for (int curve = 0; curve < n.of.curves; ++curve) {
      const std::int32_t* const order = in_index<std::int32_t>(p, grid.orders) + curve * n.pitch();
      const std::int32_t* const inverse = in_index<std::int32_t>(p, grid.inverses) + curve * n.pitch();
      for (const std::int64_t place : padding.pad) row_of_slot.push_back(order[place]);
      for (std::int64_t row = 0; row < of.real; ++row)
        slot_of_row.push_back(
            static_cast<std::int32_t>(padding.unpad[static_cast<std::size_t>(inverse[row])]));
    }
  }
};

template <class T, class U>
violation unlike(const std::string& name, const T* seen, const std::vector<U>& right) {
  for (std::size_t i = 0; i < right.size(); ++i)
    if (seen[i] != static_cast<T>(right[i]))
      return fmt::format("{}[{}]: expected {}, found {}", name, i, right[i], seen[i]);
  return std::nullopt;
}

violation wrong_clusters(const problem& p, const network& n, const step& s) {
  std::int32_t promises = pool::keeps_ties | pool::numbered_by_code;
  const pool::checked_problem pooling{grid_pooling_of(p, n, s), &promises};
  const std::int64_t counted = n.levels[static_cast<std::size_t>(s.level) + 1].real;
  if (pooling.count[pooling.instances] != counted)
    return fmt::format("{} clusters, expected {} as the host counts them", pooling.count[pooling.instances],
                       counted);
  return pool::violated_index(pooling, pool::answer_of(pooling), true);
}

violation wrong_pieces(const sparse_conv::piece* seen, const std::vector<sparse_conv::piece>& right) {
  for (std::size_t i = 0; i < right.size(); ++i) {
    const sparse_conv::piece &expected = right[i], &found = seen[i];
    if (found.list != expected.list || found.first != expected.first || found.count != expected.count)
      return fmt::format("piece {}: expected {} pairs from {} of list {}, found {} from {} of list {}", i,
                         expected.count, expected.first, expected.list, found.count, found.first, found.list);
    if (found.part != expected.part)
      return fmt::format("piece {}: expected part {}, found {}", i, expected.part, found.part);
  }
  return std::nullopt;
}

/// Each pair once: a list has as many as it should, all of them of the table, none of an out row twice.
violation wrong_lists(const problem& p, const network& n, const step& s, const right_map& right) {
  const kernel_map::problem lists = lists_of(p, n, s);
  if (*lists.status != kernel_map::map_ok) return fmt::format("status {}, expected 0", *lists.status);
  if (auto wrong = unlike("ends", lists.ends, right.ends)) return wrong;
  const auto rows = static_cast<std::size_t>(lists.rows);
  for (std::size_t q = 0; q + 1 < right.ends.size(); ++q) {
    std::vector<bool> met(rows);
    for (std::int64_t i = right.ends[q]; i < right.ends[q + 1]; ++i) {
      const std::int32_t in = lists.in_rows[i], out = lists.out_rows[i];
      if (out < 0 || out >= lists.rows || met[static_cast<std::size_t>(out)] ||
          right.table[q * rows + static_cast<std::size_t>(out)] != in)
        return fmt::format("list {}: ({}, {}) is no pair of it, or there a second time", q, in, out);
      met[static_cast<std::size_t>(out)] = true;
    }
  }
  const map_places& at = map_places_of(n, s);
  if (!n.trains())
    return wrong_pieces(in_index<sparse_conv::piece>(p, at.tiles),
                        cut_pieces(right.ends, sparse_conv::list_tile, false).all);
  const cut_pieces splits(right.ends, pairs_of_splits(n, s), true);
  if (auto wrong = wrong_pieces(in_index<sparse_conv::piece>(p, at.splits), splits.all)) return wrong;
  if (auto wrong = unlike("list_ends", in_index<std::int32_t>(p, at.list_ends), right.ends)) return wrong;
  return unlike("part_ends", in_index<std::int32_t>(p, at.part_ends), splits.part_ends);
}

violation wrong_map(const problem& p, const network& n, const step& s) {
  const kernel_map::problem map = map_of(p, n, s);
  const std::vector<std::int32_t> voxels = voxels_at(p, n, s);
  if (auto wrong = unlike("voxels", map.coordinates, voxels)) return wrong;
  const right_map right(map, voxels);
  if (auto wrong = unlike("table", map.tables, right.table)) return wrong;
  if (n.lists_pairs(s.is_stem))
    if (auto wrong = wrong_lists(p, n, s, right)) return wrong;
  if (n.convolves_lists() && !s.is_stem) return std::nullopt;
  return unlike("masks", reinterpret_cast<const std::uint32_t*>(map.tables + right.table.size()),
                right.masks);
}

violation wrong_slots(const problem& p, const network& n, const step& s) {
  const right_slots right(p, n, s);
  const grid_places& grid = n.grid_at(s.level);
  if (auto wrong = unlike("row_of_slot", in_index<std::int32_t>(p, grid.row_of_slot), right.row_of_slot))
    return wrong;
  return unlike("slot_of_row", in_index<std::int32_t>(p, grid.slot_of_row), right.slot_of_row);
}

/// Cells and positions of the points in order; cells past the last are 0, as codes take them.
void arrange(const problem& p, const network& n) {
  const std::uint32_t* const source = source_of(p, n);
  auto* const cells = const_cast<std::int32_t*>(cells_of(p, n, 0));
  auto* const positions = const_cast<float*>(positions_of(p, n, 0));
  std::fill_n(cells, 3 * n.pitch(), 0);
  for (std::int64_t row = 0; row < n.points(); ++row)
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      cells[3 * row + axis] = p.cells[3 * std::int64_t{source[row]} + axis];
      if (n.pools_by_grid()) positions[3 * row + axis] = p.positions[3 * std::int64_t{source[row]} + axis];
    }
}

violation wrong_arrangement(const problem& p, const network& n) {
  const std::uint32_t* const source = source_of(p, n);
  const std::int32_t* const cells = cells_of(p, n, 0);
  for (std::int64_t row = 0; row < n.pitch(); ++row)
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const bool is_real = row < n.points();
      const std::int64_t from = is_real ? 3 * std::int64_t{source[row]} + axis : 0;
      if (cells[3 * row + axis] != (is_real ? p.cells[from] : 0))
        return fmt::format("row {} does not have the cell of its point", row);
      if (is_real && n.pools_by_grid() && positions_of(p, n, 0)[3 * row + axis] != p.positions[from])
        return fmt::format("row {} does not have the position of its point", row);
    }
  return std::nullopt;
}

violation wrong_step(const problem& p, const network& n, const step& s) {
  switch (s.kind) {
    case step_kind::arrange:
      return wrong_arrangement(p, n);
    case step_kind::codes: {
      const serialize::problem codes = serialization_of(p, n, s);
      return serialize::violated(codes, serialize::answer(codes));
    }
    case step_kind::cluster:
      return wrong_clusters(p, n, s);
    case step_kind::map:
      return wrong_map(p, n, s);
    case step_kind::slots:
      return wrong_slots(p, n, s);
    default:
      return std::nullopt;
  }
}

void make_map(const problem& p, const network& n, const step& s) {
  const kernel_map::problem map = map_of(p, n, s);
  const std::vector<std::int32_t> voxels = voxels_at(p, n, s);
  std::ranges::copy(voxels, const_cast<std::int32_t*>(map.coordinates));
  const right_map right(map, voxels);
  std::ranges::copy(right.masks,
                    reinterpret_cast<std::uint32_t*>(std::ranges::copy(right.table, map.tables).out));
  if (s.is_stem && !n.trains()) return;
  const kernel_map::problem lists = lists_of(p, n, s);
  *lists.status = kernel_map::map_ok;
  std::ranges::copy(right.ends, lists.ends);
  std::ranges::copy(right.in_rows, lists.in_rows);
  std::ranges::copy(right.out_rows, lists.out_rows);
  const map_places& at = map_places_of(n, s);
  if (!n.trains()) {
    std::ranges::copy(cut_pieces(right.ends, sparse_conv::list_tile, false).all,
                      in_index<sparse_conv::piece>(p, at.tiles));
    return;
  }
  const cut_pieces splits(right.ends, pairs_of_splits(n, s), true);
  std::ranges::copy(splits.all, in_index<sparse_conv::piece>(p, at.splits));
  std::ranges::copy(splits.part_ends, in_index<std::int32_t>(p, at.part_ends));
  std::ranges::transform(right.ends, in_index<std::int32_t>(p, at.list_ends),
                         [](std::int64_t end) { return static_cast<std::int32_t>(end); });
}

void make_slots(const problem& p, const network& n, const step& s) {
  const right_slots right(p, n, s);
  std::ranges::copy(right.row_of_slot, in_index<std::int32_t>(p, n.grid_at(s.level).row_of_slot));
  std::ranges::copy(right.slot_of_row, in_index<std::int32_t>(p, n.grid_at(s.level).slot_of_row));
}

}  // namespace

void make_ptv3_step(const problem& p, const network& n, const step& s) {
  if (s.kind == step_kind::arrange) arrange(p, n);
  if (s.kind == step_kind::codes) serialize::reference(serialization_of(p, n, s));
  if (s.kind == step_kind::map) make_map(p, n, s);
  if (s.kind == step_kind::slots) make_slots(p, n, s);
}

std::string violated_ptv3_step(const problem& p, const network& n, const step& s) {
  return wrong_step(p, n, s).value_or("");
}

}  // namespace ablate::backbone
