#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "reports/ablation/ablation.h"
#include "reports/ablation/waterfall_plot.h"
#include "reports/bad_input.h"
#include "reports/csv.h"
#include "reports/history/trends.h"
#include "reports/html.h"
#include "reports/joined_cases.h"
#include "reports/render.h"
#include "reports/summary.h"
#include "reports/text.h"

namespace ablate {
namespace {

using namespace reports;

constexpr std::size_t maximum_scaling_plots = 24;
constexpr std::size_t maximum_quality_plots = 4;
constexpr std::size_t maximum_trend_plots = 12;
constexpr std::size_t maximum_waterfalls = 4;
constexpr std::size_t fewest_sizes = 3;  // of a curve

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

void remove_earlier(const std::filesystem::path& folder, const std::string& extension) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(extension))
      std::filesystem::remove(entry.path());
}

/// A record that is shown and the further launches of the same device, suite and sources.
struct launches {
  std::vector<record> shown;
  std::vector<std::vector<record>> more;  ///< for each that is shown
};

/// Nothing where both are launches of one thing.
std::optional<std::string> why_no_replicate(const record& shown, const record& other) {
  for (const char* fact : {"uuid", "driver", "ecc", "mig", "power_cap_w"})
    if (shown.device.value(fact, nlohmann::ordered_json()) !=
        other.device.value(fact, nlohmann::ordered_json()))
      return fmt::format("their devices differ in '{}'", fact);
  if (shown.suite_hash != other.suite_hash) return "their suites differ";
  if (shown.seed != other.seed) return "their seeds differ";
  if (shown.build.value("source_hash", std::string()) != other.build.value("source_hash", std::string()))
    return "their sources differ";
  if (shown.date == other.date) return "they are of one launch";
  return std::nullopt;
}

launches read_all(const std::vector<std::filesystem::path>& paths) {
  launches out;
  for (const auto& path : paths) {
    record read = read_checked_record(path);
    const auto like = std::find_if(out.shown.begin(), out.shown.end(), [&](const record& other) {
      return other.device_name == read.device_name;
    });
    if (like == out.shown.end()) {
      out.shown.push_back(std::move(read));
      out.more.emplace_back();
      continue;
    }
    if (const auto why = why_no_replicate(*like, read))
      throw bad_input(path.string(), "/context/ablate/device/name",
                      fmt::format("expected records of different devices, or several launches of one "
                                  "suite and build, but {} is of '{}' too and {}",
                                  like->path.string(), read.device_name, *why));
    out.more[static_cast<std::size_t>(like - out.shown.begin())].push_back(std::move(read));
  }
  return out;
}

void append(std::vector<plot>& to, std::vector<plot> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Figures across axes or operations stand behind those of the first operation that they show.
void add_comparison(const record& r, const comparison& c, operation_plots& to) {
  const auto wants = [&](const char* kind) {
    return std::find(c.draw.begin(), c.draw.end(), kind) != c.draw.end();
  };
  if (wants("counters")) {
    const record curves = joined_curves(r, c, fewest_sizes);
    append(to.metrics, metric_plots(curves, operation_view(curves, joined_name(c)), maximum_scaling_plots));
  }
  if (wants("quality")) {
    const record cases = joined_cases(r, c);
    append(to.quality,
           quality_plots(operation_view(cases, joined_name(c)), r.device_name, maximum_quality_plots));
  }
}

std::vector<history::trend> trends_of(const record& r, const std::optional<std::filesystem::path>& history) {
  std::vector<history::trend> out;
  if (!history) return out;
  for (history::series& s : history::database::open(*history).series_of(r))
    out.push_back(history::trend_of(std::move(s)));
  return out;
}

operation_plots plots_of(const record& r, const operation_view& view, const operation_ablation& ablation,
                         const effect_limits& limits, const std::vector<history::trend>& trends,
                         const std::string& prefix) {
  operation_plots out;
  out.ablation = tables_of(view, ablation, limits);
  out.waterfalls = waterfall_plots(view, ablation.steps, r.device_name, maximum_waterfalls);
  out.scaling = scaling_plots(view, r.device_name, maximum_scaling_plots);
  out.scaling_left_out = view.scaling_groups(fewest_sizes).size() - out.scaling.size();
  out.metrics = metric_plots(r, view, maximum_scaling_plots);
  out.kernels = kernel_plots(r, view, maximum_scaling_plots);
  out.timelines = timeline_plots(r, view);
  out.speed_up = speed_up_plots(view, r.device_name);
  out.floor = floor_plots(view, r.device_name);
  out.merging = merging_plots(view, r.device_name);
  out.quality = quality_plots(view, r.device_name, maximum_quality_plots);
  out.pictures = picture_plots(r, view);
  out.trends = history::trend_plots(trends, view.name, maximum_trend_plots);
  for (const comparison& c : r.comparisons)
    if (c.operations.front() == view.name) add_comparison(r, c, out);
  for (auto* plots : {&out.scaling, &out.metrics, &out.kernels, &out.timelines, &out.speed_up, &out.floor,
                      &out.merging, &out.quality, &out.pictures, &out.trends, &out.waterfalls})
    for (plot& p : *plots) p.name = prefix + p.name;
  return out;
}

}  // namespace

void write_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& out,
                  const std::optional<std::filesystem::path>& history) {
  const launches read = read_all(paths);
  const std::vector<record>& records = read.shown;
  const effect_limits limits = shipped_limits();
  const std::filesystem::path drawings = out / "plots";
  const std::filesystem::path specifications = drawings / "specs";
  std::filesystem::create_directories(specifications);
  remove_earlier(specifications, ".vl.json");
  remove_earlier(drawings, ".svg");

  std::vector<std::vector<operation_view>> views;
  std::vector<std::vector<operation_plots>> plots;
  std::vector<std::vector<operation_ablation>> ablations;
  std::vector<std::filesystem::path> written;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const record& r = records[i];
    views.push_back(operation_views(r));
    plots.emplace_back();
    ablations.emplace_back();
    std::vector<const record*> more;
    for (const record& other : read.more[i]) more.push_back(&other);
    const process_launches processes(r, more, limits);
    const std::string prefix = records.size() > 1 ? slug(r.device_name) + "-" : "";
    const std::vector<history::trend> trends = trends_of(r, history);
    for (const operation_view& view : views.back()) {
      const operation_ablation& ablation = ablations.back().emplace_back(r, view, processes);
      const operation_plots& here =
          plots.back().emplace_back(plots_of(r, view, ablation, limits, trends, prefix));
      for (const auto* kind : here.kinds())
        for (const plot& p : *kind) {
          written.push_back(specifications / (p.name + ".vl.json"));
          write_file(written.back(), p.specification.dump(1) + "\n");
        }
    }
  }
  const std::optional<std::string> not_drawn = render_svg(written, drawings);
  write_csv(records, out);
  write_ablation_csv(records, views, ablations, out);

  std::string summary;
  for (std::size_t i = 0; i < records.size(); ++i) {
    summary += record_summary(records[i], views[i], plots[i], !not_drawn);
    if (i + 1 < records.size()) summary += "---\n\n";
  }
  const std::optional<std::string> no_page = write_html(records, views, plots, out / "report.html");
  if (not_drawn) summary += *not_drawn + " The specifications are in plots/specs.\n";
  if (no_page) summary += (not_drawn ? "\n" : "") + *no_page + "\n";
  write_file(out / "summary.md", summary);
}

}  // namespace ablate
