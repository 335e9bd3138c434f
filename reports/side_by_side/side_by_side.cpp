#include "reports/side_by_side/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <variant>

#include "base/record/facts.h"
#include "base/text/bad_input.h"
#include "base/text/text.h"
#include "reports/compare/comparison.h"
#include "reports/compare/devices.h"
#include "reports/plots/plot_groups.h"
#include "reports/plots/vega.h"
#include "reports/views/leading.h"

namespace ablate::reports {
namespace {

using cases_by_name = std::map<std::string, const measured_case*>;

cases_by_name cases_of(const record& r) {
  cases_by_name out;
  for (const measured_case& c : r.cases) out.emplace(c.name, &c);
  return out;
}

std::string why_missing(const record& r, const std::string& name) {
  for (const unmeasured_case& c : r.unmeasured)
    if (c.name == name) return fmt::format("{}: {}", c.status, c.reason);
  return "not in this record";
}

std::string why_no_ratio(const measured_case& first, const measured_case& other) {
  if (first.time.method != other.time.method) return "timed by another method";
  if (input_hash(first) != input_hash(other)) return "another input";
  return "";
}

/// One record per side, or several if both have them.
std::vector<record> launches_of(const record_report& side, bool all) {
  std::vector<record> out = {*side.first};
  if (all)
    for (const record* r : side.more) out.push_back(*r);
  return out;
}

/// What `ablate compare` says about two records, or why it refuses them.
using judged_pair = std::variant<compare::record_comparison, compare::device_comparison, std::string>;

judged_pair judge(const record_report& first, const record_report& other, const gate::gate_policy& policy) {
  using compare::agreement;
  const bool has_launches = !first.more.empty() && !other.more.empty();
  const std::vector<record> a = launches_of(first, has_launches), b = launches_of(other, has_launches);
  try {
    if (compare::are_two_kinds(*first.first, *other.first)) return compare::compare_devices(a, b);
    // Cases that differ in one of these are skipped individually.
    return compare::compare_records(a, b, policy,
                                    {agreement::workload, agreement::method, agreement::cache_state});
  } catch (const compare::unlike_records& refused) {
    return refused.differences;
  } catch (const bad_input& refused) {
    return refused.what();
  }
}

std::optional<double> ratio_of(double logarithm) {
  return std::isfinite(logarithm) ? std::optional(std::exp(logarithm)) : std::nullopt;
}

void add_words(const compare::record_comparison& made, std::size_t side, std::vector<side_row>& rows) {
  std::map<std::string, const gate::case_decision*> by_name;
  for (const compare::compared_case& c : made.cases)
    if (c.decision.name == c.candidate_name) by_name.emplace(c.decision.name, &c.decision);
  for (side_row& row : rows) {
    compared_side& to = row.sides[side];
    const auto found = by_name.find(row.name);
    if (!to.ratio || found == by_name.end()) continue;
    const gate::case_decision& decision = *found->second;
    to.ratio = std::exp(-decision.ratio.estimate);
    to.low = ratio_of(-decision.ratio.high);
    to.high = ratio_of(-decision.ratio.low);
    to.word = decision.word;
    to.reason = decision.reason;
  }
}

void add_intervals(const compare::device_comparison& made, std::size_t side, std::vector<side_row>& rows) {
  std::map<std::string, const speed_up*> by_name;
  for (const compare::device_pair& p : made.pairs) by_name.emplace(p.name, &p.faster);
  for (side_row& row : rows)
    if (const auto found = by_name.find(row.name); row.sides[side].ratio && found != by_name.end()) {
      row.sides[side].low = found->second->low;
      row.sides[side].high = found->second->high;
    }
}

side_row row_of(const measured_case& like, const std::vector<record_report>& records,
                const std::vector<cases_by_name>& cases) {
  side_row out{like.name, like.operation, like.variant, {}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    compared_side& to = out.sides.emplace_back();
    const auto found = cases[i].find(like.name);
    if (found == cases[i].end())
      to.missing = why_missing(*records[i].of, like.name);
    else
      to.of = found->second;
    if (i == 0 || !to.of || !out.sides.front().of) continue;
    to.reason = why_no_ratio(*out.sides.front().of, *to.of);
    if (to.reason.empty()) to.ratio = out.sides.front().of->time.median_us / to.of->time.median_us;
  }
  return out;
}

/// Each case that one record measured and another at least names.
std::vector<side_row> rows_of(const std::vector<record_report>& records) {
  std::vector<cases_by_name> cases;
  std::map<std::string, std::size_t> named;
  for (const record_report& r : records) {
    cases.push_back(cases_of(*r.of));
    for (const auto& [name, c] : cases.back()) ++named[name];
    for (const unmeasured_case& c : r.of->unmeasured) ++named[c.name];
  }
  std::vector<side_row> out;
  std::set<std::string> done;
  for (const record_report& r : records)
    for (const measured_case& c : r.of->cases)
      if (!c.ceiling && named[c.name] > 1 && done.insert(c.name).second)
        out.push_back(row_of(c, records, cases));
  return out;
}

constexpr std::size_t fewest_shared_sizes = 3;  // of a curve

/// A variant's times by size and record; empty if no other record has enough of the first one's sizes.
nlohmann::ordered_json panel_rows(const std::string& variant, const scaling_group& group,
                                  const std::vector<cases_by_name>& cases,
                                  const std::vector<std::string>& labels) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::map<std::size_t, std::size_t> sizes;  // of each record
  for (const comparable_cases* point : group.points) {
    const measured_case* first = point->of(variant);
    if (!first) continue;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto found = cases[i].find(first->name);
      if (found == cases[i].end() || !why_no_ratio(*first, *found->second).empty()) continue;
      const measured_case& c = *found->second;
      ++sizes[i];
      rows.push_back({{"case", c.name},
                      {"record", labels[i]},
                      {"variant", variant},
                      {"size", std::stol(point->value(group.axis))},
                      {"us", c.time.median_us},
                      {"us_low", c.time.ci95_low_us},
                      {"us_high", c.time.ci95_high_us}});
    }
  }
  const bool is_shared = std::any_of(sizes.begin(), sizes.end(), [](const auto& of) {
    return of.first > 0 && of.second >= fewest_shared_sizes;
  });
  return is_shared ? rows : nlohmann::ordered_json::array();
}

