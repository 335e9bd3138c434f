#include "reports/best/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/clocks.h"
#include "base/text/text.h"
#include "reports/views/labels.h"
#include "reports/views/workloads.h"

namespace ablate::best {
namespace {

using cell = reports::terminal_cell;
using reports::ink;
using reports::ranked_variant;
using workloads = std::vector<const ranked_workload*>;

bool has_level_rival(const ranked_workload& w) {
  return std::any_of(w.ranked.variants.begin(), w.ranked.variants.end(),
                     [](const ranked_variant& v) { return v.level_with_best; });
}

std::string best_text(const ranked_workload& w) {
  if (!w.ranked.variants.front().rank) return "none has energy";
  std::vector<std::string> level;
  for (const ranked_variant& v : w.ranked.variants)
    if (v.level_with_best) level.push_back(v.measured->variant);
  std::string out = w.ranked.variants.front().measured->variant;
  if (!level.empty())
    out += fmt::format(" ≈ {}{}", level.front(),
                       level.size() > 1 ? fmt::format(" and {} more", level.size() - 1) : "");
  return out;
}

/// In time, of the best variant; of the baseline, where that is it, over the next best.
cell factor_cell(const ranked_workload& w) {
  const ranked_variant& best = w.ranked.variants.front();
  if (!best.rank) return {""};
  if (w.ranked.variants.size() == 1) return {"the only variant", ink::faint};
  if (best.factor) return {factor_text(w, best), has_level_rival(w) ? ink::plain : ink::good};
  const ranked_variant& next = w.ranked.variants[1];
  const reports::speed_up over = w.view->speed_up_between(*next.measured, *best.measured);
  return {fmt::format("{:.2f}× {} (next best)", over.ratio, next.measured->variant)};
}

std::string operation_overview(const workloads& all, std::size_t max_lines, const reports::terminal& on) {
  const reports::operation_view& view = *all.front()->view;
  workloads shown = all;
  std::erase_if(shown, [](const ranked_workload* w) { return w->ranked.variants.empty(); });
  const std::size_t ranked = shown.size();
  if (shown.size() > max_lines) shown.resize(max_lines);
  const bool states_differ = std::any_of(all.begin(), all.end(), [&](const ranked_workload* w) {
    return w->cache_state != all.front()->cache_state;
  });
  const reports::workload_labels labels(view, differing_axes(all));

  std::string text = reports::painted(view.name, ink::strong, on);
  text += states_differ ? "\n" : ", " + all.front()->cache_state + "\n";
  if (!labels.usual().empty()) {
    std::vector<std::string> axes;
    for (const auto& [axis, value] : labels.usual()) axes.push_back(axis);
    text += reports::wrapped("  usual: " + reports::axes_text(labels.usual(), axes), on, "    ");
  }
  const bool by_time = all.front()->ranked.by == reports::merit::time;
  std::vector<std::vector<cell>> rows = {{{"WORKLOAD", ink::faint},
                                          {by_time ? "FASTEST" : "BEST", ink::faint},
                                          {"MEDIAN us", ink::faint},
                                          {factor_heading(all.front()->ranked.by), ink::faint}}};
  if (!by_time) rows.back().insert(rows.back().begin() + 2, {"ENERGY mJ", ink::faint});
  for (const ranked_workload* w : shown) {
    const std::string label = labels.of(w->axes);
    const ranked_variant& best = w->ranked.variants.front();
    rows.push_back({{label == view.name && shown.size() == 1 ? "the only one" : label},
                    {best_text(*w)},
                    {best.rank ? reports::median_with_interval(best.measured->time) : ""},
                    factor_cell(*w)});
    if (!by_time) rows.back().insert(rows.back().begin() + 2, energy_cell(best));
    if (states_differ) rows.back().front().text += ", " + w->cache_state;
  }
  reports::table_layout layout{.right = {2}, .wrap = {0, 1, rows.front().size() - 1}, .indent = "  "};
  if (!by_time) layout.right.push_back(3);
  text += reports::laid_out(rows, layout, on);
  if (ranked > shown.size()) text += fmt::format("  and {} more workloads\n", ranked - shown.size());
  return text;
}

}  // namespace

std::vector<std::string> differing_axes(const workloads& all) {
  std::vector<std::string> out;
  for (const std::string& axis : all.front()->view->axes)
    if (std::any_of(all.begin(), all.end(), [&](const ranked_workload* w) {
          const std::string *here = find_word(w->axes, axis), *first = find_word(all.front()->axes, axis);
          return here && first && *here != *first;
        }))
      out.push_back(axis);
  return out;
}

std::string factor_text(const ranked_workload& w, const ranked_variant& v) {
  if (!v.factor) return "";
  return fmt::format("{:.2f}×{}{} {}{}", v.factor->ratio, v.factor->in_cycles ? "‡" : "",
                     v.unequal_quality ? "≠" : "", w.ranked.reference,
                     w.ranked.over_baseline ? "" : " (next best)");
}

std::string factor_heading(reports::merit by) {
  return by == reports::merit::time ? "FACTOR OVER" : "FACTOR IN TIME OVER";
}

reports::terminal_cell energy_cell(const ranked_variant& v) {
  return {v.measured->energy ? reports::energy_with_interval(*v.measured->energy) : ""};
}

std::string legend(const workloads& all) {
  bool level = false, clocks = false, quality = false;
  for (const ranked_workload* w : all)
    for (const ranked_variant& v : w->ranked.variants) {
      level |= v.level_with_best;
      clocks |= v.factor && v.factor->in_cycles.has_value();
      quality |= v.unequal_quality;
    }
  std::vector<std::string> notes;
  if (level) notes.emplace_back("≈ the measurements cannot tell them apart");
  if (clocks) notes.emplace_back(reports::about_clock_sign);
  if (quality) notes.emplace_back("≠ the quality of the output differs by more than 5 %");
  return reports::joined(notes, "; ");
}

std::string overview_text(const workloads& all, std::size_t max_lines, const reports::terminal& on) {
  std::string text;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const ranked_workload* w) { return w->view != (*begin)->view; });
    const workloads of(begin, end);
    const bool any = std::any_of(of.begin(), of.end(),
                                 [](const ranked_workload* w) { return !w->ranked.variants.empty(); });
    if (any) text += (text.empty() ? "" : "\n") + operation_overview(of, max_lines, on);
    begin = end;
  }
  return text;
}

}  // namespace ablate::best
