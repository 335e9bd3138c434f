#include "reports/compare/devices_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/quantile.h"
#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/compare/sides.h"

namespace ablate::compare {
namespace {

using nlohmann::ordered_json;
using reports::significant;
using device_pairs = std::vector<const device_pair*>;

enum class leader { first, second, level };

leader leader_of(const reports::speed_up& faster) {
  if (faster.includes_one()) return leader::level;
  return faster.ratio > 1 ? leader::second : leader::first;
}

std::size_t led_by(const device_pairs& pairs, leader who) {
  return static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [&](const auto* p) { return leader_of(p->faster) == who; }));
}

std::vector<double> ratios_of(const device_pairs& pairs) {
  std::vector<double> out;
  for (const device_pair* p : pairs) out.push_back(p->faster.ratio);
  return out;
}

std::string times(double ratio) { return fmt::format("{:.3f}", ratio); }

std::string range_text(const std::vector<double>& ratios) {
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return fmt::format("{:.3f} to {:.3f}", *least, *most);
}

device_pairs measured_pairs(const device_comparison& made) {
  device_pairs out;
  for (const device_pair& p : made.pairs)
    if (!p.is_calibration) out.push_back(&p);
  return out;
}

/// Pairs by the words that a function gives them, in the order of the first of each.
template <class Words>
std::vector<std::pair<std::string, device_pairs>> grouped(const device_pairs& pairs, Words words) {
  std::vector<std::pair<std::string, device_pairs>> out;
  for (const device_pair* p : pairs) {
    const std::string name = words(*p);
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const auto& group) { return group.first == name; });
    (known == out.end() ? out.emplace_back(name, device_pairs()) : *known).second.push_back(p);
  }
  return out;
}

std::vector<std::string> counts_header(const device_comparison& made, const char* first) {
  return {first,
          "cases",
          made.first_label + " faster",
          made.second_label + " faster",
          "level",
          fmt::format("{} over {}, median", made.first_label, made.second_label),
          "least to greatest"};
}

std::vector<std::string> counts_row(const std::string& name, const device_pairs& pairs) {
  const std::vector<double> ratios = ratios_of(pairs);
  return {name,
          std::to_string(pairs.size()),
          std::to_string(led_by(pairs, leader::first)),
          std::to_string(led_by(pairs, leader::second)),
          std::to_string(led_by(pairs, leader::level)),
          times(gate::median(ratios)),
          range_text(ratios)};
}

std::string how_ratios_read(const device_comparison& made) {
  return fmt::format(
      "Ratios are times on the {0} over times on the {1}: above 1 the {1} is faster. Level are cases whose "
      "interval contains 1.",
      made.first_label, made.second_label);
}

device_table by_operation(const device_comparison& made) {
  device_table out{"By operation", "", {counts_header(made, "operation"), 1, {}}};
  for (const auto& [operation, pairs] :
       grouped(measured_pairs(made), [](const device_pair& p) { return p.operation; }))
    out.rows.lines.push_back({counts_row(operation, pairs), {}});
  return out;
}

/// "bytes", or what binds on either: "bytes, then launch".
std::string binding_of(const device_pair& p) {
  if (!p.first.binding || !p.second.binding) return "";
  return *p.first.binding == *p.second.binding
             ? *p.first.binding
             : fmt::format("{}, then {}", *p.first.binding, *p.second.binding);
}

/// The ratios of the floors: what the ceilings alone would make of the cases.
std::vector<double> floor_ratios(const device_pairs& pairs) {
  std::vector<double> out;
  for (const device_pair* p : pairs)
    if (p->first.floor_us && p->second.floor_us && *p->second.floor_us > 0)
      out.push_back(*p->first.floor_us / *p->second.floor_us);
  return out;
}

