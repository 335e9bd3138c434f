#include "reports/ablation/waterfall.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/record/counter_regime.h"
#include "reports/views/metrics.h"

namespace ablate::reports {
namespace {

using path = std::vector<const measured_case*>;

constexpr double least_move = 0.02;
constexpr double least_pct = 1;

double log_move(const moved_metric& m) {
  return m.before > 0 && m.after > 0 ? std::fabs(std::log(m.after / m.before))
                                     : std::numeric_limits<double>::infinity();
}

/// Of one side of the steps; nothing if a case of it has no such figure.
std::optional<double> mean_of(const metric& m, const record& r, const std::vector<weighted_step>& steps,
                              const measured_case* weighted_step::*side) {
  double out = 0;
  for (const weighted_step& step : steps) {
    const auto value = m.of(r, *(step.*side));
    if (!value) return std::nullopt;
    out += step.weight * *value;
  }
  return out;
}

/// Of the first case that has one.
std::string sign_of(const std::vector<weighted_step>& steps) {
  for (const weighted_step& step : steps)
    for (const measured_case* c : {step.from, step.to})
      if (std::string sign = regime_sign(*c); !sign.empty()) return sign;
  return "";
}

/// Breadth-first search; empty if there is no path.
path shortest_path(const path& cases, const measured_case* from, const measured_case* to) {
  std::map<const measured_case*, const measured_case*> came_from = {{from, nullptr}};
  path open = {from};
  for (std::size_t i = 0; i < open.size() && !came_from.contains(to); ++i)
    for (const measured_case* next : cases)
      if (!came_from.contains(next) && same_input(*open[i], *next) &&
          single_change(open[i]->switches, next->switches)) {
        came_from.emplace(next, open[i]);
        open.push_back(next);
      }
  path out;
  if (!came_from.contains(to)) return out;
  for (const measured_case* at = to; at; at = came_from.at(at)) out.push_back(at);
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::string> variants_of(const path& of) {
  std::vector<std::string> out;
  for (const measured_case* c : of) out.push_back(c->variant);
  return out;
}

struct taken_path {
  const comparable_cases* row;
  path cases;
  std::size_t workloads;
};

/// Counts one more workload for the path to `best`, or for the lack of one.
void add_path(const path& cases, const measured_case* base, const measured_case* best,
              const comparable_cases& row, std::vector<taken_path>& taken,
              std::vector<unreached_best>& unreached) {
  path steps = shortest_path(cases, base, best);
  if (steps.empty()) {
    const auto found = std::find_if(unreached.begin(), unreached.end(),
                                    [&](const auto& u) { return u.variant == best->variant; });
    if (found == unreached.end())
      unreached.push_back({best->variant, 1});
    else
      ++found->workloads;
    return;
  }
  const auto found = std::find_if(taken.begin(), taken.end(), [&](const taken_path& t) {
    return variants_of(t.cases) == variants_of(steps);
  });
  if (found == taken.end()) {
    taken.push_back({&row, std::move(steps), 1});
    return;
  }
  ++found->workloads;
  if (row.by_variant.size() >= found->row->by_variant.size()) {
    found->row = &row;
    found->cases = std::move(steps);
  }
}

waterfall drawn(const record& r, const operation_view& view, const process_launches& processes,
                const taken_path& taken) {
  const measured_case &first = *taken.cases.front(), &last = *taken.cases.back();
  waterfall out{
      taken.row, {}, processes.between(first, last), taken.workloads, view.differ_in_quality(first, last)};
  for (std::size_t i = 0; i + 1 < taken.cases.size(); ++i) {
    const measured_case &from = *taken.cases[i], &to = *taken.cases[i + 1];
    out.steps.push_back({single_change(from.switches, to.switches).value(), processes.between(from, to),
                         moved_metrics(r, from, to)});
  }
  return out;
}

}  // namespace

double moved_metric::change_pct() const {
  return before > 0 ? 100 * (after / before - 1) : std::numeric_limits<double>::infinity();
}

std::vector<moved_metric> moved_metrics(const record& r, const measured_case& from, const measured_case& to) {
  return moved_metrics(r, std::vector<weighted_step>{{&from, &to, 1}});
}

std::vector<moved_metric> moved_metrics(const record& r, const std::vector<weighted_step>& steps) {
  std::vector<moved_metric> out;
  const std::string sign = sign_of(steps);
  for (const metric& m : case_metrics()) {
    if (m.formula.find("median time") != std::string_view::npos) continue;
    const auto before = mean_of(m, r, steps, &weighted_step::from),
               after = mean_of(m, r, steps, &weighted_step::to);
    if (!before || !after) continue;
    const double greater = std::max(*before, *after);
    if (!(greater > 0) || (m.name.ends_with("_pct") && greater < least_pct)) continue;
    if (std::fabs(*after - *before) >= least_move * greater) out.push_back({m.title, *before, *after, sign});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return log_move(a) > log_move(b); });
  return out;
}

std::string order_of(const waterfall& of) {
  if (of.steps.size() < 2) return "";
  std::string out;
  for (const waterfall_step& step : of.steps)
    out += (out.empty() ? ", in the order " : ", ") + step.change.name;
  return out;
}

operation_waterfalls waterfalls(const record& r, const operation_view& view,
                                const process_launches& processes) {
  operation_waterfalls out;
  std::vector<taken_path> taken;
  for (const comparable_cases& row : view.rows) {
    const path cases = own_cases(r, view, row);
    const measured_case* base = row.of(view.baseline);
    if (!base || cases.size() < 2 || std::find(cases.begin(), cases.end(), base) == cases.end()) continue;
    ++out.workloads;
    const measured_case *best = base, *best_alike = base;
    for (const measured_case* c : cases) {
      if (c->time.median_us < best->time.median_us) best = c;
      if (c->time.median_us < best_alike->time.median_us && !view.differ_in_quality(*base, *c))
        best_alike = c;
    }
    if (best == base) ++out.baseline_best;
    if (best != base) add_path(cases, base, best, row, taken, out.unreached);
    if (best_alike != best && best_alike != base)
      add_path(cases, base, best_alike, row, taken, out.unreached);
  }
  for (const taken_path& t : taken) out.paths.push_back(drawn(r, view, processes, t));
  std::stable_sort(out.paths.begin(), out.paths.end(), [](const waterfall& a, const waterfall& b) {
    return std::pair(a.workloads, a.whole.ratio()) > std::pair(b.workloads, b.whole.ratio());
  });
  std::stable_sort(out.unreached.begin(), out.unreached.end(),
                   [](const auto& a, const auto& b) { return a.workloads > b.workloads; });
  return out;
}

}  // namespace ablate::reports
