#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text/text.h"
#include "reports/plots/pages.h"
#include "reports/plots/plot_groups.h"
#include "reports/plots/plots.h"
#include "reports/plots/vega.h"
#include "reports/views/leading.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

using case_list = std::vector<std::pair<const comparable_cases*, const measured_case*>>;

// As many marks as can be told apart.
constexpr std::size_t maximum_workloads = 48;

case_list cases_with_quality(const operation_view& view, const page& p) {
  case_list out;
  for (const std::string& variant : view.variants)
    for (const comparable_cases* row : p.rows)
      if (const measured_case* c = row->of(variant);
          c && std::any_of(c->quality.begin(), c->quality.end(), [](const auto& f) { return f.second; }))
        out.emplace_back(row, c);
  return out;
}

/// The figures that differ by more than 1 % across these cases.
std::vector<std::string> telling_figures(const operation_view& view, const case_list& cases) {
  std::vector<std::string> out;
  for (const std::string& figure : view.quality) {
    double low = INFINITY, high = -INFINITY;
    for (const auto& [row, c] : cases)
      if (const auto value = find_counter(c->quality, figure)) {
        low = std::min(low, *value);
        high = std::max(high, *value);
      }
    if (high - low > 0.01 * std::max(std::abs(low), std::abs(high))) out.push_back(figure);
  }
  return out;
}

/// Among the axes of words, the one that best explains the first of the figures: the one with the least
/// variance left within its words.
std::string shaping_axis(const operation_view& view, const case_list& cases, const std::string& figure) {
  std::string best;
  double least = INFINITY;
  for (const std::string& axis : view.axes) {
    if (view.is_integer(axis)) continue;
    std::map<std::string, std::vector<double>> by_word;
    for (const auto& [row, c] : cases)
      if (const auto value = find_counter(c->quality, figure)) by_word[row->value(axis)].push_back(*value);
    if (by_word.size() < 2 || by_word.size() > 6) continue;  // there are six shapes
    double left = 0;
    for (const auto& [word, values] : by_word) {
      double mean = 0;
      for (double value : values) mean += value / static_cast<double>(values.size());
      for (double value : values) left += (value - mean) * (value - mean);
    }
    if (left < least) {
      least = left;
      best = axis;
    }
  }
  return best;
}

/// Workloads of one size.
std::vector<page> pages_of_a_size(const operation_view& view) {
  std::vector<page> out;
  const std::vector<std::string> sizes =
      view.swept ? view.values(*view.swept) : std::vector<std::string>{std::string()};
  for (const std::string& size : sizes) {
    std::vector<const comparable_cases*> rows;
    for (const comparable_cases& row : view.rows)
      if (!view.swept || row.value(*view.swept) == size) rows.push_back(&row);
    for (page& p : pages(view, rows, maximum_workloads)) {
      if (view.swept) p.words.insert(p.words.begin(), *view.swept + size);
      out.push_back(std::move(p));
    }
  }
  return out;
}

}  // namespace

std::vector<plot> quality_plots(const operation_view& view, const std::string& device, std::size_t limit) {
  struct candidate {
    page of;
    case_list cases;
    std::vector<std::string> figures;
  };
  std::vector<candidate> candidates;
  for (page& p : pages_of_a_size(view)) {
    case_list cases = cases_with_quality(view, p);
    auto figures = telling_figures(view, cases);
    if (cases.size() >= 3 && !figures.empty())
      candidates.push_back({std::move(p), std::move(cases), std::move(figures)});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.cases.size() > b.cases.size(); });
  if (candidates.size() > limit) candidates.resize(limit);

  std::vector<plot> out;
  for (const candidate& drawn : candidates) {
    std::vector<const comparable_cases*> rows;
    for (const auto& [row, c] : drawn.cases)
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    const workload_labels labels(view, telling_axes(view, view.axes, points_of(rows)));
    const std::string shaping = shaping_axis(view, drawn.cases, drawn.figures.front());
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    const std::vector<std::string> order = fastest_first(view.drawn, rows);
    const auto place_of = [&](const std::string& variant) {
      return std::find(order.begin(), order.end(), variant) - order.begin();
    };
    case_list cases = drawn.cases;
    std::stable_sort(cases.begin(), cases.end(), [&](const auto& a, const auto& b) {
      return place_of(a.second->variant) < place_of(b.second->variant);
    });
    for (const auto& [row, c] : cases) {
      if (std::find(view.drawn.begin(), view.drawn.end(), c->variant) == view.drawn.end()) continue;
      nlohmann::ordered_json value = {{"case", c->name},
                                      {"variant", c->variant},
                                      {"shape", shaping.empty() ? "" : row->value(shaping)},
                                      {"workload", labels.of(row->axes)},
                                      {"us", c->time.median_us}};
      for (const std::string& figure : drawn.figures) {
        const auto found = find_counter(c->quality, figure);
        value[figure] = found ? nlohmann::ordered_json(*found) : nlohmann::ordered_json(nullptr);
      }
      values.push_back(std::move(value));
    }
    if (values.empty()) continue;
    plot_heading heading{
        view.name + ": quality of the output against time", device,        rows.front()->cache_state, {},
        "one mark per case; faster is further left",        labels.usual()};
    for (const auto& [axis, word] : rows.front()->axes)
      if (std::all_of(rows.begin(), rows.end(),
                      [&name = axis, &value = word](const auto* row) { return row->value(name) == value; }))
        heading.fixed.emplace_back(axis, word);
    out.push_back({file_name(view, "quality", drawn.of.words),
                   fmt::format("{}: quality against time, {}", view.name, fmt::join(drawn.of.words, ", ")),
                   figures_against_time(heading, names_of(view), shaping, drawn.figures, std::move(values))});
  }
  return out;
}

std::vector<plot> picture_plots(const record& r, const operation_view& view) {
  std::vector<const measured_case*> pictured;
  std::vector<named_words> points;
  std::set<std::string> cache_states;
  for (const measured_case& c : r.cases)
    if (c.operation == view.name && c.picture) {
      pictured.push_back(&c);
      points.push_back(c.axes);
      cache_states.insert(c.cache_state);
    }
  std::vector<plot> out;
  for (const measured_case* c : pictured) {
    std::vector<std::string> words = {c->variant};
    for (const std::string& axis : telling_axes(view, view.axes, points))
      if (const std::string* value = find_word(c->axes, axis))
        words.push_back((view.is_integer(axis) ? axis : "") + *value);
    if (cache_states.size() > 1) words.push_back(c->cache_state);
    const plot_heading heading{
        view.name + ": " + c->picture->title, r.device_name, c->cache_state, c->axes,
        fmt::format("{} points of what {} put out", c->picture->points.size(), c->variant)};
    out.push_back({file_name(view, "picture", words),
                   fmt::format("{}: {}, {}", view.name, c->picture->title, fmt::join(words, ", ")),
                   point_panels(heading, *c->picture, c->name)});
  }
  return out;
}

}  // namespace ablate::reports
