#include "reports/ablation/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/process/data_directory.h"
#include "base/statistics/false_discovery.h"
#include "reports/gate/delta.h"
#include "reports/gate/shift.h"
#include "reports/plots/render.h"

namespace ablate::reports {
namespace {

/// Of the only verdict that an estimate like this one may get. The intervals leave out either side with half
/// of what the confidence leaves, so the p of a side counts twice.
double p_of(const gate::launch_ratio& over, double limit, double excluded) {
  const double p = over.estimate > limit    ? over.p_above(excluded)
                   : over.estimate < -limit ? over.p_below(-excluded)
                                            : std::max(over.p_above(-limit), over.p_below(limit));
  return std::min(1.0, 2 * p);
}

}  // namespace

effect_limits limits_of(const gate::gate_policy& policy) {
  return {policy.delta.minimum_pct,
          policy.compare.one_launch_delta_pct,
          policy.compare.one_launch_short_delta_pct,
          policy.compare.short_below_us,
          policy.confirm.bound_share_of_delta,
          policy.compare.interval_confidence};
}

gate::gate_policy shipped_policy() {
  const std::filesystem::path file = std::filesystem::path("suites") / "gates" / "default.json";
  const std::filesystem::path beside_reports = renderer_directory().parent_path() / file;
  return gate::read_policy(std::filesystem::exists(beside_reports) ? beside_reports
                                                                   : process::data_directory() / file);
}

judgment judged_within_launch(const gate::shift& time, double first_us, const effect_limits& limits) {
  const double pct =
      std::max(limits.minimum_pct,
               first_us < limits.short_below_us ? limits.one_launch_short_pct : limits.one_launch_pct);
  const double limit = gate::log_of_percent(pct);
  const gate::verdict word = gate::verdict_of_one_launch(time, limit, limits.bound_share * limit,
                                                         gate::log_of_percent(limits.minimum_pct));
  return {word, pct,
          word == gate::verdict::inconclusive ? "within the differences between single processes" : ""};
}

judgment judged(const gate::shift& time, double first_us, std::size_t launches, const effect_limits& limits) {
  if (launches == 1) return judged_within_launch(time, first_us, limits);
  const double limit = gate::log_of_percent(limits.minimum_pct), excluded = limits.bound_share * limit;
  judgment out{gate::verdict_of(time, limit, excluded, gate::excluded_by(time, excluded)), limits.minimum_pct,
               ""};
  // No effect is proven where the interval allows one.
  if (out.word == gate::verdict::same && (time.low < -limit || time.high > limit))
    out.word = gate::verdict::inconclusive;
  if (out.word == gate::verdict::inconclusive)
    out.reason = "the interval of these processes cannot tell an effect from none";
  return out;
}

judgment judged(const gate::launch_ratio& over, const effect_limits& limits) {
  judgment out = judged({over.estimate, over.low, over.high}, 0, over.launches, limits);
  const double limit = gate::log_of_percent(limits.minimum_pct);
  if (over.launches > 1) out.p = p_of(over, limit, limits.bound_share * limit);
  return out;
}

void control_false_discoveries(const std::vector<judgment*>& together, const effect_limits& limits) {
  std::vector<judgment*> judged;
  std::vector<double> p;
  for (judgment* j : together)
    if (j->p) {
      judged.push_back(j);
      p.push_back(*j->p);
    }
  const std::vector<double> adjusted = gate::false_discovery_adjusted(p);
  for (std::size_t i = 0; i < judged.size(); ++i)
    if (judged[i]->word != gate::verdict::inconclusive && adjusted[i] > 1 - limits.confidence) {
      judged[i]->word = gate::verdict::inconclusive;
      judged[i]->reason = fmt::format("certain alone, but not among {} comparisons", judged.size());
    }
}

std::string about_false_discoveries(double confidence) {
  return fmt::format(
      "Of FASTER, SLOWER and SAME together at most {:g} % are expected to be false (Benjamini "
      "and Hochberg).",
      100 * (1 - confidence));
}

}  // namespace ablate::reports