device_table by_binding(const device_comparison& made) {
  device_table out{
      "By binding ceiling",
      fmt::format("“a, then b”: a binds on the {}, b on the {}. The last column is the ratio that the "
                  "ceilings alone imply.",
                  made.first_label, made.second_label),
      {counts_header(made, "bound by"), 1, {}}};
  out.rows.header.push_back("of floors, median");
  device_pairs bound = measured_pairs(made);
  std::erase_if(bound, [](const device_pair* p) { return binding_of(*p).empty(); });
  for (const auto& [binding, pairs] : grouped(bound, binding_of)) {
    const std::vector<double> floors = floor_ratios(pairs);
    std::vector<std::string> cells = counts_row(binding, pairs);
    cells.push_back(floors.empty() ? "" : times(gate::median(floors)));
    out.rows.lines.push_back({std::move(cells), {}});
  }
  return out;
}

device_table of_calibrations(const device_comparison& made) {
  device_table out{"Measured ceilings",
                   "The calibrations that both records have: the best of each device.",
                   {{"ceiling", "calibration", made.first_label + ", µs", made.second_label + ", µs",
                     fmt::format("{} over {}", made.first_label, made.second_label)},
                    2,
                    {}}};
  for (const device_pair& p : made.pairs)
    if (p.is_calibration)
      out.rows.lines.push_back({{p.ceiling, p.variant, significant(p.first.median_us),
                                 significant(p.second.median_us), times(p.faster.ratio)},
                                {}});
  return out;
}

std::string workload_text(const std::string& operation, const std::string& workload,
                          const std::string& cache) {
  return fmt::format("{}{}{}, {}", operation, workload.empty() ? "" : ": ", workload, cache);
}

device_table by_workload(const device_comparison& made) {
  device_table out{
      "By workload",
      fmt::format("The fastest variant on each device; where they differ, the time of the {0}'s on the {1} "
                  "over the {1}'s own.",
                  made.first_label, made.second_label),
      {{"workload", "fastest on the " + made.first_label, "fastest on the " + made.second_label, "variants",
        made.first_label + ", µs", made.second_label + ", µs", "fastest over fastest", "median of variants",
        "cost of keeping it"},
       3,
       {}}};
  std::vector<const device_workload*> sorted;
  for (const device_workload& w : made.workloads) sorted.push_back(&w);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::abs(std::log(a->first_us / a->second_us)) > std::abs(std::log(b->first_us / b->second_us));
  });
  for (const device_workload* w : sorted)
    out.rows.lines.push_back(
        {{workload_text(w->operation, w->workload, w->cache_state), w->fastest_on_first,
          w->fastest_on_second == w->fastest_on_first ? "the same" : w->fastest_on_second,
          std::to_string(w->variants), significant(w->first_us), significant(w->second_us),
          times(w->first_us / w->second_us), times(w->median_ratio),
          w->cost_of_first ? times(*w->cost_of_first) : ""},
         {}});
  return out;
}

device_table of_flips(const device_comparison& made) {
  device_table out{
      "Rank flips",
      fmt::format("{} of {} pairs of variants change places, beyond the intervals of both devices.",
                  made.flips.size(), made.variant_pairs),
      {{"workload", "faster on the " + made.first_label, "faster on the " + made.second_label,
        fmt::format("on the {} by", made.first_label), fmt::format("on the {} by", made.second_label)},
       3,
       {}}};
  for (const rank_flip& f : made.flips)
    out.rows.lines.push_back(
        {{workload_text(f.operation, f.workload, f.cache_state), f.faster_on_first, f.faster_on_second,
          fmt::format("{:.3f}×", f.on_first), fmt::format("{:.3f}×", f.on_second)},
         {}});
  return out;
}

std::string terminal_table(const device_table& of, std::size_t most, const reports::terminal& on) {
  std::vector<std::vector<reports::terminal_cell>> rows(1);
  for (const std::string& heading : of.rows.header) rows.front().push_back({heading, reports::ink::faint});
  const std::size_t shown = std::min(most, of.rows.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    auto& row = rows.emplace_back();
    for (const std::string& cell : of.rows.lines[i].cells) row.push_back({cell});
  }
  reports::table_layout layout{.indent = "  "};
  for (std::size_t i = 0; i < of.rows.header.size(); ++i)
    (i < of.rows.left ? layout.wrap : layout.right).push_back(i);
  std::string out = "\n" + reports::painted(of.title, reports::ink::strong, on) + "\n";
  if (!of.note.empty()) out += reports::wrapped(of.note, on, "  ");
  if (shown > 0) out += reports::laid_out(rows, layout, on);
  if (shown < of.rows.lines.size())
    out += fmt::format("  {} more, of smaller effect; --all lists them\n", of.rows.lines.size() - shown);
  return out;
}

