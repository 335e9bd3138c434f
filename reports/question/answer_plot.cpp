#include "reports/question/answer_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "reports/plots/vega.h"
#include "reports/question/answer_text.h"
#include "reports/views/labels.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t fewest_points = 3;  // of a line
constexpr std::size_t max_panels = 6;

ordered_json or_null(double value) {
  return std::isfinite(value) && value > 0 ? ordered_json(value) : nullptr;
}

/// What points of one line share: the axes of their workloads except the one along which they are drawn, and
/// the variants measured there, since the best of more is better.
named_words curve_of(const answered_part& part, const comparable_cases& row) {
  named_words out = row.axes;
  std::erase_if(out, [&](const auto& word) { return word.first == part.along; });
  out.emplace_back("cache state", row.cache_state);
  out.emplace_back("method", row.method);
  for (const auto& [variant, c] : row.by_variant) out.emplace_back("variant", variant);
  return out;
}

/// 65536 of "64KiB".
std::optional<double> bytes_of(const std::string& word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc()) return std::nullopt;
  constexpr std::pair<std::string_view, double> units[] = {
      {"KiB", 1024}, {"MiB", 1024 * 1024}, {"GiB", 1024 * 1024 * 1024}};
  for (const auto& [unit, bytes] : units)
    if (std::string_view(end, word.data() + word.size()) == unit) return number * bytes;
  return std::nullopt;
}

/// As the record names them; footprints from the least on.
std::vector<std::string> words_in_order(std::vector<std::string> words) {
  if (std::all_of(words.begin(), words.end(), [](const auto& word) { return bytes_of(word).has_value(); }))
    std::sort(words.begin(), words.end(),
              [](const auto& a, const auto& b) { return *bytes_of(a) < *bytes_of(b); });
  return words;
}

bool is_by_size(const answered_part& part) {
  return std::all_of(part.workloads.begin(), part.workloads.end(),
                     [](const answered_workload& w) { return w.size.has_value(); });
}

class chart {
 public:
  explicit chart(const question_answer& from) : from_(from) {
    for (const answered_part& part : from.parts) {
      if (from.has_two_families()) {
        add_panel(part, from.parts.size() > 1 ? part.view.name : "");
        for (const answered_group& group : part.groups)
          add(part, group.workloads, 0,
              part.groups.size() > 1 ? group_label(part, group) : over_text(from, 0));
        continue;
      }
      for (const answered_group& group : largest(part)) {
        const std::string label = part.groups.size() > 1 ? group_label(part, group) : "";
        add_panel(part, from.parts.size() == 1 ? label
                        : label.empty()        ? part.view.name
                                               : part.view.name + ", " + label);
        for (std::size_t i = 0; i + 1 < from.asked.families.size(); ++i)
          add(part, group.workloads, i, from.asked.families[i].name);
      }
    }
    leave_out_empty_panels();
  }

  std::vector<factor_panel> panels;
  std::vector<std::string> groups;
  ordered_json rows = ordered_json::array();

 private:
  /// Where groups have a panel each, those with the most workloads, in their order.
  std::vector<answered_group> largest(const answered_part& part) const {
    std::vector<answered_group> out = part.groups;
    const std::size_t room = std::max<std::size_t>(1, max_panels / from_.parts.size());
    if (out.size() <= room) return out;
    std::vector<std::size_t> counts;
    for (const answered_group& group : out) counts.push_back(group.workloads.size());
    std::sort(counts.begin(), counts.end(), std::greater<>());
    std::size_t ties = 0;
    for (std::size_t i = 0; i < room; ++i) ties += counts[i] == counts[room - 1];
    std::erase_if(out, [&](const answered_group& group) {
      if (group.workloads.size() == counts[room - 1] && ties > 0) return --ties, false;
      return group.workloads.size() <= counts[room - 1];
    });
    return out;
  }

  /// A part may have no workload on which a family and the last one were both measured.
  void leave_out_empty_panels() {
    std::vector<factor_panel> kept;
    std::vector<std::size_t> places(panels.size());
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const bool has_rows =
          std::any_of(rows.begin(), rows.end(), [&](const ordered_json& row) { return row["panel"] == i; });
      places[i] = kept.size();
      if (has_rows) kept.push_back(std::move(panels[i]));
    }
    for (ordered_json& row : rows) row["panel"] = places[row["panel"].get<std::size_t>()];
    panels = std::move(kept);
  }

  void add_panel(const answered_part& part, const std::string& title) {
    panels.push_back({title, part.along, {}});
    if (!is_by_size(part)) panels.back().words = words_in_order(part.view.values(part.along));
  }

  void add(const answered_part& part, const std::vector<const answered_workload*>& of, std::size_t family,
           const std::string& group) {
    std::map<named_words, std::size_t> points;
    for (const answered_workload* w : of)
      if (w->best[family].over) ++points[curve_of(part, *w->row)];
    const bool by_size = panels.back().words.empty();
    for (const answered_workload* w : of) {
      const family_best& best = w->best[family];
      if (!best.over) continue;
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
      const named_words curve = curve_of(part, *w->row);
      ordered_json& row = rows.emplace_back(
          ordered_json{{"case", best.fastest->name},
                       {"panel", panels.size() - 1},
                       {"group", group},
                       {"size", by_size ? ordered_json(*w->size) : ordered_json(w->row->value(part.along))},
                       {"factor", best.over->ratio()},
                       {"low", or_null(best.over->low())},
                       {"high", or_null(best.over->high())},
                       {"curve", nullptr},
                       {"cloud", w->scan.empty() ? generated_cloud : recorded_scan},
                       {"workload", workload_label(part, *w->row)},
                       {"variant", best.variant},
                       {"against", w->best.back().variant},
                       {"verdict", gate::name_of(best.over->verdict.word)}});
      if (by_size && points.at(curve) >= fewest_points)
        row["curve"] = fmt::format("{} {}", group, std::distance(points.begin(), points.find(curve)));
    }
  }

  const question_answer& from_;
};

/// The cache state, if all points share one.
std::string cache_state_of(const question_answer& from) {
  std::string out;
  for (const answered_part& part : from.parts)
    for (const answered_workload& w : part.workloads) {
      if (out.empty()) out = w.row->cache_state;
      if (out != w.row->cache_state) return "";
    }
  return out;
}

}  // namespace

std::optional<plot> answer_plot(const question_answer& from, const std::string& device) {
  chart drawn(from);
  if (drawn.rows.empty()) return std::nullopt;
  const std::string last = from.asked.families.back().name;
  const std::string note =
      from.has_two_families()
          ? fmt::format("best of {} over best of {}; above 1 {} is faster", from.asked.families.front().name,
                        last, from.asked.families.front().name)
          : fmt::format("best of each over best of {}; above 1 it is faster", last);
  return plot{"answer", from.asked.text,
              factors({from.asked.text, device, cache_state_of(from), {}, note}, drawn.panels,
                      fmt::format("times faster than {}", last), drawn.groups, std::move(drawn.rows))};
}

}  // namespace ablate::reports
