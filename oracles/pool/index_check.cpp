#include "oracles/pool/index_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/common/bf16.h"
#include "kernels/common/half.h"
#include "oracles/common/rounding.h"

namespace ablate::pool {
namespace {

using found = std::optional<std::string>;

std::span<const std::uint32_t> members_of(const problem& p, std::int64_t j) {
  return {p.member + p.start[j], p.start[j + 1] - p.start[j]};
}

/// Counts, starts, and P1.
found wrong_lists(const problem& p, const index_answer& right) {
  for (std::size_t b = 0; b < right.count.size(); ++b)
    if (p.count[b] != right.count[b])
      return fmt::format("count[{}]: expected {} clusters before instance {}, found {}", b, right.count[b], b,
                         p.count[b]);
  const std::int64_t rows = right.rows();
  if (p.start[0] != 0) return fmt::format("start[0]: expected 0, found {}", p.start[0]);
  for (std::int64_t j = 0; j < rows; ++j)
    if (p.start[j + 1] <= p.start[j] || p.start[j + 1] > p.points)
      return fmt::format("P2: start[{}]: expected from {} to {}, found {}", j + 1, p.start[j] + 1, p.points,
                         p.start[j + 1]);
  if (p.start[rows] != p.points)
    return fmt::format("start[{}]: expected {}, found {}", rows, p.points, p.start[rows]);
  std::vector<bool> seen(static_cast<std::size_t>(p.points));
  for (std::int64_t j = 0; j < rows; ++j)
    for (const std::uint32_t row : members_of(p, j)) {
      if (row >= p.points)
        return fmt::format("P1: cluster {}: expected rows below {}, found {}", j, p.points, row);
      if (seen[row]) return fmt::format("P1: row {}: expected in one cluster, found again in {}", row, j);
      seen[row] = true;
      if (p.cluster[row] != j)
        return fmt::format("P1: cluster[{}]: expected {}, found {}", row, j, p.cluster[row]);
    }
  return std::nullopt;
}

/// The coordinates of a block's clusters.
found wrong_means(const problem& p, std::int64_t j) {
  for (int axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (const std::int64_t row : members_of(p, j))
      sum += static_cast<double>(float_of_half(p.coordinates[3 * row + axis]));
    const double exact = sum / static_cast<double>(members_of(p, j).size());
    const auto mean = static_cast<double>(float_of_half(p.half_out[3 * j + axis]));
    if (!(std::abs(mean - exact) <= half_ulp(exact)))
      return fmt::format("half_out[{}], axis {}: expected {:.6g}, found {:.6g}", j, axis, exact, mean);
  }
  return std::nullopt;
}

found wrong_padding(const problem& p) {
  for (std::int64_t i = 3 * p.rows; i < 3 * p.padded_rows; ++i)
    if (p.half_out[i] != psh_bucket::padding_half)
      return fmt::format("P4: half_out[{}], padding: expected 0, found {}", i / 3,
                         float_of_half(p.half_out[i]));
  return std::nullopt;
}

/// Clusters first … first + block.clusters − 1 have a block's rows.
found wrong_block(const problem& p, const index_answer& right, const row_block& block, std::int64_t first) {
  std::vector<std::uint16_t> sorted(right.cell.begin() + block.first,
                                    right.cell.begin() + block.first + block.points);
  std::ranges::sort(sorted);
  std::size_t rank = 0;
  for (std::uint32_t k = 0; k < block.clusters; ++k) {
    const std::int64_t j = first + k;
    const auto members = members_of(p, j);
    std::vector<std::uint16_t> cells;
    for (const std::uint32_t row : members) {
      if (row < block.first || row >= block.first + block.points)
        return fmt::format("P3: cluster {}: expected rows {} to {}, found {}", j, block.first,
                           block.first + block.points - 1, row);
      cells.push_back(right.cell[row]);
    }
    const auto ratio = static_cast<std::size_t>(p.ratio);
    if (p.how == clustering::three_steps) {
      if (members.size() > ratio)
        return fmt::format("P2: cluster {}: expected at most {} members, found {}", j, ratio, members.size());
      continue;
    }
    if (const std::size_t expected = std::min(ratio, block.points - rank); members.size() != expected)
      return fmt::format("P2: cluster {}: expected {} members, found {}", j, expected, members.size());
    std::ranges::sort(cells);
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] != sorted[rank + i])
        return fmt::format("cluster {}: expected a row of cell {}, rank {} of its block, found cell {}", j,
                           sorted[rank + i], rank + i, cells[i]);
    rank += members.size();
  }
  return std::nullopt;
}

found wrong_blocks(const checked_problem& p, const index_answer& right, bool whole) {
  const std::vector<row_block> blocks = blocks_of(p);
  std::vector<bool> met(blocks.size());
  std::int64_t next = 0;
  for (std::size_t turn = 0; turn < blocks.size(); ++turn) {
    const std::uint32_t row = members_of(p, next).front();
    const auto behind = std::ranges::upper_bound(blocks, row, {}, &row_block::first);
    const auto of_row = static_cast<std::size_t>(behind - blocks.begin()) - 1;
    const bool is_in_order = (*p.promises & ordered_blocks) == 0 || of_row == turn;
    if (met[of_row] || !is_in_order || blocks[of_row].instance != blocks[turn].instance)
      return fmt::format("P3: cluster {}: expected to begin block {}, found row {} of block {}", next, turn,
                         row, of_row);
    met[of_row] = true;
    if (auto wrong = wrong_block(p, right, blocks[of_row], next)) return wrong;
    next += blocks[of_row].clusters;
  }
  if ((*p.promises & keeps_ties) != 0)
    for (std::size_t i = 0; i < right.member.size(); ++i)
      if (p.member[i] != right.member[i])
        return fmt::format("member[{}]: expected row {}, rows of a cell in their order, found {}", i,
                           right.member[i], p.member[i]);
  if (!whole) return std::nullopt;
  for (std::int64_t j = 0; j < p.rows; ++j)
    if (auto wrong = wrong_means(p, j)) return wrong;
  return wrong_padding(p);
}