/// Why cases have no ratio, with how many of each, in the order of the first.
std::vector<std::pair<std::string, std::size_t>> reasons_of(const device_comparison& made) {
  std::vector<std::pair<std::string, std::size_t>> out;
  for (const uncompared_case& c : made.uncompared) {
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const auto& one) { return one.first == c.reason; });
    ++(known == out.end() ? out.emplace_back(c.reason, 0) : *known).second;
  }
  return out;
}

constexpr const char* no_gate =
    "Two kinds of GPU: their times are compared, nothing is judged, and the exit code is 0.";

ordered_json time_json(const device_time& of) {
  return {{"median_us", of.median_us},
          {"ci95_low_us", of.low_us},
          {"ci95_high_us", of.high_us},
          {"binding", reports::or_null(of.binding)},
          {"floor_us", reports::or_null(of.floor_us)}};
}

ordered_json group_json(const char* key, const std::string& name, const device_pairs& pairs) {
  const std::vector<double> ratios = ratios_of(pairs);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return {{key, name},
          {"cases", pairs.size()},
          {"first_faster", led_by(pairs, leader::first)},
          {"second_faster", led_by(pairs, leader::second)},
          {"level", led_by(pairs, leader::level)},
          {"median_ratio", gate::median(ratios)},
          {"least_ratio", *least},
          {"greatest_ratio", *most}};
}

ordered_json pair_json(const device_pair& p) {
  return {{"name", p.name},
          {"ceiling", p.is_calibration ? ordered_json(p.ceiling) : ordered_json()},
          {"first", time_json(p.first)},
          {"second", time_json(p.second)},
          {"ratio", p.faster.ratio},
          {"ratio_low", p.faster.low},
          {"ratio_high", p.faster.high}};
}

}  // namespace

std::vector<device_table> device_tables(const device_comparison& made) {
  std::vector<device_table> out;
  for (device_table& of : std::vector{by_operation(made), by_binding(made), of_calibrations(made),
                                      by_workload(made), of_flips(made)})
    if (!of.rows.lines.empty() || (of.title == "Rank flips" && made.variant_pairs > 0))
      out.push_back(std::move(of));
  return out;
}

std::string device_answer(const device_comparison& made) {
  const device_pairs pairs = measured_pairs(made);
  if (pairs.empty()) return "Only calibrations are in both records.";
  const std::vector<double> ratios = ratios_of(pairs);
  return fmt::format(
      "The {1} is faster in {3} of {5} cases, the {0} in {2}; {4} are level. In the median, times on the "
      "{0} are {6}× those on the {1}, from {7}.",
      made.first_label, made.second_label, led_by(pairs, leader::first), led_by(pairs, leader::second),
      led_by(pairs, leader::level), pairs.size(), times(gate::median(ratios)), range_text(ratios));
}

std::string devices_text(const device_comparison& made, const std::vector<record>& first,
                         const std::vector<record>& second, bool all, const reports::terminal& on) {
  constexpr std::size_t max_lines = 15;
  std::string out = fmt::format("first   {}\nsecond  {}\n\n", side_text(first), side_text(second));
  out += reports::wrapped(no_gate, on) + reports::wrapped(device_answer(made), on) +
         reports::wrapped(how_ratios_read(made), on);
  for (const device_table& of : device_tables(made))
    out += terminal_table(of, all ? of.rows.lines.size() : max_lines, on);
  out += "\n";
  for (const auto& [reason, count] : reasons_of(made))
    out += reports::wrapped(fmt::format("not compared: {}: {}", count, reason), on, "  ");
  if (all)
    for (const uncompared_case& c : made.uncompared)
      out += reports::wrapped(fmt::format("{}: {}", c.name, c.reason), on, "  ");
  for (const std::string& note : made.notes) out += reports::wrapped(note, on);
  return out;
}

