#include "oracles/psh_bucket/quality.h"

#include <algorithm>
#include <vector>

#include "kernels/common/half.h"
#include "kernels/common/locality.h"

namespace ablate::psh_bucket {
namespace {

struct placed_point {
  std::int64_t point;
  int instance;
};

int instance_of(const problem& p, std::int64_t point) {
  return static_cast<int>(std::upper_bound(p.ends, p.ends + p.instances, point) - p.ends);
}

std::vector<placed_point> points_of_slice(const problem& p, std::int64_t first_row) {
  std::vector<placed_point> slice;
  for (std::int64_t row = first_row; row < first_row + p.capacity; ++row)
    if (p.source[row] < p.points) slice.push_back({p.source[row], instance_of(p, p.source[row])});
  return slice;
}

/// A bucket's points are contiguous, so the bucket with the most points has the longest run.
double share_of_largest_bucket(const problem& p, const std::vector<placed_point>& slice) {
  std::size_t longest = 0, run = 0;
  for (std::size_t i = 0; i < slice.size(); ++i) {
    const bool same = i > 0 && slice[i].instance == slice[i - 1].instance &&
                      p.bucket_id[slice[i].point] == p.bucket_id[slice[i - 1].point];
    run = same ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return static_cast<double>(longest) / static_cast<double>(slice.size());
}

void measure_slices(const problem& p, quality_figures& into) {
  slice_locality of_one_instance;
  double shares = 0;
  int slices = 0;
  for (std::int64_t row = 0; row < p.rows(); row += p.capacity) {
    const std::vector<placed_point> slice = points_of_slice(p, row);
    if (slice.empty()) continue;
    ++slices;
    shares += share_of_largest_bucket(p, slice);
    const bool mixed_slice = std::any_of(slice.begin(), slice.end(), [&](const placed_point& each) {
      return each.instance != slice.front().instance;
    });
    if (mixed_slice) continue;
    of_one_instance.add(static_cast<std::int64_t>(slice.size()), [&](std::int64_t i, std::size_t axis) {
      const placed_point& each = slice[static_cast<std::size_t>(i)];
      return float_of_half(p.coordinates[3 * each.point + static_cast<std::int64_t>(axis)]);
    });
  }
  into.locality_rms = of_one_instance.mean_rms();
  if (slices > 0) into.purity = shares / slices;
}

}  // namespace

quality_figures quality_of(const problem& p, std::span<const std::uint16_t> homes) {
  quality_figures figures;
  if (p.points == 0) return figures;
  const auto n = static_cast<double>(p.points);
  const bool may_wait = p.mode == mode::strict && p.last == phase::rebalance && p.claims;
  std::int64_t at_home = 0, in_bin = 0;
  for (std::int64_t i = 0; i < p.points; ++i) {
    const bool waits = may_wait && (p.bucket_off[i] & leftover_bit) != 0;
    at_home += p.bucket_id[i] == homes[i] && !waits;
    in_bin += p.bucket_id[i] == 0;
  }
  figures.at_home_share = static_cast<double>(at_home) / n;
  if (p.mode != mode::strict) figures.bin_share = static_cast<double>(in_bin) / n;

  const std::span counts(p.bucket_count, static_cast<std::size_t>(p.instances) * p.buckets);
  figures.largest_bucket = *std::max_element(counts.begin(), counts.end());
  figures.buckets_over_capacity = std::count_if(counts.begin(), counts.end(), [&](std::uint32_t count) {
    return count > static_cast<std::uint32_t>(p.capacity);
  });
  if (p.last == phase::scatter) measure_slices(p, figures);
  return figures;
}

}  // namespace ablate::psh_bucket
