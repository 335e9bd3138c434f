#include "reports/sections/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "base/record/bounded.h"
#include "base/record/floors.h"
#include "base/statistics/quantile.h"
#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/explain/explanation.h"
#include "reports/plots/pages.h"
#include "reports/plots/plot_groups.h"
#include "reports/plots/vega.h"
#include "reports/views/leading.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// "dram_read_bytes" as "DRAM read 4.59 TB/s".
std::string roof_title(const std::string& ceiling, double per_s) {
  std::string words = ceiling.substr(0, ceiling.rfind('_'));
  std::replace(words.begin(), words.end(), '_', ' ');
  if (words.starts_with("dram")) words.replace(0, 4, "DRAM");
  if (words.starts_with("l2")) words.replace(0, 2, "L2");
  return fmt::format("{} {}{}/s", words, with_prefix(per_s), ceiling.ends_with("_bytes") ? "B" : "FLOP");
}

/// Each FLOP rate of these pipes; of all pipes if one is unnamed.
std::vector<roof> flop_roofs(const measured_ceilings& ceilings, const std::set<std::string>& pipes) {
  const auto is_of_pipes = [&](const std::string& name) {
    return std::any_of(pipes.begin(), pipes.end(), [&](const std::string& pipe) {
      return flops_per_s({{name, ceilings.at(name)}}, pipe).has_value();
    });
  };
  std::vector<roof> out;
  for (const auto& [name, reached] : ceilings)
    if (is_of_pipes(name)) out.push_back({roof_title(name, reached.rate_per_s), reached.rate_per_s, false});
  return out;
}

/// The fastest of the ceilings for bytes whose names begin so.
std::optional<roof> bandwidth_of(const measured_ceilings& ceilings, std::string_view prefix) {
  std::optional<roof> out;
  for (const auto& [name, reached] : ceilings)
    if (name.starts_with(prefix) && name.ends_with("_bytes") && (!out || reached.rate_per_s > out->per_s))
      out = roof{roof_title(name, reached.rate_per_s), reached.rate_per_s, true};
  return out;
}

using bytes_of_case = std::function<std::optional<double>(const measured_case&)>;

/// `per` bytes for each of what a counter counts; nothing where it is 0 or was not read.
bytes_of_case counted_bytes(const char* counter, double per) {
  return [=](const measured_case& c) -> std::optional<double> {
    const auto count = c.counters.value(counter);
    return count && *count > 0 ? std::optional(*count * per) : std::nullopt;
  };
}

std::optional<double> dram_bytes(const measured_case& c) {
  for (const explain::amount& a : explain::amounts_of(c))
    if (a.name == "bytes" && a.measured && *a.measured > 0) return a.measured;
  return std::nullopt;
}

/// Shared memory moves a wavefront of 128 bytes a clock and multiprocessor: at the median of the SM clocks
/// that were counted, for no calibration measures it.
std::optional<roof> shared_memory_peak(const record& r, const std::vector<const comparable_cases*>& rows) {
  constexpr double wavefront_bytes = 128;
  const auto multiprocessors = r.device.find("multiprocessors");
  std::vector<double> clocks;
  for (const comparable_cases* row : rows)
    for (const auto& [variant, c] : row->by_variant)
      if (const auto hz = c->counters.value("sm__cycles_elapsed.avg.per_second"); hz && *hz > 0)
        clocks.push_back(*hz);
  if (clocks.empty() || multiprocessors == r.device.end() || !multiprocessors->is_number())
    return std::nullopt;
  const double per_s = wavefront_bytes * multiprocessors->get<double>() * gate::median(clocks);
  return roof{fmt::format("shared memory, 128 B/clk/SM, {}B/s", with_prefix(per_s)), per_s, true};
}

constexpr const char* declared_bytes = "declared";  // the level where none were counted

/// A level of memory whose bytes a record has.
struct counted_level {
  std::string name, x_title;
  bytes_of_case bytes;
  roof bandwidth;
};

