#include "reports/ablation/tables.h"
#include "base/text/counted_noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/record/clocks.h"
#include "base/text/text.h"
#include "reports/views/labels.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

constexpr std::size_t max_worths = 30, max_crossovers = 30, max_interactions = 15, max_waterfalls = 4;
constexpr std::size_t max_moved = 4;  // metrics per step

std::string values_text(const switch_change& change) { return change.from + " → " + change.to; }

std::string words_text(const switch_worth& worth) {
  std::vector<std::string> out;
  for (const word_share& share : worth.words)
    out.push_back(fmt::format("{}{}{}", gate::name_of(share.word),
                              worth.words.size() > 1 ? fmt::format(" {}", share.cases) : std::string(),
                              share.where.empty() ? std::string() : fmt::format(" ({})", share.where)));
  return fmt::format("{}", fmt::join(out, ", "));
}

/// How much the change moved over all cases in which its effect is certain.
double evidence(const switch_worth& worth) {
  double out = 0;
  for (const switch_effect* e : worth.effects)
    if (e->measured.verdict.word == gate::verdict::faster ||
        e->measured.verdict.word == gate::verdict::slower)
      out += std::fabs(std::log(e->measured.ratio()));
  return out;
}

/// Those that moved something, most evidence first.
std::vector<const switch_worth*> ranked_worths(const operation_ablation& from) {
  std::vector<std::pair<double, const switch_worth*>> ranked;
  for (const switch_worth& worth : from.worths)
    if (const double moved = evidence(worth); moved > 0) ranked.emplace_back(moved, &worth);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const switch_worth*> out;
  for (const auto& [moved, worth] : ranked) out.push_back(worth);
  return out;
}

/// "points 1024 to 65536": where it was measured.
std::string sizes_text(const operation_view& view, const switch_worth& worth) {
  if (!view.swept) return "";
  std::vector<std::string> sizes;
  for (const std::string& size : view.values(*view.swept))
    if (std::any_of(worth.effects.begin(), worth.effects.end(),
                    [&](const switch_effect* e) { return e->row->value(*view.swept) == size; }))
      sizes.push_back(size);
  return *view.swept + " " + (sizes.size() > 1 ? sizes.front() + " to " + sizes.back() : sizes.front());
}

std::string cases_in_brackets(std::size_t count) { return fmt::format(" ({})", counted_noun(count, "case")); }

/// How many of the cases may owe something to the clocks, if not all.
std::string clock_mark(std::size_t unlike, std::size_t cases, double median_in_cycles) {
  if (unlike == 0) return "";
  return cycles_mark(median_in_cycles) + (unlike < cases ? cases_in_brackets(unlike) : "");
}

/// How many of the cases are compared with a time that moved, if not all.
std::string unsteady_mark(const switch_worth& worth) {
  return moved_mark(worth.max_moved_pct) + (worth.unsteady > 0 && worth.unsteady < worth.effects.size()
                                                ? cases_in_brackets(worth.unsteady)
                                                : "");
}

std::string marks_of(const effect& e) { return cycles_mark(e.in_cycles()) + moved_mark(e.from_moved_pct); }

table worth_table(const operation_view& view, const std::vector<const switch_worth*>& shown) {
  table out{{"switch", "from → to", "verdicts", "measured at", "cases", "median", "worst to best"}, 4, {}};
  for (const switch_worth* worth : shown)
    out.lines.push_back(
        {{worth->change.name, values_text(worth->change), words_text(*worth), sizes_text(view, *worth),
          std::to_string(worth->effects.size()),
          fmt::format("{:.2f}×{}{}{}", worth->median, worth->unequal_quality ? " ≠" : "",
                      clock_mark(worth->unlike_clocks, worth->effects.size(), worth->median_in_cycles),
                      unsteady_mark(*worth)),
          fmt::format("{:.2f} to {:.2f}", worth->worst, worth->best)},
         {}});
  return out;
}

std::string workload_text(const operation_view& view, const comparable_cases& row) {
  const std::string point = workload_labels(view, view.varying_axes()).of(row.axes);
  return point.empty() ? row.cache_state : point + ", " + row.cache_state;
}

std::string moved_text(const waterfall_step& step) {
  std::vector<std::string> out;
  for (const moved_metric& m : step.moved)
    if (out.size() < max_moved) out.push_back(text_of(m));
  return fmt::format("{}", fmt::join(out, "; "));
}