/// Sweeps of the first record that another one has too: one panel for each variant that both measured.
std::vector<plot> plots_of(const std::vector<record_report>& records) {
  constexpr std::size_t most = 12;
  std::vector<cases_by_name> cases;
  std::vector<std::string> labels, devices;
  for (const record_report& r : records) {
    cases.push_back(cases_of(*r.of));
    labels.push_back(r.label);
    if (std::find(devices.begin(), devices.end(), r.of->device_name) == devices.end())
      devices.push_back(r.of->device_name);
  }
  std::vector<plot> out;
  for (const operation_view& view : records.front().views)
    for (const auto& [group, words, title] :
         plotted_groups(view, view.scaling_groups(fewest_shared_sizes), most)) {
      nlohmann::ordered_json rows = nlohmann::ordered_json::array();
      const std::vector<std::string> order = fastest_first(view.drawn, group.points);
      for (const std::string& variant : order) {
        const nlohmann::ordered_json panel = panel_rows(variant, group, cases, labels);
        rows.insert(rows.end(), panel.begin(), panel.end());
      }
      if (rows.empty()) continue;
      const plot_heading heading{fmt::format("{}: time against {}, by record", view.name, group.axis),
                                 joined(devices), group.cache_state, group.fixed,
                                 "median with 95 % interval within a launch"};
      out.push_back({file_name(view, "records", words), view.name + ": records " + title,
                     curves_by_record(heading, order, labels, view.axis_title(group.axis), std::move(rows))});
    }
  return out;
}

std::string how_text(const side_by_side& from) {
  std::string out = fmt::format("Ratios are times of {} over those beside it: above 1 is faster.",
                                from.records.front()->label);
  if (std::any_of(from.pairs.begin(), from.pairs.end(), [](const auto& p) { return p.why_not.empty(); }))
    out +=
        " Words are those of `ablate compare`: Hodges-Lehmann over the samples of one launch a side, over "
        "the medians of launches where both sides have several. Launches of one binary differ by more than "
        "the samples of one show, so small effects of single launches stay INCONCLUSIVE.";
  return out;
}

}  // namespace

side_by_side put_side_by_side(const std::vector<record_report>& records, const gate::gate_policy& policy) {
  side_by_side out;
  for (const record_report& r : records) out.records.push_back(&r);
  out.rows = rows_of(records);
  for (std::size_t i = 1; i < records.size(); ++i) {
    const judged_pair pair = judge(records.front(), records[i], policy);
    side_pair& to = out.pairs.emplace_back();
    if (const auto* refusal = std::get_if<std::string>(&pair)) {
      to.why_not = *refusal;
    } else if (const auto* devices = std::get_if<compare::device_comparison>(&pair)) {
      to.why_not = "two kinds of GPU";
      add_intervals(*devices, i, out.rows);
      to.notes = devices->notes;
      to.devices = {compare::device_answer(*devices), compare::device_tables(*devices)};
    } else {
      const auto& judged = std::get<compare::record_comparison>(pair);
      add_words(judged, i, out.rows);
      to.invalid_run = judged.invalid_run;
      for (const std::string& note : judged.notes)
        if (!note.starts_with("Allowed: ")) to.notes.push_back(note);
    }
  }
  out.how = how_text(out);
  out.plots = plots_of(records);
  return out;
}

}  // namespace ablate::reports
