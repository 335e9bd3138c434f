#include "reports/sections/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/record/bounded.h"
#include "base/record/counter_regime.h"
#include "base/text/text.h"
#include "reports/ablation/tables.h"
#include "reports/explain/explanation.h"
#include "reports/views/metrics.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

constexpr double binds_from_pct = 70;  // of a ceiling: what comes as near is bound by it
constexpr double measured_up_to_pct = 100 * (1 + ceiling_slack);  // more is not what the ceiling measures

/// How near a case comes to a ceiling of its run.
struct pressure {
  std::string by;       ///< "atomics"
  double pct;           ///< of the ceiling
  std::string figures;  ///< that it rests on: "61.2 of 104 Gatomics/s"
};

std::optional<double> rate_of(const record& r, const std::string& ceiling) {
  const auto found = r.ceilings.find(ceiling);
  const bool is_rate = found != r.ceilings.end() && found->second.rate_per_s > 0;
  return is_rate ? std::optional(found->second.rate_per_s) : std::nullopt;
}

void add_rate(const record& r, const char* by, const std::string& ceiling, std::optional<double> amount,
              const measured_case& c, const char* unit, std::vector<pressure>& to) {
  const auto most = rate_of(r, ceiling);
  if (!amount || !most || *amount <= 0) return;
  const double rate = *amount / (c.time.median_us * 1e-6);
  to.push_back({by, 100 * rate / *most,
                fmt::format("{}{} of {}{}", with_prefix(rate), unit, with_prefix(*most), unit)});
}

std::optional<double> counted(const measured_case& c, const char* name) {
  for (const explain::amount& a : explain::amounts_of(c))
    if (a.name == name) return a.measured;
  return std::nullopt;
}

std::vector<pressure> pressures_on(const record& r, const measured_case& c) {
  std::vector<pressure> out;
  add_rate(r, "L2 atomics", "atomics_distinct", counted(c, "atomics"), c, "atomics/s", out);
  add_rate(r, "device memory", "dram_copy_bytes", counted(c, "bytes"), c, "B/s", out);
  if (!out.empty() && out.back().by == "device memory") out.back().figures += regime_mark(c);
  for (const auto& [name, by] :
       {std::pair{"sm_issue_pct", "instruction issue"}, {"tensor_flop_pct", "the tensor pipe"}})
    if (const auto pct = metric_named(name).of(r, c)) {
      const std::string_view title = metric_named(name).title;
      out.push_back({by, *pct, std::string(title.substr(0, title.find(" (%)"))) + regime_mark(c)});
    }
  if (c.floors)
    for (const auto& [us, by, kind] : {std::tuple{c.floors->launch_us, "the launch", "floor"},
                                       {c.floors->random_us, "random accesses", "model"}})
      if (us)
        out.push_back({by, 100 * *us / c.time.median_us,
                       fmt::format("{} {} of {} µs", kind, significant(*us), significant(c.time.median_us))});
  std::erase_if(out, [](const pressure& p) { return p.pct > measured_up_to_pct; });
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.pct > b.pct; });
  return out;
}

/// The single switch that gains most on this workload from this case; null if none does for certain.
const switch_effect* best_move(const operation_ablation& from, const comparable_cases& row,
                               const measured_case& c) {
  const switch_effect* out = nullptr;
  for (const switch_effect& e : from.effects)
    if (e.row == &row && e.measured.from == &c && e.measured.verdict.word == gate::verdict::faster &&
        (!out || e.measured.ratio() > out->measured.ratio()))
      out = &e;
  return out;
}

std::string move_text(const record& r, const switch_effect* move) {
  if (!move) return "no single switch measured from here is certainly faster";
  const effect& e = move->measured;
  std::string out = fmt::format(
      "the switch that gains most is `{}` {} → {}, {}", move->change.name, move->change.from, move->change.to,
      ratio_with_interval(e.ratio(), e.low(), e.high()) + moved_mark(e.from_moved_pct));
  const std::vector<moved_metric> moved = moved_metrics(r, *e.from, *e.to);
  return moved.empty() ? out : out + fmt::format(" ({})", text_of(moved.front()));
}

/// The workload of our variants that has most of them, the later one of several: sizes ascend.
const comparable_cases* busiest_row(const operation_view& view) {
  const comparable_cases* out = nullptr;
  for (const comparable_cases& row : view.rows)
    if (row.of(view.baseline) && (!out || row.by_variant.size() >= out->by_variant.size())) out = &row;
  return out;
}

}  // namespace

std::vector<std::string> advice_on(const record& r, const operation_view& view,
                                   const operation_ablation& ablation) {
  const comparable_cases* row = busiest_row(view);
  if (!row || row->by_variant.size() < 2) return {};
  const measured_case* fastest = nullptr;
  for (const measured_case* c : own_cases(r, view, *row))
    if (!fastest || c->time.median_us < fastest->time.median_us) fastest = c;
  std::vector<const measured_case*> advised = {row->of(view.baseline)};
  if (fastest && fastest != advised.front()) advised.push_back(fastest);
  const std::string point = workload_labels(view, view.varying_axes()).of(row->axes);
  std::vector<std::string> out;
  for (const measured_case* c : advised) {
    const std::vector<pressure> all = pressures_on(r, *c);
    if (all.empty()) continue;
    const pressure& nearest = all.front();
    const std::string bound =
        nearest.pct >= binds_from_pct
            ? fmt::format("is bound by {}: {:.0f} % of the ceiling ({})", nearest.by,
                          shown_figure(nearest.pct, 100, ceiling_slack).value_or(100), nearest.figures)
            : fmt::format("is at no measured limit; closest: {}, {:.0f} % ({})", nearest.by, nearest.pct,
                          nearest.figures);
    out.push_back(fmt::format("`{}` on {}, {}, {}; {}.", c->variant, point, row->cache_state, bound,
                              move_text(r, best_move(ablation, *row, *c))));
  }
  return out;
}

}  // namespace ablate::reports
