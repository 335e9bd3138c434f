#include "kernels/voxelize/bins.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/common/memory_cutter.h"

namespace ablate::voxelize {
namespace {

constexpr std::int64_t max_cells = std::int64_t{max_bins} * max_cells_per_bin;
constexpr int least_cells_per_bin = 1024;

constexpr std::int64_t quotient_above(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The switch `points_per_block`, checked against what scratch memory and kernels support. `auto`: as many as
/// leave a block for nearly every SM of an A100 (108) or of Hopper (132), with room for a second one beside
/// it, which reads points while the first deals.
int points_per_block_of(const problem& p, const switches& s) {
  if (s.word("points_per_block") != "auto") {
    const long value = s.integer("points_per_block");
    if (std::ranges::find(block_choices, value) == std::end(block_choices))
      throw std::invalid_argument("switch 'points_per_block': " + std::to_string(value) +
                                  " is no choice of kernels/voxelize/bins.h");
    return static_cast<int>(value);
  }
  return p.batch * quotient_above(p.points_per_cloud, 4096) >= 128 ? 4096 : 2048;
}

}  // namespace

bin_plan::bin_plan(const problem& p, const switches& s) : bin_plan(p, points_per_block_of(p, s)) {}

bin_plan::bin_plan(const problem& p, int points_per_block) : points_per_block(points_per_block) {
  const std::int64_t cells = p.cells_per_cloud();
  slabs = static_cast<int>(quotient_above(cells, max_cells));
  const std::int64_t of_slab = std::min(cells, max_cells);
  while (of_slab > std::int64_t{max_cells_per_bin} << log2_bins ||
         (std::int64_t{p.batch} << log2_bins < least_bins && of_slab > std::int64_t{least_cells_per_bin}
                                                                           << log2_bins))
    ++log2_bins;
  cells_per_bin =
      static_cast<int>(quotient_above(of_slab, std::int64_t{cells_per_row} << log2_bins)) * cells_per_row;
  blocks = static_cast<unsigned>(quotient_above(p.points_per_cloud, points_per_block));
}

bin_scratch::bin_scratch(const problem& p, const bin_plan& plan) {
  memory_cutter memory{static_cast<std::byte*>(p.bins)};
  const std::int64_t dealers = std::int64_t{p.batch} * plan.blocks;
  memory.cut(keys, dealers * plan.vectors_per_block() * keys_per_vector);
  memory.cut(starts, dealers * (plan.bins() + 1));
  bytes = memory.used;
}

std::size_t bin_bytes(const problem& p) {
  std::size_t most = 0;
  for (const int points : block_choices) most = std::max(most, bin_scratch(p, bin_plan(p, points)).bytes);
  return most;
}

}  // namespace ablate::voxelize
