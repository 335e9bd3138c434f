#include "reports/summary/table_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <utility>

#include "base/text/csv_file.h"
#include "reports/views/labels.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {
namespace {

/// Six digits: more would only show rounding of the logarithm.
std::string bound(double value) {
  return std::isfinite(value) && value > 0 ? fmt::format("{:.6g}", value) : "";
}

/// mJ of a launch, and mJ·µs.
std::vector<std::string> written_energy(const measured_case& c) {
  if (!c.energy) return {"", ""};
  return {fmt::format("{}", c.energy->launch_mj()), fmt::format("{}", *c.energy_delay_mj_us())};
}

table answers_of(const record_report& r) {
  table out{{"operation", "group", "workload", "cache_state", "method", "family", "variant", "over_family",
             "over_variant", "median_us", "over_median_us", "factor", "low", "high", "processes",
             "over_moved_pct", "verdict"},
            9,
            {}};
  if (!r.answer) return out;
  const bool with_energy = has_energy(*r.of);
  if (with_energy)
    out.header.insert(out.header.end(),
                      {"energy_mj", "over_energy_mj", "energy_delay_mj_us", "over_energy_delay_mj_us"});
  const question_answer& answer = *r.answer;
  const std::size_t last = answer.asked.families.size() - 1;
  for (const answered_part& part : answer.parts)
    for (const answered_group& group : part.groups)
      for (const answered_workload* w : group.workloads)
        for (std::size_t i = 0; i < last; ++i) {
          const family_best& best = w->best[i];
          if (!best.over) continue;
          const effect& e = *best.over;
          out.lines.push_back(
              {{part.view.name, axes_text(group.by, part.view.axes), axes_text(w->row->axes, part.view.axes),
                w->row->cache_state, w->row->method, answer.asked.families[i].name, best.variant,
                answer.asked.families[last].name, w->best[last].variant,
                fmt::format("{}", e.to->time.median_us), fmt::format("{}", e.from->time.median_us),
                bound(e.ratio()), bound(e.low()), bound(e.high()), std::to_string(e.processes),
                e.processes > 1 ? fmt::format("{:.6g}", e.from_moved_pct) : "",
                std::string(gate::name_of(e.verdict.word))},
               {}});
          if (!with_energy) continue;
          const std::vector<std::string> own = written_energy(*e.to), over = written_energy(*e.from);
          std::vector<std::string>& cells = out.lines.back().cells;
          cells.insert(cells.end(), {own[0], over[0], own[1], over[1]});
        }
  return out;
}

/// Of each case of the ladder that was measured, numbers as they are in the record.
table ladder_rows(const record_report& r) {
  table out{{"step", "label", "change", "case", "median_us", "over_case", "factor", "low", "high", "verdict"},
            4,
            {}};
  if (!r.ladder) return out;
  const bool with_energy = has_energy(*r.of);
  if (with_energy) out.header.insert(out.header.end(), {"energy_mj", "energy_delay_mj_us"});
  out.header.insert(out.header.end(), r.ladder->asked.figures.begin(), r.ladder->asked.figures.end());
  const auto add = [&](const std::string& step, const ladder_case_result& c) {
    if (!c.found) return;
    table_line line{{step, c.label, c.change, c.found->name, fmt::format("{}", c.found->time.median_us)}, {}};
    if (c.over)
      line.cells.insert(line.cells.end(),
                        {c.before->name, bound(c.over->ratio()), bound(c.over->low()), bound(c.over->high()),
                         std::string(gate::name_of(c.over->verdict.word))});
    line.cells.resize(10);
    if (with_energy)
      for (std::string& cell : written_energy(*c.found)) line.cells.push_back(std::move(cell));
    for (const std::string& figure : r.ladder->asked.figures) {
      const auto value = find_counter(c.found->quality, figure);
      line.cells.push_back(value ? fmt::format("{}", *value) : "");
    }
    out.lines.push_back(std::move(line));
  };
  for (std::size_t i = 0; i < r.ladder->steps.size(); ++i) {
    const ladder_step_result& step = r.ladder->steps[i];
    add(std::to_string(i), step.at);
    if (step.control) add(fmt::format("{} control", i), *step.control);
  }
  return out;
}

/// A table of each operation, under its name.
table of_operations(const record_report& r,
                    const std::function<table(const record_report&, std::size_t)>& table_of) {
  table out{{}, 0, {}};
  for (std::size_t i = 0; i < r.views.size(); ++i) {
    table here = table_of(r, i);
    if (here.lines.empty()) continue;
    if (out.header.empty()) {
      out.header = {"operation"};
      out.header.insert(out.header.end(), here.header.begin(), here.header.end());
    }
    for (table_line& line : here.lines) {
      line.cells.insert(line.cells.begin(), r.views[i].name);
      out.lines.push_back(std::move(line));
    }
  }
  return out;
}

void write(const std::vector<record_report>& records, const std::filesystem::path& path,
           const std::function<table(const record_report&)>& table_of) {
  std::optional<csv_file> file;
  for (const record_report& r : records) {
    const table here = table_of(r);
    if (here.lines.empty()) continue;
    if (!file) {
      std::vector<std::string> header = {"device"};
      if (records.size() > 1) header.emplace_back("record");
      header.insert(header.end(), here.header.begin(), here.header.end());
      file.emplace(path);
      file->row(header);
    }
    for (const table_line& line : here.lines) {
      std::vector<std::string> row = {r.of->device_name};
      if (records.size() > 1) row.push_back(r.label);
      row.insert(row.end(), line.cells.begin(), line.cells.end());
      file->row(row);
    }
  }
  if (file)
    file->close();
  else
    std::filesystem::remove(path);  // of an earlier report
}

void remove_earlier_exhibits(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("exhibit-") && name.ends_with(".csv")) std::filesystem::remove(entry.path());
  }
}

/// A file for each exhibit, of all records that have it.
void write_exhibits(const std::vector<record_report>& records, const std::filesystem::path& out) {
  remove_earlier_exhibits(out);
  for (const record_report& r : records)
    for (const shown_exhibit& exhibit : r.exhibits)
      write(records, out / (exhibit.name + ".csv"), [&](const record_report& of) {
        for (const shown_exhibit& e : of.exhibits)
          if (e.name == exhibit.name) return e.lines;
        return table{{}, 0, {}};
      });
}

}  // namespace

void write_table_csv(const std::vector<record_report>& records, const std::filesystem::path& out) {
  write(records, out / "answer.csv", answers_of);
  write(records, out / "ladder.csv", ladder_rows);
  write_exhibits(records, out);
  write(records, out / "ceilings.csv", [](const record_report& r) { return ceiling_table(*r.of); });
  write(records, out / "kernels.csv", [](const record_report& r) {
    return of_operations(
        r, [](const record_report& of, std::size_t i) { return kernel_table(*of.of, of.views[i]); });
  });
  // Of an operation's own columns each: the amounts that it declares.
  write(records, out / "work.csv", [](const record_report& r) {
    table out{{"operation", "variant", "figure", "value"}, 3, {}};
    for (std::size_t i = 0; i < r.views.size(); ++i) {
      const table& work = r.plots[i].work;
      for (const table_line& line : work.lines)
        for (std::size_t column = 1; column < line.cells.size(); ++column)
          if (!line.cells[column].empty())
            out.lines.push_back(
                {{r.views[i].name, line.cells[0], work.header[column], line.cells[column]}, {}});
    }
    return out;
  });
}

}  // namespace ablate::reports