/// The levels of memory for which some case has a counter and the record a ceiling, from DRAM inwards.
/// Without DRAM counters declared bytes are used, and there is no other level.
std::vector<counted_level> levels_of(const record& r, const std::vector<const comparable_cases*>& rows) {
  const auto is_counted = [&](const bytes_of_case& bytes) {
    return std::any_of(rows.begin(), rows.end(), [&](const comparable_cases* row) {
      return std::any_of(row->by_variant.begin(), row->by_variant.end(),
                         [&](const auto& of) { return bytes(*of.second).has_value(); });
    });
  };
  const auto dram = bandwidth_of(r.ceilings, "dram_");
  if (!dram) return {};
  if (!is_counted(dram_bytes)) {
    const auto declared = [](const measured_case& c) {
      return c.work.bytes > 0 ? std::optional(c.work.bytes) : std::nullopt;
    };
    return {{declared_bytes, "arithmetic intensity (declared FLOP/declared byte)", declared, *dram}};
  }
  const auto x_title = [](const char* level) {
    return fmt::format("arithmetic intensity, {} (declared FLOP/byte)", level);
  };
  std::vector<counted_level> out = {{"DRAM", x_title("DRAM"), dram_bytes, *dram}};
  const auto add = [&](const char* name, const bytes_of_case& bytes, const std::optional<roof>& bandwidth) {
    if (bandwidth && is_counted(bytes)) out.push_back({name, x_title(name), bytes, *bandwidth});
  };
  // What multiprocessors ask of it: a look-up in the far half would count twice (docs/counters.md).
  add("L2", counted_bytes("lts__t_sectors_srcunit_tex.sum", 32), bandwidth_of(r.ceilings, "l2_"));
  add("shared memory", counted_bytes("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 128),
      shared_memory_peak(r, rows));
  return out;
}

/// The variants of `drawn` that a legend can tell apart: the baseline, and those fastest on the most
/// workloads.
std::set<std::string> legend_variants(const operation_view& view,
                                      const std::vector<const comparable_cases*>& workloads,
                                      const std::set<std::string>& drawn) {
  constexpr std::size_t most = 16;
  if (drawn.size() <= most) return drawn;
  std::map<std::string, std::size_t> wins;
  for (const comparable_cases* row : workloads) {
    const auto fastest = std::min_element(
        row->by_variant.begin(), row->by_variant.end(),
        [](const auto& a, const auto& b) { return a.second->time.median_us < b.second->time.median_us; });
    ++wins[fastest->first];
  }
  wins[view.baseline] = workloads.size() + 1;
  std::vector<std::string> ranked(drawn.begin(), drawn.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return wins[a] > wins[b]; });
  return {ranked.begin(), ranked.begin() + most};
}

void erase_empty_columns(table& from) {
  for (std::size_t i = from.header.size(); i-- > from.left;) {
    if (std::any_of(from.lines.begin(), from.lines.end(),
                    [&](const auto& line) { return !line.cells[i].empty(); }))
      continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    from.header.erase(from.header.begin() + at);
    for (table_line& line : from.lines) line.cells.erase(line.cells.begin() + at);
  }
}

}  // namespace

