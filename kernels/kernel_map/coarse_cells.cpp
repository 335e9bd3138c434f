#include "kernels/kernel_map/coarse_cells.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "kernels/common/mixed.h"

namespace ablate::kernel_map {
namespace {

/// All combinations of a cell's places along the axes (as bits), as bits (x · 4 + y) · 4 + z of 4³ voxels.
std::uint64_t places_of(unsigned x, unsigned y, unsigned z) {
  std::uint64_t plane = 0, all = 0;
  for (int i = 0; i < 4; ++i)
    if (y >> i & 1) plane |= std::uint64_t{z} << 4 * i;
  for (int i = 0; i < 4; ++i)
    if (x >> i & 1) all |= plane << 16 * i;
  return all;
}

/// Cells that hold a row, sorted by number, with their occupied places if these are 4³ or fewer.
class occupied_cells {
 public:
  occupied_cells(const problem& p, int edge) {
    for (std::int64_t i = 0; i < p.rows; ++i) {
      const std::int32_t* const at = p.coordinates + 4 * i;
      int home[3];
      unsigned place[3];
      for (int axis = 0; axis < 3; ++axis) {
        home[axis] = floor_divide(at[1 + axis], edge);
        place[axis] = edge > 4 ? 0 : 1u << (at[1 + axis] - home[axis] * edge);
      }
      const cell found = {number_of(at[0], home[0], home[1], home[2]),
                          places_of(place[0], place[1], place[2])};
      if (!cells_.empty() && cells_.back().number == found.number)
        cells_.back().places |= found.places;
      else
        cells_.push_back(found);
    }
    std::sort(cells_.begin(), cells_.end(), before);
    std::size_t distinct = 0;
    for (const cell& c : cells_)
      if (distinct > 0 && cells_[distinct - 1].number == c.number)
        cells_[distinct - 1].places |= c.places;
      else
        cells_[distinct++] = c;
    cells_.resize(distinct);
  }

  std::size_t count() const { return cells_.size(); }

  /// The occupied places, if the cell holds a row.
  std::optional<std::uint64_t> find(std::int32_t batch, int x, int y, int z) const {
    const auto fits = [](int cell) { return cell >= -bias && cell < bias; };
    if (!fits(x) || !fits(y) || !fits(z)) return std::nullopt;
    const cell wanted = {number_of(batch, x, y, z), 0};
    const auto there = std::lower_bound(cells_.begin(), cells_.end(), wanted, before);
    if (there == cells_.end() || there->number != wanted.number) return std::nullopt;
    return there->places;
  }

 private:
  struct cell {
    std::uint64_t number, places;
  };
  static bool before(const cell& a, const cell& b) { return a.number < b.number; }

  static constexpr int bias = 131072;
  static std::uint64_t number_of(std::int32_t batch, int x, int y, int z) {
    std::uint64_t number = static_cast<std::uint32_t>(batch);
    for (const int cell : {x, y, z}) number = number << 18 | static_cast<std::uint32_t>(cell + bias);
    return number;
  }

