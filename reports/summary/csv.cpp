#include "reports/summary/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/record/clocks.h"
#include "base/record/floors.h"
#include "base/text/csv_file.h"
#include "base/text/text.h"
#include "reports/explain/explanation.h"
#include "reports/views/record_tables.h"
#include "reports/views/rivals.h"

namespace ablate::reports {
namespace {

std::string number(double value) { return fmt::format("{}", value); }
std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::optional<double> counted_work(const measured_case& c, std::string_view name) {
  for (const explain::amount& a : explain::amounts_of(c))
    if (a.name == name) return a.measured;
  return std::nullopt;
}

/// The names of these figures over all cases.
std::vector<std::string> names_of(const std::vector<record_report>& records,
                                  named_figures measured_case::*figures) {
  std::vector<std::string> out;
  for (const record_report& r : records)
    for (const measured_case& c : r.of->cases)
      for (const auto& [name, value] : c.*figures)
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

std::vector<std::string> axes_of(const std::vector<record_report>& records) {
  std::vector<std::string> out;
  const auto add = [&](const named_words& axes) {
    for (const auto& [name, value] : axes)
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const record_report& r : records) {
    for (const measured_case& c : r.of->cases) add(c.axes);
    for (const unmeasured_case& c : r.of->unmeasured) add(c.axes);
  }
  return out;
}

/// With several records, each line says which one it is from.
std::vector<std::string> first_columns(const std::vector<record_report>& records) {
  return records.size() > 1 ? std::vector<std::string>{"device", "record"}
                            : std::vector<std::string>{"device"};
}

std::vector<std::string> first_cells(const std::vector<record_report>& records, const record_report& of) {
  return records.size() > 1 ? std::vector{of.of->device_name, of.label} : std::vector{of.of->device_name};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> axis_cells(const named_words& values, const std::vector<std::string>& axes) {
  std::vector<std::string> out;
  for (const std::string& axis : axes) {
    const std::string* value = find_word(values, axis);
    out.push_back(value ? *value : "");
  }
  return out;
}

/// A figure of a measured case.
struct case_column {
  const char* name;
  std::string (*of)(const measured_case&);
};

template <auto Floor>
std::string floor_cell(const measured_case& c) {
  return c.floors ? number((*c.floors).*Floor) : "";
}

std::string name_cell(const std::optional<time_bound>& of) { return of ? of->name : ""; }
std::string time_over_cell(const std::optional<time_bound>& of) { return of ? number(of->time_over) : ""; }

std::string rate_cell(const measured_case& c) {
  const auto items = c.items();
  return items ? number(*items / (c.time.median_us * 1e-6)) : "";
}

using floor_times = measured_case::floor_times;
constexpr case_column case_columns[] = {
    {"median_us", [](const measured_case& c) { return number(c.time.median_us); }},
    {"min_us", [](const measured_case& c) { return number(c.time.min_us); }},
    {"mad_us", [](const measured_case& c) { return number(c.time.mad_us); }},
    {"ci95_low_us", [](const measured_case& c) { return number(c.time.ci95_low_us); }},
    {"ci95_high_us", [](const measured_case& c) { return number(c.time.ci95_high_us); }},
    {"method", [](const measured_case& c) { return c.time.method; }},
    {"launches_per_sample",
     [](const measured_case& c) { return std::to_string(c.time.launches_per_sample); }},
    {"warmup_launches", [](const measured_case& c) { return std::to_string(c.time.warmup_launches); }},
    {"samples", [](const measured_case& c) { return std::to_string(c.time.sample_count()); }},
    {"stopped_by", [](const measured_case& c) { return c.time.stopped_by; }},
    {"sm_mhz", [](const measured_case& c) { return number(sm_clock_mhz(c)); }},
    {"steady_clock",
     [](const measured_case& c) -> std::string {
       return !c.time.clock ? "" : c.time.clock->steady ? "yes" : "no";
     }},
    {"points", [](const measured_case& c) { return number(c.items()); }},
    {"points_per_s", rate_cell},
    {"bytes", [](const measured_case& c) { return number(c.work.bytes); }},
    {"flops", [](const measured_case& c) { return number(c.work.flops); }},
    {"atomics", [](const measured_case& c) { return number(c.work.atomics); }},
    {"random_accesses", [](const measured_case& c) { return number(c.work.random_accesses()); }},
    {"floor_launch_us", floor_cell<&floor_times::launch_us>},
    {"floor_bytes_us", floor_cell<&floor_times::bytes_us>},
    {"floor_atomics_us", floor_cell<&floor_times::atomics_us>},
    {"floor_flops_us", floor_cell<&floor_times::flops_us>},
    {"floor_random_us", floor_cell<&floor_times::random_us>},
    {"floor_exponentials_us", floor_cell<&floor_times::exponentials_us>},
    {"floor_gathered_us", floor_cell<&floor_times::gathered_us>},
    {"floor_steps_us", floor_cell<&floor_times::steps_us>},
    {"binding_floor", [](const measured_case& c) { return name_cell(floor_of(c)); }},
    {"time_over_floor", [](const measured_case& c) { return time_over_cell(floor_of(c)); }},
    {"binding_model", [](const measured_case& c) { return name_cell(model_of(c)); }},
    {"time_over_model", [](const measured_case& c) { return time_over_cell(model_of(c)); }},
    {"points_per_atomic", [](const measured_case& c) { return number(c.points_per_atomic()); }},
    {"max_error", [](const measured_case& c) { return number(double{c.check.max_error}); }},
    {"accepted_error", [](const measured_case& c) { return number(c.check.accepted_error); }},
    {"dram_bytes", [](const measured_case& c) { return number(counted_work(c, "bytes")); }},
    {"counted_flops", [](const measured_case& c) { return number(counted_work(c, "flops")); }},
    {"counted_atomics", [](const measured_case& c) { return number(counted_work(c, "atomics")); }},
};

constexpr case_column energy_columns[] = {
    {"energy_mj", [](const measured_case& c) { return c.energy ? number(c.energy->launch_mj()) : ""; }},
    {"energy_error_pct", [](const measured_case& c) { return c.energy ? number(c.energy->error_pct) : ""; }},
    {"energy_delay_mj_us", [](const measured_case& c) { return number(c.energy_delay_mj_us()); }},
    {"energy_mean_w", [](const measured_case& c) { return c.energy ? number(c.energy->mean_w) : ""; }},
};

/// Those of energy follow those of time, if some record has energy.
std::vector<case_column> columns_for(const std::vector<record_report>& records) {
  std::vector<case_column> out(std::begin(case_columns), std::end(case_columns));
  if (std::none_of(records.begin(), records.end(), [](const record_report& r) { return has_energy(*r.of); }))
    return out;
  const auto behind = std::find_if(out.begin(), out.end(), [](const case_column& column) {
    return column.name == std::string_view("ci95_high_us");
  });
  out.insert(behind + 1, std::begin(energy_columns), std::end(energy_columns));
  return out;
}

/// After those of `header`. An axis of a column's name, such as `points`, is `axis.points`.
std::vector<std::string> columns_of_axes(std::vector<std::string> axes,
                                         const std::vector<std::string>& header,
                                         const std::vector<case_column>& columns) {
  for (std::string& axis : axes)
    if (std::find(header.begin(), header.end(), axis) != header.end() ||
        std::any_of(columns.begin(), columns.end(),
                    [&](const case_column& column) { return column.name == axis; }))
      axis = "axis." + axis;
  return axes;
}

void write_cases(const std::vector<record_report>& records, const std::vector<std::string>& axes,
                 csv_file file) {
  std::vector<std::string> header = first_columns(records);
  append(header, {"case", "operation", "variant", "cache_state"});
  const std::vector<case_column> columns = columns_for(records);
  append(header, columns_of_axes(axes, header, columns));
  for (const case_column& column : columns) header.push_back(column.name);
  const auto quality = names_of(records, &measured_case::quality);
  const auto counted = names_of(records, &measured_case::counted);
  for (const std::string& name : quality) header.push_back("quality." + name);
  for (const std::string& name : counted) header.push_back("instrumented." + name);
  file.row(header);
  for (const record_report& r : records)
    for (const measured_case& c : r.of->cases) {
      std::vector<std::string> row = first_cells(records, r);
      append(row, {c.name, c.operation, c.variant, c.cache_state});
      append(row, axis_cells(c.axes, axes));
      for (const case_column& column : columns) row.push_back(column.of(c));
      for (const std::string& name : quality) row.push_back(number(find_counter(c.quality, name)));
      for (const std::string& name : counted) row.push_back(number(find_counter(c.counted, name)));
      file.row(row);
    }
  file.close();
}

void write_unmeasured(const std::vector<record_report>& records, const std::vector<std::string>& axes,
                      csv_file file) {
  std::vector<std::string> header = first_columns(records);
  append(header, {"case", "operation", "variant", "cache_state"});
  append(header, axes);
  append(header, {"status", "reason"});
  file.row(header);
  for (const record_report& r : records)
    for (const unmeasured_case& c : r.of->unmeasured) {
      std::vector<std::string> row = first_cells(records, r);
      append(row, {c.name, c.operation, c.variant, c.cache_state});
      append(row, axis_cells(c.axes, axes));
      append(row, {c.status, c.reason});
      file.row(row);
    }
  file.close();
}

/// Between the processes that measured it.
std::string moved(std::size_t processes, double pct) {
  return processes > 1 ? fmt::format("{:.6g}", pct) : "";
}

void write_speed_ups(const std::vector<record_report>& records, const std::vector<std::string>& axes,
                     csv_file file) {
  std::vector<std::string> header = first_columns(records);
  append(header, {"operation", "cache_state", "method"});
  append(header, axes);
  append(header,
         {"variant", "baseline", "median_us", "baseline_median_us", "speedup", "speedup_low", "speedup_high",
          "sm_mhz", "baseline_sm_mhz", "speedup_in_cycles", "processes", "baseline_moved_pct"});
  file.row(header);
  for (const record_report& r : records)
    for (const operation_view& view : r.views)
      for (const comparable_cases& cases : view.rows)
        for (const std::string& variant : view.variants) {
          const auto up = view.speed_up_of(cases, variant);
          if (!up) continue;
          std::vector<std::string> row = first_cells(records, r);
          append(row, {view.name, cases.cache_state, cases.method});
          append(row, axis_cells(cases.axes, axes));
          append(row, {variant, view.baseline, number(cases.of(variant)->time.median_us),
                       number(cases.of(view.baseline)->time.median_us), number(up->ratio), number(up->low),
                       number(up->high), number(sm_clock_mhz(*cases.of(variant))),
                       number(sm_clock_mhz(*cases.of(view.baseline))), number(up->in_cycles),
                       std::to_string(up->launches), moved(up->launches, up->base_moved_pct)});
          file.row(row);
        }
  file.close();
}

/// One row per turn: a rival's, or that of our variant that it took turns with.
void write_turns(const std::vector<record_report>& records, const std::vector<std::string>& axes,
                 const std::filesystem::path& path) {
  const auto has_turns = [](const measured_case& c) { return !c.in_turns.empty(); };
  if (std::none_of(records.begin(), records.end(), [&](const record_report& r) {
        return std::any_of(r.of->cases.begin(), r.of->cases.end(), has_turns);
      }))
    return;
  csv_file file(path);
  std::vector<std::string> header = first_columns(records);
  append(header, {"operation", "rival"});
  append(header, axes);
  append(header, {"round", "variant", "median_us", "sm_mhz", "power_w", "event_reasons", "steady_clock"});
  file.row(header);
  for (const record_report& r : records)
    for (const measured_case& c : r.of->cases)
      for (std::size_t round = 0; round < c.in_turns.size(); ++round)
        for (const auto& [variant, turn] : c.in_turns[round]) {
          std::vector<std::string> row = first_cells(records, r);
          append(row, {c.operation, c.variant});
          append(row, axis_cells(c.axes, axes));
          append(row,
                 {std::to_string(round + 1), variant, number(turn.median_us), number(turn.sm_mhz),
                  number(turn.power_w), joined(turn.event_reasons.value_or(std::vector<std::string>()), " "),
                  turn.steady ? "yes" : "no"});
          file.row(row);
        }
  file.close();
}

}  // namespace

void write_csv(const std::vector<record_report>& records, const std::filesystem::path& out) {
  const std::vector<std::string> axes = axes_of(records);
  write_cases(records, axes, csv_file(out / "cases.csv"));
  write_unmeasured(records, axes, csv_file(out / "unmeasured.csv"));
  write_speed_ups(records, axes, csv_file(out / "speedup.csv"));
  write_turns(records, axes, out / "turns.csv");
}

void write_ablation_csv(const std::vector<record_report>& records, const std::filesystem::path& out) {
  const std::vector<std::string> axes = axes_of(records);
  csv_file file(out / "ablation.csv");
  std::vector<std::string> header = first_columns(records);
  append(header, {"operation", "kind", "switch", "from", "to", "second_switch", "second_from", "second_to",
                  "from_variant", "to_variant", "cache_state", "method"});
  append(header, axes);
  append(header, {"ratio", "low", "high", "processes", "limit_pct", "verdict", "reason", "unequal_quality",
                  "ratio_in_cycles", "from_moved_pct"});
  file.row(header);
  // Six digits: more would only show rounding of the logarithm.
  const auto bound = [](double value) -> std::string {
    return std::isfinite(value) && value > 0 ? fmt::format("{:.6g}", value) : "";
  };
  const auto judgment_cells = [](const judgment& verdict) {
    return std::vector<std::string>{number(verdict.limit_pct), std::string(gate::name_of(verdict.word)),
                                    verdict.reason};
  };
  for (const record_report& r : records)
    for (std::size_t i = 0; i < r.views.size(); ++i) {
      std::vector<std::string> first = first_cells(records, r);
      first.push_back(r.views[i].name);
      const auto add = [&](const std::vector<std::string>& change, const comparable_cases& row,
                           const std::vector<std::string>& figures) {
        std::vector<std::string> cells = first;
        append(cells, change);
        append(cells, {row.cache_state, row.method});
        append(cells, axis_cells(row.axes, axes));
        append(cells, figures);
        file.row(cells);
      };
      for (const switch_effect& e : r.ablations[i].effects) {
        std::vector<std::string> figures = {bound(e.measured.ratio()), bound(e.measured.low()),
                                            bound(e.measured.high()), std::to_string(e.measured.processes)};
        append(figures, judgment_cells(e.measured.verdict));
        figures.emplace_back(e.unequal_quality ? "yes" : "");
        const auto in_cycles = e.measured.in_cycles();
        figures.push_back(in_cycles ? bound(*in_cycles) : "");
        figures.push_back(moved(e.measured.processes, e.measured.from_moved_pct));
        add({"effect", e.change.name, e.change.from, e.change.to, "", "", "", e.measured.from->variant,
             e.measured.to->variant},
            *e.row, figures);
      }
      for (const switch_square& s : r.ablations[i].squares) {
        std::vector<std::string> figures = {bound(s.measured.factor()), bound(s.measured.low()),
                                            bound(s.measured.high()), std::to_string(s.measured.processes)};
        append(figures, judgment_cells(s.measured.verdict));
        append(figures, {"", s.in_cycles ? bound(*s.in_cycles) : "", ""});
        add({"interaction", s.first.name, s.first.from, s.first.to, s.second.name, s.second.from, s.second.to,
             s.neither->variant, s.both->variant},
            *s.row, figures);
      }
    }
  file.close();
}

}  // namespace ablate::reports
