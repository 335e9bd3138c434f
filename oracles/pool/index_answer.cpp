#include "oracles/pool/index_answer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "kernels/common/half.h"
#include "kernels/pool/sub_buckets.h"
#include "oracles/psh_bucket/keys.h"

namespace ablate::pool {
namespace {

using point = std::array<float, 3>;

/// The block's coordinates, rotated if the problem requests it.
std::vector<point> points_of_block(const problem& p, const row_block& block) {
  const std::uint32_t begin = block.instance == 0 ? 0 : p.ends[block.instance - 1];
  const rotation turn(p.seed, block.instance, static_cast<int>((block.first - begin) / block_points));
  std::vector<point> all(block.points);
  for (std::uint32_t i = 0; i < block.points; ++i) {
    float straight[3];
    for (int axis = 0; axis < 3; ++axis)
      straight[axis] = float_of_half(p.coordinates[3 * (std::int64_t{block.first} + i) + axis]);
    for (int axis = 0; axis < 3; ++axis)
      all[i][static_cast<std::size_t>(axis)] = p.rotates ? turn.turned(axis, straight) : straight[axis];
  }
  return all;
}

std::vector<std::uint16_t> cells_of(const std::vector<point>& points) {
  point low, high;
  low.fill(std::numeric_limits<float>::infinity());
  high.fill(-std::numeric_limits<float>::infinity());
  for (const point& at : points)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], at[axis]);
      high[axis] = std::max(high[axis], at[axis]);
    }
  constexpr float levels = psh_bucket::quantization_levels;
  std::vector<std::uint16_t> cells;
  for (const point& at : points) {
    std::array<std::uint16_t, 3> voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (high[axis] == low[axis]) continue;
      const float level = std::floor((at[axis] - low[axis]) * (levels / (high[axis] - low[axis])));
      voxel[axis] = static_cast<std::uint16_t>(std::clamp(level, 0.0f, levels - 1));
    }
    cells.push_back(psh_bucket::key_of(psh_bucket::hash::z_div, voxel) / (65536 / cell_count));
  }
  return cells;
}

/// Members of each of the block's clusters, by a stable sort of the cells.
std::vector<std::vector<std::uint32_t>> cut(const problem& p, const row_block& block,
                                            const std::vector<std::uint16_t>& cells) {
  std::vector<std::uint32_t> sorted(block.points);
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::stable_sort(sorted, {}, [&](std::uint32_t i) { return cells[i]; });
  std::vector<std::vector<std::uint32_t>> clusters(block.clusters);
  for (std::uint32_t i = 0; i < block.points; ++i)
    clusters[i / static_cast<std::uint32_t>(p.ratio)].push_back(sorted[i]);
  return clusters;
}

/// The cluster with room whose first member is nearest.
std::uint32_t nearest(const std::vector<std::vector<std::uint32_t>>& clusters, std::size_t room,
                      const std::vector<point>& points, std::uint32_t row) {
  std::uint32_t best = 0;
  float least = std::numeric_limits<float>::infinity();
  for (std::uint32_t k = 0; k < clusters.size(); ++k) {
    if (clusters[k].size() >= room) continue;
    float square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float apart = points[clusters[k].front()][axis] - points[row][axis];
      square += apart * apart;
    }
    if (square < least) {
      least = square;
      best = k;
    }
  }
  return best;
}

/// The three steps, one row after the other.
std::vector<std::vector<std::uint32_t>> search(const problem& p, const row_block& block,
                                               const std::vector<std::uint16_t>& cells) {
  const auto ratio = static_cast<std::size_t>(p.ratio);
  const std::vector<point> points = points_of_block(p, block);
  std::vector<std::vector<std::uint32_t>> clusters(block.clusters);
  std::vector<std::uint32_t> overflow;
  for (std::uint32_t i = 0; i < block.points; ++i) {
    auto& wanted = clusters[cells[i] * block.clusters / cell_count];
    if (wanted.size() < ratio)
      wanted.push_back(i);
    else
      overflow.push_back(i);
  }
  std::size_t next = 0;
  for (auto& each : clusters)
    if (each.empty()) each.push_back(overflow.at(next++));
  for (; next < overflow.size(); ++next)
    clusters[nearest(clusters, ratio, points, overflow[next])].push_back(overflow[next]);
  return clusters;
}

index_answer in_blocks(const problem& p) {
  index_answer answer;
  answer.cluster.resize(static_cast<std::size_t>(p.points));
  for (int b = 0; b <= p.instances; ++b) answer.count.push_back(static_cast<std::int32_t>(p.rows));
  for (const row_block& block : blocks_of(p)) {
    const std::vector<std::uint16_t> cells = cells_of_block(p, block);
    answer.cell.insert(answer.cell.end(), cells.begin(), cells.end());
    const auto clusters = p.how == clustering::three_steps ? search(p, block, cells) : cut(p, block, cells);
    for (const auto& each : clusters) {
      for (const std::uint32_t i : each)
        answer.cluster[block.first + i] = static_cast<std::uint32_t>(answer.start.size());
      answer.start.push_back(static_cast<std::uint32_t>(answer.member.size()));
      for (const std::uint32_t i : each) answer.member.push_back(block.first + i);
    }
  }
  answer.start.push_back(static_cast<std::uint32_t>(p.points));
  std::int64_t clusters = 0;
  for (int b = 0; b < p.instances; ++b) {
    answer.count[static_cast<std::size_t>(b)] = static_cast<std::int32_t>(clusters);
    clusters += clusters_of(p.ends[b] - (b == 0 ? 0 : p.ends[b - 1]), p.ratio);
  }
  return answer;
}

index_answer on_grid(const problem& p) {
  index_answer answer;
  answer.cluster.resize(static_cast<std::size_t>(p.points));
  int instance = 0;
  for (std::int64_t i = 0; i < p.points; ++i) {
    const std::int32_t row = p.orders[i];
    const std::uint64_t code = coarse_code(p, 0, row);
    if (i == 0 || code != coarse_code(p, 0, p.orders[i - 1])) {
      for (; instance <= instance_of_code(p, code); ++instance)
        answer.count.push_back(static_cast<std::int32_t>(answer.start.size()));
      answer.start.push_back(static_cast<std::uint32_t>(i));
    }
    answer.member.push_back(static_cast<std::uint32_t>(row));
    answer.cluster[static_cast<std::size_t>(row)] = static_cast<std::uint32_t>(answer.start.size() - 1);
  }
  for (; instance <= p.instances; ++instance)
    answer.count.push_back(static_cast<std::int32_t>(answer.start.size()));
  answer.start.push_back(static_cast<std::uint32_t>(p.points));
  return answer;
}

}  // namespace

std::vector<row_block> blocks_of(const problem& p) {
  std::vector<row_block> blocks;
  std::uint32_t cluster = 0, begin = 0;
  for (int b = 0; b < p.instances; begin = p.ends[b++])
    for (std::uint32_t first = begin; first < p.ends[b]; first += block_points) {
      const std::uint32_t points = std::min<std::uint32_t>(p.ends[b] - first, block_points);
      blocks.push_back({b, first, points, cluster, clusters_of(points, p.ratio)});
      cluster += blocks.back().clusters;
    }
  return blocks;
}

std::vector<std::uint16_t> cells_of_block(const problem& p, const row_block& block) {
  return cells_of(points_of_block(p, block));
}

index_answer answer_of(const problem& p) { return p.is_grid() ? on_grid(p) : in_blocks(p); }

}  // namespace ablate::pool
