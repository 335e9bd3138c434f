#include "kernels/voxelize/queues.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/common/memory_cutter.h"

namespace ablate::voxelize {
namespace {

constexpr std::int64_t quotient_rounded_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The greatest mean length of queues that fit their room with six standard deviations to spare, each point
/// being as likely to go to any of them: n + 6·sqrt(n) = room.
int mean_length_for(int room) {
  const double root = std::sqrt(9.0 + room) - 3.0;
  return static_cast<int>(root * root);
}

}  // namespace

queue_plan::queue_plan(const problem& p, int max_blocks)
    : all_cells(p.all_cells()), cells_per_cloud(p.cells_per_cloud()), points_per_cloud(p.points_per_cloud) {
  constexpr std::int64_t max_cells = std::int64_t{max_bins} * max_cells_per_bin;
  constexpr int bins_for_all_blocks = 128, least_cells_per_bin = 1024;
  const std::int64_t of_round = std::min(all_cells, max_cells);
  while (of_round > std::int64_t{max_cells_per_bin} << log2_bins ||
         (bins() < bins_for_all_blocks && of_round > std::int64_t{least_cells_per_bin} << log2_bins))
    ++log2_bins;
  cells_per_bin = static_cast<int>(quotient_rounded_up(of_round, std::int64_t{cells_per_row} << log2_bins)) *
                  cells_per_row;
  rounds = static_cast<int>(quotient_rounded_up(all_cells, cells_of_round()));
  const std::int64_t clouds =
      std::min<std::int64_t>(p.batch, rounds == 1 ? p.batch : cells_of_round() / cells_per_cloud + 2);
  points_of_round = clouds * points_per_cloud;
  if (points_of_round >> 32 != 0)
    throw std::invalid_argument("voxelize: a round of bins would have 2^32 points or more");

  constexpr int bytes_of_vector = keys_per_vector * static_cast<int>(sizeof(std::uint16_t));
  const int vectors = queue_bytes_of_block / bytes_of_vector >> log2_bins;
  vectors_per_queue = vectors - (vectors % 2 == 0);
  points_per_part = (mean_length_for(keys_per_queue()) << log2_bins) / 4 * 4;
  dealers = static_cast<int>(std::min<std::int64_t>(
      std::min(max_blocks, max_dealers), quotient_rounded_up(points_of_round, least_points_of_dealer)));
  parts = static_cast<int>(quotient_rounded_up(points_per_dealer(), points_per_part));
}

queue_scratch::queue_scratch(const problem& p, const queue_plan& plan) {
  memory_cutter memory{static_cast<std::byte*>(p.queues)};
  const std::int64_t all_runs = std::int64_t{plan.bins()} * plan.runs();
  memory.cut(keys, all_runs * plan.keys_per_queue());
  memory.cut(lengths, all_runs);
  memory.cut(spilled_cells, plan.dealers * plan.points_per_dealer());
  memory.cut(spilled, plan.dealers);
  bytes = memory.used;
}

std::size_t queue_bytes(const problem& p) {
  // With fewer dealers each has more parts; the most memory is not always that of the most dealers.
  std::size_t most = 0;
  for (int blocks = 1; blocks <= max_dealers; ++blocks)
    most = std::max(most, queue_scratch(p, queue_plan(p, blocks)).bytes);
  return most;
}

}  // namespace ablate::voxelize
