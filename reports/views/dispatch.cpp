#include "reports/views/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/statistics/quantile.h"

namespace ablate::reports {
namespace {

constexpr double as_fast = 1.02;

/// The policies' picks at a workload: the same for all its cases.
const named_words& picks_of(const comparable_cases& row) {
  static const named_words none;
  for (const auto& [variant, c] : row.by_variant)
    if (!c->dispatch.empty()) return c->dispatch;
  return none;
}

/// Only over the variants for which `counts` is true.
template <class Counts>
double best_us(const comparable_cases& row, Counts counts) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [variant, c] : row.by_variant)
    if (counts(variant)) best = std::min(best, c->time.median_us);
  return best;
}

using variants_by_policy = std::map<std::string, std::set<std::string>>;

variants_by_policy candidates_of(const operation_view& view) {
  variants_by_policy out;
  for (const comparable_cases& row : view.rows)
    for (const auto& [policy, pick] : picks_of(row)) out[policy].insert(pick);
  return out;
}

std::string ratio(const policy_record& of, double value) {
  return of.judged == 0 ? "" : fmt::format("{:.2f}×", value);
}

}  // namespace

std::vector<policy_record> policy_records(const operation_view& view) {
  const variants_by_policy candidates = candidates_of(view);
  std::vector<policy_record> out;
  std::vector<std::vector<double>> over_best;
  for (const comparable_cases& row : view.rows)
    for (const auto& [policy, pick] : picks_of(row)) {
      auto found = std::find_if(out.begin(), out.end(),
                                [&name = policy](const policy_record& p) { return p.policy == name; });
      if (found == out.end()) {
        found = out.insert(out.end(), policy_record{policy});
        over_best.emplace_back();
      }
      const measured_case* picked = row.of(pick);
      if (!picked) {
        ++found->not_measured;
      } else if (row.by_variant.size() > 1) {
        const auto any = [](const std::string&) { return true; };
        const auto own = [&, &of = candidates.at(policy)](const std::string& v) { return of.contains(v); };
        const double over = picked->time.median_us / best_us(row, any);
        over_best[static_cast<std::size_t>(found - out.begin())].push_back(over);
        if (over <= as_fast) ++found->fastest;
        if (picked->time.median_us <= as_fast * best_us(row, own)) ++found->fastest_of_own;
      }
    }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].judged = over_best[i].size();
    if (out[i].judged == 0) continue;
    out[i].median_over_best = gate::median(over_best[i]);
    out[i].worst_over_best = *std::max_element(over_best[i].begin(), over_best[i].end());
  }
  return out;
}

table policy_table(const operation_view& view) {
  const auto share = [](const policy_record& p, std::size_t count) {
    if (p.judged == 0) return std::string();
    return fmt::format("{} ({:.0f} %)", count,
                       100.0 * static_cast<double>(count) / static_cast<double>(p.judged));
  };
  table out{{"policy", "workloads judged", "its pick is the fastest", "the fastest of its picks",
             "median over the best", "worst over the best", "pick not measured"},
            1,
            {}};
  for (const policy_record& p : policy_records(view))
    out.lines.push_back(
        {{p.policy, std::to_string(p.judged), share(p, p.fastest), share(p, p.fastest_of_own),
          ratio(p, p.median_over_best), ratio(p, p.worst_over_best), std::to_string(p.not_measured)},
         {}});
  return out;
}

}  // namespace ablate::reports