  std::vector<cell> cells_;
};

/// A random one of the `step` (at the end, fewer) out rows from `block` on: rows at regular distances may
/// all be at the same place in their cells.
std::int64_t sampled_row(const problem& p, std::int64_t block, std::int64_t step) {
  const std::int64_t size = std::min(step, p.outs - block);
  return block + static_cast<std::int64_t>(mixed(block + 1) % static_cast<std::uint64_t>(size));
}

/// The places, as bits, that the offsets along one axis reach in each cell, by the row's place in its own.
std::vector<std::vector<std::uint64_t>> targets(const problem& p, int axis, int edge) {
  const cell_span span = cells_of_offsets(p, axis, edge);
  const int first = offsets_along(p, axis).lowest;
  std::vector<std::vector<std::uint64_t>> places(edge, std::vector<std::uint64_t>(span.cells()));
  for (int place = 0; place < edge; ++place)
    for (int i = 0; i < p.kernel[axis]; ++i) {
      const int target = place + first + i * p.dilation[axis], cell = floor_divide(target, edge);
      places[place][cell - span.lowest] |= std::uint64_t{1} << (target - cell * edge);
    }
  return places;
}

/// For one out row in every `step`: calls `query()`, then `cell(d, x, y, z, places)` for each occupied cell
/// of its box, with the cell's distance from its own, the places that its offsets reach in it along the
/// axes, and the occupied places.
template <class Query, class Cell>
void for_each_cell_of_queries(const problem& p, const occupied_cells& occupied, int edge, std::int64_t step,
                              Query query, Cell cell) {
  cell_span spans[3];
  std::vector<std::vector<std::uint64_t>> places[3];
  for (int axis = 0; axis < 3; ++axis) {
    spans[axis] = cells_of_offsets(p, axis, edge);
    places[axis] = targets(p, axis, edge);
  }
  for (std::int64_t block = 0; block < p.outs; block += step) {
    const std::int32_t* const at = p.out_coordinates + 4 * sampled_row(p, block, step);
    int home[3];
    const std::uint64_t* wanted[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int target = p.stride[axis] * at[1 + axis];
      home[axis] = floor_divide(target, edge);
      wanted[axis] = places[axis][target - home[axis] * edge].data() - spans[axis].lowest;
    }
    query();
    std::array<int, 3> d;
    for (d[0] = spans[0].lowest; d[0] <= spans[0].highest; ++d[0])
      for (d[1] = spans[1].lowest; d[1] <= spans[1].highest; ++d[1])
        for (d[2] = spans[2].lowest; d[2] <= spans[2].highest; ++d[2])
          if (const auto taken = occupied.find(at[0], home[0] + d[0], home[1] + d[1], home[2] + d[2]))
            cell(d, wanted[0][d[0]], wanted[1][d[1]], wanted[2][d[2]], *taken);
  }
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

span offsets_along(const problem& p, int axis, searched_offsets which) {
  const bool leads = std::all_of(p.kernel.begin(), p.kernel.begin() + axis, [](int k) { return k == 1; });
  const int first = offset_of(p, 0)[axis], last = offset_of(p, p.offsets() - 1)[axis];
  return {first, which == searched_offsets::first_half && leads ? 0 : last};
}

cell_span cells_of_offsets(const problem& p, int axis, int edge, searched_offsets which) {
  const span offsets = offsets_along(p, axis, which);
  return {{floor_divide(offsets.lowest, edge), floor_divide(edge - 1 + offsets.highest, edge)}};
}

int cells_around(const problem& p, int edge) {
  int cells = 1;
  for (int axis = 0; axis < 3; ++axis) cells *= cells_of_offsets(p, axis, edge).cells();
  return cells;
}

coarse_occupancy measure_coarse_occupancy(const problem& p, int edge, std::int64_t step) {
  const occupied_cells occupied(p, edge);
  std::int64_t cells = 0, survivors = 0, sampled = 0;
  for_each_cell_of_queries(
      p, occupied, edge, step, [&] { ++sampled; },
      [&](const std::array<int, 3>&, std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t) {
        ++cells;
        survivors += std::int64_t{std::popcount(x)} * std::popcount(y) * std::popcount(z);
      });
  coarse_occupancy all;
  all.box_cells = cells_around(p, edge);
  all.cells_per_row = share(static_cast<std::int64_t>(occupied.count()), p.rows);
  all.occupied_cells = share(cells, sampled);
  all.survivor_share = share(survivors, sampled) / p.offsets();
  return all;
}

small_box_losses measure_small_boxes(const problem& p, std::int64_t step) {
  constexpr int edge = 4, boxes = 8;
  using box_counts = std::array<std::int64_t, boxes>;  // box b extends up on the axes whose bit it has
  const auto most = [](const box_counts& counts) { return *std::max_element(counts.begin(), counts.end()); };
  box_counts of_all{}, of_query{};
  std::int64_t pairs = 0, pairs_of_query = 0, kept_by_own = 0, queries = 0, losing = 0;
  const auto end_query = [&] {
    for (int box = 0; box < boxes; ++box) of_all[box] += of_query[box];
    pairs += pairs_of_query;
    kept_by_own += most(of_query);
    losing += most(of_query) < pairs_of_query;
    of_query = {};
    pairs_of_query = 0;
  };
  for_each_cell_of_queries(
      p, occupied_cells(p, edge), edge, step,
      [&] {
        end_query();
        ++queries;
      },
      [&](const std::array<int, 3>& d, std::uint64_t x, std::uint64_t y, std::uint64_t z,
          std::uint64_t taken) {
        const int found = std::popcount(
            taken & places_of(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)));
        pairs_of_query += found;
        for (int box = 0; box < boxes; ++box) {
          bool inside = true;
          for (int axis = 0; axis < 3; ++axis)
            inside = inside && (d[axis] == 0 || d[axis] == (box >> axis & 1 ? 1 : -1));
          if (inside) of_query[box] += found;
        }
      });
  end_query();
  return {pairs, share(pairs - most(of_all), pairs), share(pairs - kept_by_own, pairs),
          share(losing, queries)};
}

}  // namespace ablate::kernel_map
