#include "reports/ablation/limits.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "base/process/data_directory.h"
#include "reports/gate/delta.h"
#include "reports/gate/shift.h"
#include "reports/plots/render.h"

namespace ablate::reports {
namespace {

judgment judged_within_run(const gate::shift& time, double first_us, const effect_limits& limits) {
  const double pct =
      std::max(limits.minimum_pct,
               first_us < limits.short_below_us ? limits.one_launch_short_pct : limits.one_launch_pct);
  const double limit = gate::log_of_percent(pct);
  const gate::verdict word = gate::verdict_of_one_launch(time, limit, limits.bound_share * limit,
                                                         gate::log_of_percent(limits.minimum_pct));
  return {word, pct, word == gate::verdict::inconclusive ? "within what single processes may differ by" : ""};
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

judgment judged(const gate::shift& time, double first_us, std::size_t processes,
                const effect_limits& limits) {
  if (processes == 1) return judged_within_run(time, first_us, limits);
  const double limit = gate::log_of_percent(limits.minimum_pct), excluded = limits.bound_share * limit;
  judgment out{gate::verdict_of(time, limit, excluded, gate::excluded_by(time, excluded)), limits.minimum_pct,
               ""};
  // No effect is proven where the interval allows one.
  if (out.word == gate::verdict::same && (time.low < -limit || time.high > limit))
    out.word = gate::verdict::inconclusive;
  if (out.word == gate::verdict::inconclusive)
    out.reason = "the interval of these processes does not tell an effect from none";
  return out;
}

}  // namespace ablate::reports