std::vector<plot> roofline_plots(const record& r, const operation_view& view) {
  std::vector<const comparable_cases*> with_flops;
  std::set<std::string> pipes;
  for (const comparable_cases& row : view.rows) {
    if (!(row.by_variant.begin()->second->work.flops > 0)) continue;
    with_flops.push_back(&row);
    for (const auto& [variant, c] : row.by_variant) pipes.insert(c->work.flop_pipe);
  }
  const std::vector<roof> of_pipes = flop_roofs(r.ceilings, pipes);
  if (of_pipes.empty()) return {};
  std::vector<plot> out;
  for (const page& p : pages(view, with_flops, with_flops.size())) {
    std::set<std::string> drawn;
    ordered_json rows = ordered_json::array();
    std::vector<roofline_level> levels;
    const std::vector<std::string> order = fastest_first(view.drawn, p.rows);
    for (const counted_level& level : levels_of(r, p.rows)) {
      const std::size_t before = rows.size();
      for (const std::string& variant : order)
        for (const comparable_cases* row : p.rows) {
          const measured_case* c = row->of(variant);
          if (!c || !(c->work.flops > 0)) continue;
          const std::optional<double> of_pipe = flops_per_s(r.ceilings, c->work.flop_pipe);
          const std::optional<double> bytes = level.bytes(*c);
          if (!of_pipe || !bytes) continue;
          const double rate = c->work.flops / (c->time.median_us * 1e-6), intensity = c->work.flops / *bytes;
          const double under = std::min(level.bandwidth.per_s * intensity, *of_pipe);
          drawn.insert(variant);
          rows.push_back({{"case", c->name},
                          {"level", level.name},
                          {"variant", variant},
                          {"intensity", intensity},
                          {"flop_s", rate},
                          {"roof_pct", or_null(shown_figure(100 * rate / under, 100, ceiling_slack))}});
        }
      if (rows.size() == before) continue;
      levels.push_back({level.name, level.x_title, {level.bandwidth}});
      levels.back().roofs.insert(levels.back().roofs.end(), of_pipes.begin(), of_pipes.end());
    }
    if (rows.empty()) continue;
    const std::set<std::string> in_legend = legend_variants(view, p.rows, drawn);
    for (ordered_json& row : rows)
      row["group"] =
          in_legend.count(row["variant"].get<std::string>()) ? row["variant"] : ordered_json(other_variants);
    std::string note = "roofs are the ceilings measured in this run, which a kernel may pass; ";
    note += levels.front().name == declared_bytes
                ? "no DRAM bytes were counted, so the declared ones are used"
            : levels.size() == 1 ? "DRAM bytes are counted"
                                 : "bytes are counted at each level";
    if (levels.back().name == "shared memory")
      note += "; shared memory: wavefronts of 128 B, under the peak at the counted clock";
    const plot_heading heading{
        view.name + ": roofline", r.device_name, p.rows.front()->cache_state, {}, note};
    out.push_back({file_name(view, "roofline", p.words),
                   view.name + ": roofline, " + p.rows.front()->cache_state,
                   roofline(heading, names_of(view), levels, std::move(rows))});
  }
  return out;
}

namespace {

/// Which bounds bind in how many cases, and how far the times are above them.
struct bounds_of_cases {
  std::map<std::string, std::size_t> cases_by_name;
  std::vector<double> time_over;

  void add(const std::optional<time_bound>& of) {
    if (!of) return;
    ++cases_by_name[of->name];
    time_over.push_back(of->time_over);
  }
  std::string names() const {
    std::vector<std::string> out;
    for (const auto& [name, cases] : cases_by_name) out.push_back(fmt::format("{} {}", name, cases));
    return fmt::format("{}", fmt::join(out, ", "));
  }
};

}  // namespace

table work_table(const operation_view& view) {
  constexpr const char* works[] = {"bytes", "flops", "atomics"};
  table out{{"variant", "binding floors", "cases", "time over floor, median", "least", "binding models",
             "time over model, median", "least", "DRAM bytes over declared, median", "greatest",
             "FLOPs over declared, median", "greatest", "atomics over declared, median", "greatest"},
            2,
            {}};
  for (const std::string& variant : view.variants) {
    bounds_of_cases floors, models;
    std::vector<double> waste[std::size(works)];
    table_line line{{variant}, {}};
    for (const comparable_cases& row : view.rows) {
      const measured_case* c = row.of(variant);
      if (!c) continue;
      line.cases.push_back(c->name);
      floors.add(floor_of(*c));
      models.add(model_of(*c));
      for (const explain::amount& a : explain::amounts_of(*c))
        for (std::size_t i = 0; i < std::size(works); ++i)
          if (const auto factor = a.waste_factor(); factor && a.name == works[i]) waste[i].push_back(*factor);
    }
    line.cells.push_back(floors.names());
    line.cells.push_back(std::to_string(line.cases.size()));
    const auto add = [&](const std::vector<double>& of, auto end) {
      line.cells.push_back(of.empty() ? "" : fmt::format("{:.2f}", gate::median(of)));
      line.cells.push_back(of.empty() ? "" : fmt::format("{:.2f}", *end(of.begin(), of.end())));
    };
    const auto least = [](auto from, auto to) { return std::min_element(from, to); };
    add(floors.time_over, least);
    line.cells.push_back(models.names());
    add(models.time_over, least);
    for (const auto& of : waste) add(of, [](auto from, auto to) { return std::max_element(from, to); });
    if (std::any_of(line.cells.begin() + 3, line.cells.end(), [](const auto& cell) { return !cell.empty(); }))
      out.lines.push_back(std::move(line));
  }
  erase_empty_columns(out);
  return out;
}

}  // namespace ablate::reports
