#include "oracles/pool/quality.h"

#include <algorithm>
#include <vector>

#include "kernels/common/half.h"
#include "kernels/common/locality.h"
#include "oracles/pool/index_answer.h"

namespace ablate::pool {

cluster_quality quality_of(const problem& p) {
  cluster_quality q;
  std::vector<double> radii;
  const std::int64_t rows = p.count[p.instances];
  std::int64_t alone = 0;
  for (std::int64_t j = 0; j < rows; ++j) {
    const std::int64_t first = p.start[j], members = p.start[j + 1] - first;
    alone += members == 1;
    q.largest = std::max(q.largest, members);
    radii.push_back(rms_radius(members, [&](std::int64_t i, std::size_t axis) {
      const std::int64_t at = 3 * std::int64_t{p.member[first + i]} + static_cast<std::int64_t>(axis);
      return p.is_grid() ? p.positions[at] : float_of_half(p.coordinates[at]);
    }));
    q.mean_radius_m += radii.back() / static_cast<double>(rows);
  }
  std::ranges::sort(radii);
  q.median_radius_m = radii[radii.size() / 2];
  q.p99_radius_m = radii[radii.size() * 99 / 100];
  q.singletons = static_cast<double>(alone) / static_cast<double>(rows);
  q.points_per_cluster = static_cast<double>(p.points) / static_cast<double>(rows);
  if (p.is_grid()) return q;
  const std::vector<row_block> blocks = blocks_of(p);
  std::vector<std::int64_t> not_full(blocks.size());
  for (std::int64_t j = 0; j < rows; ++j) {
    const auto behind = std::ranges::upper_bound(blocks, p.member[p.start[j]], {}, &row_block::first);
    not_full[static_cast<std::size_t>(behind - blocks.begin()) - 1] +=
        p.start[j + 1] - p.start[j] < static_cast<std::uint32_t>(p.ratio);
  }
  q.max_not_full = *std::ranges::max_element(not_full);
  return q;
}

}  // namespace ablate::pool