waterfall_table waterfall_table_of(const operation_view& view, const waterfall& from, std::size_t workloads) {
  const measured_case &first = *from.whole.from, &last = *from.whole.to;
  waterfall_table out;
  out.heading = fmt::format(
      "`{}` to `{}`: {}{}{}, {}{}; {} (the path of {} of {} workloads)", first.variant, last.variant,
      ratio_with_interval(from.whole.ratio(), from.whole.low(), from.whole.high()), marks_of(from.whole),
      from.unequal_quality ? " ≠" : "", gate::name_of(from.whole.verdict.word), order_of(from),
      workload_text(view, *from.row), from.workloads, workloads);
  out.steps = {
      {"variant", "switch", "from → to", "verdict", "figures that moved", "median µs", "step", "so far"},
      5,
      {}};
  out.steps.lines.push_back(
      {{first.variant, "", "", "", "", median_with_interval(first.time), "", ""}, {first.name}});
  for (const waterfall_step& step : from.steps) {
    const measured_case& to = *step.measured.to;
    out.steps.lines.push_back(
        {{to.variant, step.change.name, values_text(step.change),
          std::string(gate::name_of(step.measured.verdict.word)), moved_text(step),
          median_with_interval(to.time),
          ratio_with_interval(step.measured.ratio(), step.measured.low(), step.measured.high()) +
              marks_of(step.measured),
          fmt::format("{:.2f}×", first.time.median_us / to.time.median_us)},
         {to.name}});
  }
  return out;
}

std::vector<std::string> sentences_of(const operation_view& view, const operation_waterfalls& from) {
  std::vector<std::string> out;
  if (from.paths.size() > max_waterfalls) {
    std::size_t left = 0;
    for (std::size_t i = max_waterfalls; i < from.paths.size(); ++i) left += from.paths[i].workloads;
    out.push_back(fmt::format("{} other paths, of {} workloads, are not shown.",
                              from.paths.size() - max_waterfalls, left));
  }
  if (from.baseline_best > 0)
    out.push_back(fmt::format("The baseline `{}` is itself the fastest in {} of {} workloads.", view.baseline,
                              from.baseline_best, from.workloads));
  for (const unreached_best& u : from.unreached)
    out.push_back(fmt::format(
        "`{}` is the fastest in {} of {} workloads, but no path of single switches leads there from `{}`.",
        u.variant, u.workloads, from.workloads, view.baseline));
  return out;
}

table crossover_table(const operation_view& view, const operation_ablation& from) {
  table out{{"switch", "from → to", "variants", "workload above", "along", "between", "winner below",
             "winner above"},
            8,
            {}};
  for (const crossover& c : from.changes_of_winner) {
    if (out.lines.size() == max_crossovers) break;
    out.lines.push_back(
        {{c.change.name, values_text(c.change), c.from_variant + " → " + c.to_variant,
          workload_text(view, *c.row), c.axis, c.below + " and " + c.above,
          c.faster_above ? c.change.from : c.change.to, c.faster_above ? c.change.to : c.change.from},
         {}});
  }
  return out;
}

std::string joint_words(const interaction& from) {
  std::size_t more = 0, less = 0, product = 0, unsure = 0;
  for (const switch_square* s : from.squares)
    ++(s->measured.verdict.word == gate::verdict::faster   ? more
       : s->measured.verdict.word == gate::verdict::slower ? less
       : s->measured.verdict.word == gate::verdict::same   ? product
                                                           : unsure);
  std::vector<std::string> out;
  for (const auto& [count, word] : {std::pair{more, "more than the product"},
                                    {less, "less than the product"},
                                    {product, "the product"},
                                    {unsure, "INCONCLUSIVE"}})
    if (count > 0) out.push_back(fmt::format("{} {}", word, count));
  return fmt::format("{}", fmt::join(out, ", "));
}

table interaction_table(const operation_ablation& from) {
  table out{{"switch", "and switch", "both together are worth", "cases", "median", "range"}, 3, {}};
  for (const interaction& i : from.together) {
    if (out.lines.size() == max_interactions) break;
    out.lines.push_back({{fmt::format("{} {}", i.first.name, values_text(i.first)),
                          fmt::format("{} {}", i.second.name, values_text(i.second)), joint_words(i),
                          std::to_string(i.squares.size()),
                          fmt::format("{:.2f}×{}", i.median,
                                      clock_mark(i.unlike_clocks, i.squares.size(), i.median_in_cycles)),
                          fmt::format("{:.2f} to {:.2f}", i.least, i.greatest)},
                         {}});
  }
  return out;
}

