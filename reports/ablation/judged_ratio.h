#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/record/record.h"
#include "reports/ablation/limits.h"

namespace ablate::reports {

/// A ratio of times with its verdict, however many launches it is of.
struct judged_ratio {
  gate::shift time;  ///< the logarithm
  std::size_t launches;
  judgment verdict;
};

/// Two times of one launch.
struct timed_pair {
  const measured_case::timing *from, *to;
  std::uint64_t gpu;
};

/// `to` over `from`. Over several launches the interval is that of ratio_over_launches; of one launch it is
/// what the two medians' 95 % intervals allow. `from_us` says whether the case counts as a short one.
judged_ratio judged_ratio_of(const std::vector<timed_pair>&, double from_us, const effect_limits&);

/// Four times of one launch: without two changes, with either, with both.
struct timed_square {
  const measured_case::timing *neither, *first, *second, *both;
  std::uint64_t gpu;
};

/// `both` over what the product of the two changes alone would give.
judged_ratio judged_excess_of(const std::vector<timed_square>&, double neither_us, const effect_limits&);

}  // namespace ablate::reports
