#include "reports/sections/record_report.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reports/ablation/waterfall_plot.h"
#include "reports/claims/claims_ledger.h"
#include "reports/claims/claims_limits.h"
#include "reports/claims/claims_words.h"
#include "reports/ladder/ladder_plot.h"
#include "reports/question/answer_plot.h"
#include "reports/sections/advice.h"
#include "reports/sections/device_state.h"
#include "reports/sections/roofline.h"
#include "reports/views/joined_cases.h"
#include "reports/views/over_launches.h"

namespace ablate::reports {
namespace {

constexpr std::size_t maximum_scaling_plots = 24;
constexpr std::size_t maximum_best_plots = 6;
constexpr std::size_t maximum_quality_plots = 4;
constexpr std::size_t maximum_trend_plots = 12;
constexpr std::size_t maximum_waterfalls = 4;
constexpr std::size_t fewest_sizes = 3;  // of a curve

constexpr plot_kind kinds[] = {
    {"scaling", &operation_plots::scaling},
    {"speed_up", &operation_plots::speed_up},
    {"best", &operation_plots::best},
    {"energy", &operation_plots::energy},
    {"waterfall", &operation_plots::waterfalls},
    {"metrics", &operation_plots::metrics},
    {"roofline", &operation_plots::roofline},
    {"floor", &operation_plots::floor},
    {"kernels", &operation_plots::kernels},
    {"merging", &operation_plots::merging},
    {"quality", &operation_plots::quality},
    {"picture", &operation_plots::pictures},
    {"timeline", &operation_plots::timelines},
    {"trend", &operation_plots::trends},
};

void append(std::vector<plot>& to, std::vector<plot> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// A comparison's view, whose plots show only the variants that are asked for. It has a baseline, with its
/// mark, only where that is one of its variants: not where axes are part of their names.
operation_view drawn_view(const record& r, const std::string& name, const std::vector<std::string>* drawn) {
  operation_view out(r, name);
  if (std::none_of(r.operations.begin(), r.operations.end(),
                   [&](const auto& of) { return of.name == name && of.baseline == out.baseline; }))
    out.baseline.clear();
  if (drawn) out.draw_only(*drawn);
  return out;
}

/// Figures across axes or operations come after those of the first operation that they show.
void add_comparison(const record& r, const comparison& c, const std::vector<std::string>* drawn,
                    operation_plots& to) {
  const auto wants = [&](const char* kind) {
    return std::find(c.draw.begin(), c.draw.end(), kind) != c.draw.end();
  };
  if (wants("counters")) {
    const record curves = joined_curves(r, c, fewest_sizes);
    append(to.metrics,
           metric_plots(curves, drawn_view(curves, joined_name(c), drawn), maximum_scaling_plots));
  }
  if (wants("quality")) {
    const record cases = joined_cases(r, c);
    append(to.quality,
           quality_plots(drawn_view(cases, joined_name(c), drawn), r.device_name, maximum_quality_plots));
  }
}

operation_plots plots_of(const record& r, const operation_view& view, const operation_ablation& ablation,
                         const process_launches& processes, const effect_limits& limits,
                         const report_extras& extras) {
  operation_plots out;
  out.ablation = tables_of(view, ablation, limits);
  out.shares = attribute::share_section_of(r, view, *processes.launches(), limits);
  out.advice = advice_on(r, view, ablation);
  out.work = work_table(view);
  out.scaling = scaling_plots(view, r.device_name, maximum_scaling_plots);
  out.scaling_left_out = view.scaling_groups(fewest_sizes).size() - out.scaling.size();
  out.speed_up = speed_up_plots(view, r.device_name);
  out.best = best_plots(view, r.device_name, maximum_best_plots);
  out.energy = energy_plots(view, r.device_name);
  out.waterfalls = waterfall_plots(view, ablation.steps, r.device_name, maximum_waterfalls);
  out.metrics = metric_plots(r, view, maximum_scaling_plots);
  out.roofline = roofline_plots(r, view);
  out.floor = floor_plots(view, r.device_name);
  out.kernels = kernel_plots(r, view, maximum_scaling_plots);
  out.merging = merging_plots(view, r.device_name);
  out.quality = quality_plots(view, r.device_name, maximum_quality_plots);
  out.pictures = picture_plots(r, view);
  out.timelines = timeline_plots(r, view);
  if (extras.trends) out.trends = history::trend_plots(*extras.trends, view.name, maximum_trend_plots);
  for (const comparison& c : r.report.comparisons)
    if (c.operations.front() == view.name) add_comparison(r, c, extras.drawn, out);
  return out;
}

/// Judges the claims on this record's operations against it.
void hold_claims(const std::vector<claim>& all, const claim_limits& limits, record_report& to) {
  std::vector<claim> of_here;
  for (const claim& c : all) {
    const auto is_of = [&](const auto& entry) {
      return c.quantity && entry.operation == c.quantity->of.operation;
    };
    if (std::any_of(to.of->cases.begin(), to.of->cases.end(), is_of) ||
        std::any_of(to.of->unmeasured.begin(), to.of->unmeasured.end(), is_of))
      of_here.push_back(c);
  }
  to.other_claims = all.size() - of_here.size();
  if (of_here.empty()) return;
  std::vector<std::filesystem::path> further;
  for (const record* launch : to.more) further.push_back(launch->path);
  const std::vector<claim_evidence> evidence = {read_claim_evidence(to.of->path, further)};
  const std::vector<claim_ledger> ledgers = ledgers_of(of_here, evidence, limits);
  to.how_claims_are_judged = how_intervals_are_made(limits);
  for (const auto& entry : ledgers.front().entries)
    to.claims.push_back({*entry.of, entry.result, marks_of(entry.result)});
}

/// In the order in which reports show them.
template <class Plot, class Report>
std::vector<Plot*> plots_in(Report& of) {
  std::vector<Plot*> out;
  if (of.answer_drawn) out.push_back(&*of.answer_drawn);
  if (of.ladder_drawn) out.push_back(&*of.ladder_drawn);
  for (auto& exhibit : of.exhibits)
    if (exhibit.drawn) out.push_back(&*exhibit.drawn);
  for (auto& here : of.plots)
    for (const plot_kind& kind : kinds)
      for (Plot& p : here.*kind.plots) out.push_back(&p);
  for (Plot& p : of.run_plots) out.push_back(&p);
  return out;
}

}  // namespace

std::span<const plot_kind> plot_kinds() { return kinds; }

std::vector<const plot*> record_report::all_plots() const { return plots_in<const plot>(*this); }

record_report report_of(const record& first, std::vector<const record*> more, const report_extras& extras,
                        const std::string& label, const std::string& prefix) {
  record_report out;
  const effect_limits limits = limits_of(*extras.policy);
  const process_launches processes(first, more, limits);
  if (!more.empty())
    out.over_all = std::make_shared<const record>(over_launches(first, *processes.launches()));
  const record& r = out.over_all ? *out.over_all : first;
  out.of = &r;
  out.first = &first;
  out.more = std::move(more);
  out.label = label;
  out.views = operation_views(r);
  if (extras.question && extras.question->has_families()) {
    out.answer = answer_of(r, *extras.question, processes);
    out.answer_drawn = answer_plot(*out.answer, r.device_name);
  }
  if (extras.question && extras.question->ladder) {
    out.ladder = ladder_result_of(r, *extras.question->ladder, processes);
    if (out.ladder) out.ladder_drawn = ladder_plot(*out.ladder, r.device_name);
  }
  if (extras.question)
    for (const suite_exhibit& asked : extras.question->exhibits)
      if (auto exhibit = shown(r, asked)) out.exhibits.push_back(std::move(*exhibit));
  for (operation_view& view : out.views) {
    if (processes.count() > 1) view.launches = processes.launches();
    if (extras.drawn) view.draw_only(*extras.drawn);
  }
  for (const operation_view& view : out.views) {
    const operation_ablation& ablation = out.ablations.emplace_back(r, view, processes);
    out.plots.push_back(plots_of(r, view, ablation, processes, limits, extras));
  }
  out.noise = noise_of(first, out.more, extras.floors, *extras.policy);
  append(out.run_plots, noise_plots(r, out.noise));
  append(out.run_plots, device_state_plots(r));
  if (extras.claims) {
    std::vector<gate::noise_floors> floors;
    if (extras.floors) floors.push_back(*extras.floors);
    hold_claims(*extras.claims, limits_of_claims(*extras.policy, std::move(floors)), out);
  }
  for (plot* p : plots_in<plot>(out)) p->name = prefix + p->name;
  return out;
}

}  // namespace ablate::reports
