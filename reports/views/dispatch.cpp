#include "reports/views/dispatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/statistics/quantile.h"

namespace ablate::reports {
namespace {

constexpr double as_fast = 1.02;

/// What the policies take at a workload: the same for all its cases.
const named_words& picks_of(const comparable_cases& row) {
  static const named_words none;
  for (const auto& [variant, c] : row.by_variant)
    if (!c->dispatch.empty()) return c->dispatch;
  return none;
}

double best_us(const comparable_cases& row) {
  return std::min_element(
             row.by_variant.begin(), row.by_variant.end(),
             [](const auto& a, const auto& b) { return a.second->time.median_us < b.second->time.median_us; })
      ->second->time.median_us;
}

std::string ratio(const policy_record& of, double value) {
  return of.judged == 0 ? "" : fmt::format("{:.2f}×", value);
}

}  // namespace

std::vector<policy_record> policy_records(const operation_view& view) {
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
        const double over = picked->time.median_us / best_us(row);
        over_best[static_cast<std::size_t>(found - out.begin())].push_back(over);
        if (over <= as_fast) ++found->fastest;
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
  table out{{"policy", "workloads judged", "its pick is the fastest", "median over the best",
             "worst over the best", "pick not measured"},
            1,
            {}};
  for (const policy_record& p : policy_records(view))
    out.lines.push_back(
        {{p.policy, std::to_string(p.judged),
          p.judged == 0 ? ""
                        : fmt::format("{} ({:.0f} %)", p.fastest,
                                      100.0 * static_cast<double>(p.fastest) / static_cast<double>(p.judged)),
          ratio(p, p.median_over_best), ratio(p, p.worst_over_best), std::to_string(p.not_measured)},
         {}});
  return out;
}

}  // namespace ablate::reports
