#include "oracles/voxel_mean/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "oracles/common/greatest_error.h"
#include "oracles/common/rounding.h"

namespace ablate::voxel_mean {

exact_sums::exact_sums(const problem& p) : place(static_cast<std::size_t>(p.all_cells()), -1) {
  const auto features = static_cast<std::size_t>(p.features);
  for (std::int64_t i = 0; i < p.all_points(); ++i) {
    const std::int64_t cell = cell_in_batch(p, p.points, i);
    if (cell < 0) continue;
    std::int32_t& at = place[static_cast<std::size_t>(cell)];
    if (at < 0) {
      at = static_cast<std::int32_t>(count.size());
      count.push_back(0);
      sum.resize(sum.size() + features);
      squares.resize(squares.size() + features);
    }
    const auto occupied = static_cast<std::size_t>(at);
    ++count[occupied];
    for (std::size_t f = 0; f < features; ++f) {
      const double value = p.point_features[static_cast<std::size_t>(i) * features + f];
      sum[occupied * features + f] += value;
      squares[occupied * features + f] += value * value;
    }
  }
}

namespace {

/// Accepted error of a mean.
double accepted_error(double mean, double squares, std::int32_t count) {
  return accepted_rounding(count - 1) * std::sqrt(squares / count) + 2 * fp32_rounding * std::abs(mean);
}

}  // namespace

difference compared(const problem& p, const exact_sums& exact) {
  difference d;
  greatest_error greatest;
  const auto features = static_cast<std::size_t>(p.features);
  const auto tell = [&](std::size_t cell, const std::string& what) {
    if (!d.first)
      d.first = fmt::format("cloud {}, cell {}: {}", cell / static_cast<std::size_t>(p.cells_per_cloud()),
                            cell % static_cast<std::size_t>(p.cells_per_cloud()), what);
  };
  for (std::size_t cell = 0; cell < exact.place.size(); ++cell) {
    const bool occupied = exact.place[cell] >= 0;
    const std::size_t at = occupied ? static_cast<std::size_t>(exact.place[cell]) : 0;
    const std::int32_t count = occupied ? exact.count[at] : 0;
    if (p.count[cell] != count) tell(cell, fmt::format("expected {} points, found {}", count, p.count[cell]));
    unit_errors of_cell;
    for (std::size_t f = 0; f < features; ++f) {
      const double found = p.mean[cell * features + f];
      const double mean = occupied ? exact.sum[at * features + f] / count : 0;
      const double allowed = occupied ? accepted_error(mean, exact.squares[at * features + f], count) : 0;
      const double error = std::abs(found - mean);
      if (!(error <= allowed))
        tell(cell, fmt::format("feature {}: expected {} within {}, found {}", f, mean, allowed, found));
      if (allowed > 0 && error != 0) greatest.add(error / allowed);
      if (occupied) of_cell.add(found, mean, std::sqrt(exact.squares[at * features + f] / count));
    }
    d.signs.add(of_cell);
  }
  d.largest_error = greatest.value();
  return d;
}

}  // namespace ablate::voxel_mean