std::string devices_markdown(const device_comparison& made, const std::vector<record>& first,
                             const std::vector<record>& second) {
  std::string out = fmt::format("# {} and {}\n\n- first: {}\n- second: {}\n\n{} {}\n\n{}\n", made.first_label,
                                made.second_label, side_text(first), side_text(second), no_gate,
                                device_answer(made), how_ratios_read(made));
  for (const std::string& note : made.notes) out += "\n- " + note;
  out += "\n";
  for (const device_table& of : device_tables(made)) {
    out += fmt::format("\n## {}\n\n", of.title);
    if (!of.note.empty()) out += of.note + "\n\n";
    if (of.rows.lines.empty()) continue;
    out += reports::table_header(of.rows.header, of.rows.left);
    for (const reports::table_line& line : of.rows.lines) out += reports::table_row(line.cells);
  }
  if (!made.uncompared.empty()) {
    out += "\n## Cases that were not compared\n\n" + reports::table_header({"case", "why"}, 2);
    for (const uncompared_case& c : made.uncompared) out += reports::table_row({c.name, c.reason});
  }
  return out;
}

ordered_json devices_json(const device_comparison& made, const std::vector<record>& first,
                          const std::vector<record>& second) {
  ordered_json out{{"two_devices_schema", "1.0.0"},
                   {"ratio", "time on the first over time on the second: above 1 the second is faster"},
                   {"first", {{"label", made.first_label}, {"records", side_json(first)}}},
                   {"second", {{"label", made.second_label}, {"records", side_json(second)}}},
                   {"answer", device_answer(made)},
                   {"operations", ordered_json::array()},
                   {"binding", ordered_json::array()},
                   {"workloads", ordered_json::array()},
                   {"variant_pairs", made.variant_pairs},
                   {"flips", ordered_json::array()},
                   {"cases", ordered_json::array()},
                   {"uncompared", ordered_json::array()},
                   {"notes", made.notes}};
  const device_pairs measured = measured_pairs(made);
  for (const auto& [name, pairs] : grouped(measured, [](const device_pair& p) { return p.operation; }))
    out["operations"].push_back(group_json("operation", name, pairs));
  for (const auto& [name, pairs] : grouped(measured, binding_of)) {
    if (name.empty()) continue;
    ordered_json& group = out["binding"].emplace_back(group_json("bound_by", name, pairs));
    const std::vector<double> floors = floor_ratios(pairs);
    group["median_floor_ratio"] = floors.empty() ? ordered_json() : ordered_json(gate::median(floors));
  }
  for (const device_workload& w : made.workloads)
    out["workloads"].push_back({{"operation", w.operation},
                                {"workload", w.workload},
                                {"cache_state", w.cache_state},
                                {"variants", w.variants},
                                {"median_ratio", w.median_ratio},
                                {"fastest_on_first", w.fastest_on_first},
                                {"fastest_on_second", w.fastest_on_second},
                                {"first_us", w.first_us},
                                {"second_us", w.second_us},
                                {"cost_of_first", reports::or_null(w.cost_of_first)}});
  for (const rank_flip& f : made.flips)
    out["flips"].push_back({{"operation", f.operation},
                            {"workload", f.workload},
                            {"cache_state", f.cache_state},
                            {"faster_on_first", f.faster_on_first},
                            {"faster_on_second", f.faster_on_second},
                            {"on_first", f.on_first},
                            {"on_second", f.on_second}});
  for (const device_pair& p : made.pairs) out["cases"].push_back(pair_json(p));
  for (const uncompared_case& c : made.uncompared)
    out["uncompared"].push_back({{"name", c.name}, {"reason", c.reason}});
  return out;
}

}  // namespace ablate::compare
