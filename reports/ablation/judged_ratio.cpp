#include "reports/ablation/judged_ratio.h"

#include <cmath>

#include "reports/views/case_launches.h"

namespace ablate::reports {
namespace {

using timing = measured_case::timing;

double log_of_times(double above, double below) { return std::log(above) - std::log(below); }

judged_ratio judged_over_launches(const std::vector<gate::launched_ratio>& ratios,
                                  const effect_limits& limits) {
  const gate::launch_ratio over = gate::ratio_over_launches(ratios, limits.confidence);
  return {{over.estimate, over.low, over.high}, ratios.size(), judged(over, limits)};
}

judged_ratio judged_of_one(const gate::shift& time, double first_us, const effect_limits& limits) {
  return {time, 1, judged_within_launch(time, first_us, limits)};
}

}  // namespace

judged_ratio judged_ratio_of(const std::vector<timed_pair>& pairs, double from_us,
                             const effect_limits& limits) {
  if (pairs.size() == 1) {
    const timing &from = *pairs.front().from, &to = *pairs.front().to;
    return judged_of_one(
        {log_of_times(to.median_us, from.median_us), log_of_times(to.ci95_low_us, from.ci95_high_us),
         log_of_times(to.ci95_high_us, from.ci95_low_us)},
        from_us, limits);
  }
  std::vector<gate::launched_ratio> ratios;
  for (const timed_pair& p : pairs)
    ratios.push_back({p.gpu, std::log(p.to->median_us / p.from->median_us),
                      std::hypot(log_error(*p.from), log_error(*p.to))});
  return judged_over_launches(ratios, limits);
}

judged_ratio judged_excess_of(const std::vector<timed_square>& squares, double neither_us,
                              const effect_limits& limits) {
  if (squares.size() == 1) {
    const timing &n = *squares.front().neither, &a = *squares.front().first, &b = *squares.front().second,
                 &t = *squares.front().both;
    return judged_of_one({log_of_times(t.median_us * n.median_us, a.median_us * b.median_us),
                          log_of_times(t.ci95_low_us * n.ci95_low_us, a.ci95_high_us * b.ci95_high_us),
                          log_of_times(t.ci95_high_us * n.ci95_high_us, a.ci95_low_us * b.ci95_low_us)},
                         neither_us, limits);
  }
  std::vector<gate::launched_ratio> ratios;
  for (const auto& [n, a, b, t, gpu] : squares)
    ratios.push_back(
        {gpu, log_of_times(t->median_us * n->median_us, a->median_us * b->median_us),
         std::hypot(std::hypot(log_error(*t), log_error(*n)), std::hypot(log_error(*a), log_error(*b)))});
  return judged_over_launches(ratios, limits);
}

}  // namespace ablate::reports
