#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "reports/best/outputs.h"
#include "reports/best/overview.h"
#include "reports/views/labels.h"

namespace ablate::best {
namespace {

using cell = reports::terminal_cell;
using reports::ink;
using reports::ranked_variant;
using reports::significant;
using reports::terminal;
using workloads = std::vector<const ranked_workload*>;

/// More of them are shown with a line each.
constexpr std::size_t max_tables = 3, max_overview_lines = 40, max_result_lines = 12;

workloads pointers_to(const std::vector<ranked_workload>& all) {
  workloads out;
  for (const ranked_workload& w : all) out.push_back(&w);
  return out;
}

std::string heading_of(const ranked_workload& w, const terminal& on) {
  const std::string& name = w.view->name;
  const std::string axes = reports::axes_text(w.axes, w.view->varying_axes());
  const std::string text = reports::wrapped(
      name + (axes.empty() ? "" : ", ") + axes + ", " + w.cache_state + w.view->input_mark(w.axes), on, "  ");
  return reports::painted(name, ink::strong, on) + text.substr(name.size());
}

std::string interval_of(const measured_case::timing& time) {
  const int decimals = reports::significant_decimals(time.median_us);
  return fmt::format("{:.{}f} to {:.{}f}", time.ci95_low_us, decimals, time.ci95_high_us, decimals);
}

/// About the variants that come last for want of energy.
std::string unmetered_text(const ranked_workload& w, const terminal& on) {
  const auto& all = w.ranked.variants;
  const auto count = std::count_if(all.begin(), all.end(), [](const ranked_variant& v) { return !v.rank; });
  if (count == 0) return "";
  std::string why;
  for (const ranked_variant& v : all)
    if (!v.rank && why.empty() && !v.measured->energy_reason.empty())
      why = fmt::format(" ({}: {})", v.measured->variant, v.measured->energy_reason);
  return reports::wrapped(
      fmt::format("  {} without energy, listed last by time{}.",
                  count == 1 ? "1 variant is" : fmt::format("{} variants are", count), why),
      on, "  ");
}

std::string delay_text(const measured_case& c) {
  const auto found = reports::merit_of(c, reports::merit::energy_delay);
  return found ? significant(found->value) : "";
}

/// A column of energy where some variant has it, and of its product with time where that is what counts; the
/// intervals of times are then beside the medians, to keep the table narrow.
std::string ranked_table(const ranked_workload& w, const terminal& on) {
  const auto heading = [](const std::string& text) { return cell{text, ink::faint}; };
  const bool with_energy = w.ranked.has_energy(),
             with_delay = with_energy && w.ranked.by == reports::merit::energy_delay;
  std::vector<std::vector<cell>> rows = {{heading(""), heading("VARIANT"), heading("MEDIAN us"),
                                          heading(with_energy ? "ENERGY mJ" : "95 % INTERVAL")}};
  if (with_delay) rows.back().push_back(heading("ENERGY x TIME mJ us"));
  rows.back().push_back(heading(factor_heading(w.ranked.by)));
  for (const ranked_variant& v : w.ranked.variants) {
    const bool best = v.rank == 1u;
    const ink with = best ? ink::good : ink::plain;
    std::string factor = factor_text(w, v);
    if (!v.factor && w.ranked.variants.size() > 1)
      factor = w.ranked.over_baseline ? "the baseline" : "the next best";
    const std::string mark = best ? "* " : v.level_with_best ? "≈ " : "";
    rows.push_back({{v.rank ? fmt::format("{}{}", mark, *v.rank) : "", with},
                    {v.measured->variant, with},
                    {with_energy ? reports::median_with_interval(v.measured->time)
                                 : significant(v.measured->time.median_us),
                     with},
                    with_energy ? energy_cell(v) : cell{interval_of(v.measured->time)}});
    if (with_delay) rows.back().push_back({delay_text(*v.measured)});
    rows.back().push_back({factor});
  }
  reports::table_layout layout{.right = {0, 2, 3}, .wrap = {1}, .indent = "  "};
  for (std::size_t column = 4; column + 1 < rows.front().size(); ++column) layout.right.push_back(column);
  layout.wrap.push_back(rows.front().size() - 1);
  return reports::laid_out(rows, layout, on) + unmetered_text(w, on);
}

/// What went wrong, with its reason; variants that are made for other workloads are only counted.
std::string unmeasured_table(const ranked_workload& w, const terminal& on) {
  std::vector<std::vector<cell>> rows;
  std::size_t not_applicable = 0;
  for (const unmeasured_case* u : w.unmeasured)
    if (u->status == "not_applicable")
      ++not_applicable;
    else
      rows.push_back({{u->status, ink::bad}, {u->variant}, {u->reason}});
  std::string out = rows.empty() ? "" : "  not ranked:\n";
  out += reports::laid_out(rows, {.wrap = {2}, .indent = "  "}, on);
  if (not_applicable > 0)
    out += fmt::format("  {} {} not applicable here\n", not_applicable,
                       not_applicable == 1 ? "variant is" : "variants are");
  return out;
}

std::string sentence_of(const missing_size& size) {
  const std::string asked = size.axis + "=" + size.asked;
  const std::string near =
      size.below && size.above ? fmt::format("the nearest measured sizes below and above it are {} and {}",
                                             *size.below, *size.above)
      : size.below             ? fmt::format("the nearest measured size is {}, below it", *size.below)
                               : fmt::format("the nearest measured size is {}, above it", *size.above);
  return fmt::format(
      "{} was not measured here; {}. Nothing is interpolated: `ablate run SUITE --axes {}` measures it.",
      asked, near, asked);
}

/// About the sizes that others stand in for, in one sentence each.
std::string missing_text(const workloads& shown, const terminal& on) {
  std::vector<missing_size> missing;
  for (const ranked_workload* w : shown)
    for (const missing_size& size : w->stands_in_for)
      if (std::find(missing.begin(), missing.end(), size) == missing.end()) missing.push_back(size);
  std::vector<std::string> sentences;
  for (const missing_size& size : missing) {
    const bool has_others = std::any_of(missing.begin(), missing.end(), [&](const missing_size& other) {
      return other.axis == size.axis && other.asked == size.asked && !(other == size);
    });
    const std::string sentence =
        has_others ? fmt::format(
                         "{0}={1} was not measured everywhere; the nearest measured sizes below "
                         "and above stand in for it. Nothing is interpolated: `ablate run SUITE "
                         "--axes {0}={1}` measures it.",
                         size.axis, size.asked)
                   : sentence_of(size);
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(sentence);
  }
  std::string out;
  for (const std::string& sentence : sentences) out += reports::wrapped(sentence, on);
  return out.empty() ? "" : out + "\n";
}

/// Which other names, with which values, would make the workloads fewer.
std::string how_to_narrow(const workloads& all, const std::vector<selection_term>& asked) {
  std::vector<std::string> parts;
  for (const std::string& axis : differing_axes(all)) {
    if (std::any_of(asked.begin(), asked.end(), [&](const auto& a) { return a.name == axis; })) continue;
    std::vector<std::string> values;
    for (const ranked_workload* w : all)
      if (const std::string* value = find_word(w->axes, axis);
          value && std::find(values.begin(), values.end(), *value) == values.end())
        values.push_back(*value);
    constexpr std::size_t max_values = 6;
    const bool is_cut = values.size() > max_values;
    if (is_cut) values.resize(max_values);
    parts.push_back(fmt::format("{}={}{}", axis, reports::joined(values, "|"), is_cut ? "|…" : ""));
  }
  return reports::joined(parts, " ");
}

/// The workloads to rank in full, at sizes that stand in for the one asked for only if no workload has that:
/// all if they are few; else those nearest to what the record has most, if
/// something was asked for and they are few.
workloads max_usual(const answer& of) {
  workloads all = pointers_to(of.workloads);
  const auto has_what_was_asked = [](const ranked_workload* w) {
    return w->stands_in_for.empty() && !w->ranked.variants.empty();
  };
  if (std::any_of(all.begin(), all.end(), has_what_was_asked))
    std::erase_if(all, [](const ranked_workload* w) { return !w->stands_in_for.empty(); });
  if (all.size() <= max_tables) return all;
  if (of.asked.empty()) return {};
  std::erase_if(all, [](const ranked_workload* w) { return w->ranked.variants.empty(); });
  const auto nearest = std::min_element(all.begin(), all.end(),
                                        [](const auto* a, const auto* b) { return a->unusual < b->unusual; });
  const std::size_t least = (*nearest)->unusual;
  std::erase_if(all, [&](const ranked_workload* w) { return w->unusual != least; });
  return all.size() <= max_tables ? all : workloads();
}

std::string narrowing_text(const workloads& all, std::size_t ranked, const std::vector<selection_term>& asked,
                           const terminal& on) {
  std::vector<std::string> operations;
  for (const ranked_workload* w : all)
    if (std::find(operations.begin(), operations.end(), w->view->name) == operations.end())
      operations.push_back(w->view->name);
  std::string names =
      operations.size() > 1 ? "operation=" + reports::joined(operations, "|") : how_to_narrow(all, asked);
  std::vector<std::string> states;
  for (const ranked_workload* w : all)
    if (std::find(states.begin(), states.end(), w->cache_state) == states.end())
      states.push_back(w->cache_state);
  if (states.size() > 1 && operations.size() == 1)
    names += (names.empty() ? "" : " ") + std::string("cache=") + reports::joined(states, "|");
  if (ranked == 0)
    return reports::wrapped(fmt::format("To rank all variants of one of these, name more of: {}.", names),
                            on);
  const std::size_t others = all.size() - ranked;
  return reports::wrapped(
      fmt::format("{} other {} too, and --all lists {}; to rank the variants of one, name more of: {}.",
                  others, others == 1 ? "workload fits" : "workloads fit", others == 1 ? "it" : "them",
                  names),
      on);
}

/// Of each workload the largest of the sizes at which the most variants were measured.
workloads at_largest_sizes(const workloads& all) {
  workloads out;
  const auto same_but_size = [](const ranked_workload& a, const ranked_workload& b) {
    return a.view == b.view && a.cache_state == b.cache_state &&
           std::all_of(a.view->axes.begin(), a.view->axes.end(), [&](const std::string& axis) {
             const std::string *first = find_word(a.axes, axis), *second = find_word(b.axes, axis);
             return axis == a.view->swept || (first && second && *first == *second);
           });
  };
  for (const ranked_workload* w : all)  // sizes of one workload follow each other, the largest last
    if (out.empty() || !same_but_size(*out.back(), *w))
      out.push_back(w);
    else if (w->ranked.variants.size() >= out.back()->ranked.variants.size())
      out.back() = w;
  return out;
}

std::string statuses_text(const record& from) {
  std::map<std::string, std::size_t> counts;
  for (const unmeasured_case& c : from.unmeasured) ++counts[c.status];
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, status));
  return parts.empty() ? "" : "not measured: " + reports::joined(parts) + "\n";
}

}  // namespace