bool has_unlike_clocks(const operation_ablation& from) {
  const auto is_marked = [](const auto& line) { return line.unlike_clocks > 0; };
  return std::any_of(from.worths.begin(), from.worths.end(), is_marked) ||
         std::any_of(from.together.begin(), from.together.end(), is_marked) ||
         std::any_of(from.steps.paths.begin(), from.steps.paths.end(),
                     [](const waterfall& w) { return w.whole.in_cycles().has_value(); });
}

bool is_unsteady(const operation_ablation& from) {
  return std::any_of(from.effects.begin(), from.effects.end(),
                     [](const switch_effect& e) { return e.measured.from_moved_pct > unsteady_pct; });
}

/// What the intervals and the limit of an effect rest on.
std::string processes_text(std::size_t processes, const effect_limits& limits) {
  if (processes > 1)
    return fmt::format(
        "{} processes were measured: the mean of the ratios within each, in logarithms, with its {:g} % interval over "
        "processes; an effect counts beyond {:g} %. {}",
        processes, 100 * limits.confidence, limits.minimum_pct, about_false_discoveries(limits.confidence));
  return fmt::format(
      "One process was measured, so an effect counts beyond {:g} % ({:g} % below {:g} µs) and its interval "
      "is the widest that the two medians' 95 % intervals allow; up to {:g} % is SAME.",
      limits.one_launch_pct, limits.one_launch_short_pct, limits.short_below_us, limits.minimum_pct);
}

std::string how_text(const operation_view& view, const operation_ablation& from,
                     const effect_limits& limits) {
  std::string out =
      "All pairs of variants that differ only in this switch, on the same input, cache state and method of "
      "timing: time with the first value over time with the second, above 1 is faster. " +
      processes_text(from.processes, limits);
  if (!view.quality.empty())
    out +=
        " ≠ marks outputs that differ, in some of these cases, by more than 5 % in some figure of quality; "
        "where the fastest variant's does, the fastest of equal quality counts too.";
  if (has_unlike_clocks(from)) out += fmt::format(" {}.", about_cycles_mark);
  if (is_unsteady(from)) out += fmt::format(" {}.", about_moved_mark);
  return out;
}

std::size_t beyond(std::size_t all, std::size_t shown) { return all > shown ? all - shown : 0; }

}  // namespace

std::string ratio_with_interval(double ratio, double low, double high) {
  return std::isfinite(high) && low > 0 ? fmt::format("{:.2f}× ({:.2f} to {:.2f})", ratio, low, high)
                                        : fmt::format("{:.2f}× (unbounded)", ratio);
}

std::string text_of(const moved_metric& m) {
  const double change = m.change_pct();
  return fmt::format("{} {} → {}{}{}", m.title, plain(m.before), plain(m.after),
                     std::isfinite(change)
                         ? fmt::format(" ({}{:.0f} %)", change < 0 ? "−" : "+", std::fabs(change))
                         : std::string(),
                     m.sign);
}

ablation_tables tables_of(const operation_view& view, const operation_ablation& from,
                          const effect_limits& limits) {
  std::vector<const switch_worth*> ranked = ranked_worths(from);
  const std::size_t with_effect = ranked.size();
  ranked.resize(std::min(with_effect, max_worths));
  ablation_tables out{how_text(view, from, limits),
                      worth_table(view, ranked),
                      beyond(with_effect, max_worths),
                      from.worths.size() - with_effect,
                      {},
                      {},
                      crossover_table(view, from),
                      interaction_table(from),
                      beyond(from.changes_of_winner.size(), max_crossovers),
                      beyond(from.together.size(), max_interactions)};
  if (from.effects.empty()) return out;
  for (const waterfall& w : from.steps.paths)
    if (out.waterfalls.size() < max_waterfalls)
      out.waterfalls.push_back(waterfall_table_of(view, w, from.steps.workloads));
  out.without_waterfall = sentences_of(view, from.steps);
  return out;
}

}  // namespace ablate::reports