found wrong_cluster(const problem& p, const index_answer& right, std::int64_t j, std::int64_t expected) {
  const auto members = members_of(p, j);
  const auto e = static_cast<std::size_t>(expected);
  if (const std::uint32_t size = right.start[e + 1] - right.start[e]; members.size() != size)
    return fmt::format("cluster {}: expected the {} rows of a cell, found {}", j, size, members.size());
  for (const std::uint32_t row : members)
    if (right.cluster[row] != expected)
      return fmt::format("cluster {}: expected rows of the cell of row {}, found row {}", j, members.front(),
                         row);
  return std::nullopt;
}

found wrong_position(const problem& p, std::int64_t j) {
  for (int axis = 0; axis < 3; ++axis) {
    double sum = 0, squares = 0;
    for (const std::int64_t row : members_of(p, j)) {
      const auto c = static_cast<double>(p.positions[3 * row + axis]);
      sum += c;
      squares += c * c;
    }
    const auto count = static_cast<std::int64_t>(members_of(p, j).size());
    const auto n = static_cast<double>(count);
    const double exact = sum / n, accepted = accepted_rounding(count) * std::sqrt(squares * n) / n;
    const auto mean = static_cast<double>(p.position_out[3 * j + axis]);
    if (!(std::abs(mean - exact) <= std::max(accepted, 1e-6 * std::abs(exact))))
      return fmt::format("position_out[{}], axis {}: expected {:.8g}, found {:.8g}", j, axis, exact, mean);
    const std::int32_t cell = p.cells[3 * std::int64_t{members_of(p, j).front()} + axis] >> p.shift;
    if (p.cell_out[3 * j + axis] != cell)
      return fmt::format("cell_out[{}], axis {}: expected {}, found {}", j, axis, cell,
                         p.cell_out[3 * j + axis]);
  }
  const std::uint64_t code = coarse_code(p, 0, members_of(p, j).front());
  if (p.code_out[j] != code)
    return fmt::format("code_out[0][{}]: expected {:#x}, found {:#x}", j, code, p.code_out[j]);
  return std::nullopt;
}

found wrong_order(const problem& p, const index_answer& right, int curve) {
  const std::int64_t of_curve = curve * p.pitch();
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < p.points; ++i) {
    const std::int32_t row = p.orders[of_curve + i];
    const std::uint64_t code = coarse_code(p, curve, row);
    if (i > 0 && code == coarse_code(p, curve, p.orders[of_curve + i - 1])) continue;
    const auto cluster = static_cast<std::int32_t>(right.cluster[static_cast<std::size_t>(row)]);
    if (p.order_out[of_curve + place] != cluster)
      return fmt::format("order_out[{}][{}]: expected {}, found {}", curve, place, cluster,
                         p.order_out[of_curve + place]);
    if (p.inverse_out[of_curve + cluster] != place)
      return fmt::format("inverse_out[{}][{}]: expected {}, found {}", curve, cluster, place,
                         p.inverse_out[of_curve + cluster]);
    if (p.code_out[of_curve + cluster] != code)
      return fmt::format("code_out[{}][{}]: expected {:#x}, found {:#x}", curve, cluster, code,
                         p.code_out[of_curve + cluster]);
    ++place;
  }
  return std::nullopt;
}

found wrong_grid(const checked_problem& p, const index_answer& right, bool whole) {
  const bool is_numbered = (*p.promises & numbered_by_code) != 0;
  for (int b = 0; b < p.instances; ++b)
    for (std::int64_t j = right.count[static_cast<std::size_t>(b)];
         j < right.count[static_cast<std::size_t>(b) + 1]; ++j) {
      const std::uint32_t row = members_of(p, j).front();
      if (row >= p.ends[b] || (b > 0 && row < p.ends[b - 1]))
        return fmt::format("P3: cluster {}: expected rows of instance {}, found {}", j, b, row);
      const std::int64_t expected = is_numbered ? j : std::int64_t{right.cluster[row]};
      if (auto wrong = wrong_cluster(p, right, j, expected)) return wrong;
      if (!whole) continue;
      if (auto wrong = wrong_position(p, j)) return wrong;
    }
  if (!whole || !is_numbered) return std::nullopt;
  for (int curve = 0; curve < p.curves; ++curve)
    if (auto wrong = wrong_order(p, right, curve)) return wrong;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> violated_index(const checked_problem& p, const index_answer& right, bool whole) {
  if (*p.promises < 0 || *p.promises > all_promises)
    return fmt::format("promises: expected 0 to {}, found {}", static_cast<int>(all_promises), *p.promises);
  if (auto wrong = wrong_lists(p, right)) return wrong;
  return p.is_grid() ? wrong_grid(p, right, whole) : wrong_blocks(p, right, whole);
}

}  // namespace ablate::pool