std::string answer_text(const answer& of, bool all, const terminal& on) {
  const workloads found = pointers_to(of.workloads);
  const workloads ranked = all ? workloads() : max_usual(of);
  const workloads& shown = ranked.empty() ? found : ranked;
  std::string out = missing_text(shown, on);
  for (const ranked_workload* w : ranked)
    out += heading_of(*w, on) + ranked_table(*w, on) + unmeasured_table(*w, on) + "\n";
  if (ranked.empty()) out += overview_text(found, all ? found.size() : max_overview_lines, on) + "\n";
  if (ranked.size() < found.size()) out += narrowing_text(found, ranked.size(), of.asked, on);
  const std::string signs = legend(shown);
  if (!signs.empty()) out += reports::wrapped(signs + ".", on);
  out += reports::wrapped(
      !of.from->on_gpu ? "These are host references: they say nothing about GPU kernels."
      : of.launches > 1
          ? fmt::format("Times and factors are means over {} launches, and intervals cover further ones.",
                        of.launches)
          : "Intervals are of one launch; launches of one program differ by more (docs/comparing.md).",
      on);
  return out;
}

std::string results_text(const record& from, const terminal& on) {
  const answer everything = everything_in(from);
  const workloads all = pointers_to(everything.workloads);
  std::string out;
  for (const reports::operation_view& view : everything.views) {
    workloads of;
    for (const ranked_workload* w : all)
      if (w->view == &view && !w->ranked.variants.empty()) of.push_back(w);
    if (of.size() > max_result_lines) of = at_largest_sizes(of);
    if (!of.empty()) out += (out.empty() ? "" : "\n") + overview_text(of, max_result_lines, on);
  }
  const std::string signs = legend(all);
  if (!out.empty() && !signs.empty()) out += reports::wrapped(signs + ".", on);
  return out + statuses_text(from);
}

}  // namespace ablate::best
