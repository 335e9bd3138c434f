#include "reports/fleet/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/text.h"
#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

namespace ablate::fleet {
namespace {

using nlohmann::ordered_json;
using reports::cell;

// Doublings at the ends of the colors: at least 2 % either way, at most 25 %.
const double narrowest = std::log2(1.02), widest_shown = std::log2(1.25);
constexpr std::size_t uuid_digits = 8;

/// GPU-59e1ec54-... of kind A is "A 59e1ec54".
std::string column_of(const std::string& kind, const std::string& specimen) {
  const std::string digits = specimen.starts_with("GPU-") ? specimen.substr(4, uuid_digits) : specimen;
  return kind + " " + digits;
}

reports::heat_scale scale_of(const std::vector<cell>& cells) {
  double widest = narrowest;
  for (const cell& c : cells) widest = std::max(widest, std::fabs(std::log2(c.value)));
  return {std::min(widest, widest_shown), true};
}

bool is_outlier(const product& p, const std::string& specimen, const std::string& calibration) {
  return std::any_of(p.outliers.begin(), p.outliers.end(), [&](const outlier& o) {
    return o.specimen == specimen && o.calibration == calibration;
  });
}

reports::plot calibration_map(const product& p) {
  std::vector<cell> cells;
  for (const kind& k : p.kinds)
    for (const std::string& specimen : k.specimens)
      for (const std::string& calibration : p.calibrations)
        if (const auto d = p.deviation_pct(specimen, calibration))
          cells.push_back({calibration, column_of(k.name, specimen), 1 + *d / 100,
                           fmt::format("{:+.1f}{}", *d, is_outlier(p, specimen, calibration) ? " !" : ""),
                           specimen});
  const reports::plot_heading heading{"Equal GPUs by calibration",
                                      p.name,
                                      "",
                                      {},
                                      "percent of the kind's median, + is slower; ! is beyond the limit of "
                                      "an outlier; blank was not measured"};
  return {"fleet-" + reports::slug(p.name), heading.title,
          reports::heat_map(heading, p.calibrations, "time over the kind's median", scale_of(cells), cells)};
}

reports::plot outlier_plot(const product& p) {
  ordered_json rows = ordered_json::array();
  std::vector<std::string> kinds;
  for (const kind& k : p.kinds) {
    kinds.push_back(k.name);
    for (const std::string& specimen : k.specimens)
      for (const std::string& calibration : p.calibrations)
        if (const auto d = p.deviation_pct(specimen, calibration))
          rows.push_back(
              {{"case", specimen},
               {"calibration", calibration},
               {"variant", k.name},
               {"deviation", *d},
               {"outlier", is_outlier(p, specimen, calibration) ? column_of(k.name, specimen) : ""}});
  }
  const reports::plot_heading heading{"Outliers among equal GPUs",
                                      p.name,
                                      "",
                                      {},
                                      "a point a specimen; named where it is beyond max(2 %, 5 median "
                                      "deviations) of its kind"};
  const ordered_json x = {{"field", "deviation"},
                          {"type", "quantitative"},
                          {"title", "percent of the kind's median (+ is slower)"}};
  const ordered_json y = {{"field", "calibration"},
                          {"type", "nominal"},
                          {"sort", p.calibrations},
                          {"title", nullptr},
                          {"axis", {{"labelLimit", 320}, {"grid", true}}}};
  const ordered_json point_mark = {{"type", "point"}, {"filled", true}, {"size", 36}, {"opacity", 0.8}};
  const ordered_json label_mark = {{"type", "text"}, {"align", "left"}, {"dx", 6}, {"fontSize", 10}};
  const reports::series_marks marks({kinds}, kinds);
  ordered_json out = reports::specification(heading, std::move(rows));
  out["width"] = 380;
  out["height"] = {{"step", 16}};
  out["encoding"] = {{"x", x}, {"y", y}};
  out["layer"] = ordered_json::array(
      {{{"mark", point_mark},
        {"encoding",
         {{"color", marks.colors("variant", "kind")},
          {"shape", marks.shapes("variant", "kind")},
          {"tooltip", reports::tooltip_fields({{"case", "specimen"}, {"deviation", "percent"}})}}}},
       {{"transform", {{{"filter", "datum.outlier != ''"}}}},
        {"mark", label_mark},
        {"encoding", {{"text", {{"field", "outlier"}}}}}}});
  return {"outliers-" + reports::slug(p.name), heading.title, std::move(out)};
}

/// The cases of one operation, those that differ most first.
reports::plot case_map(const kind_across& k, const std::string& operation, std::vector<std::string> names,
                       std::size_t limit) {
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return k.cases.at(a).specimen_floor_pct > k.cases.at(b).specimen_floor_pct;
  });
  const std::size_t others = names.size() - std::min(names.size(), limit);
  names.resize(names.size() - others);
  std::vector<cell> cells;
  std::vector<std::string> labels;
  for (const std::string& name : names) {
    labels.push_back(name.substr(operation.size() + 1));
    const case_across& c = k.cases.at(name);
    for (const std::string& specimen : k.specimens)
      if (c.us.contains(specimen))
        cells.push_back({labels.back(), column_of(k.kind, specimen), 1 + c.deviation_pct(specimen) / 100,
                         fmt::format("{:+.1f}", c.deviation_pct(specimen)), name});
  }
  const reports::plot_heading heading{
      operation + ": equal GPUs by case",
      k.product,
      "",
      {{"kind", k.kind}},
      "percent of the specimens' median, + is slower" +
          (others > 0 ? fmt::format("; {} cases that differ less are left out", others) : "")};
  return {reports::slug("across-" + operation + "-" + k.product + "-" + k.kind), heading.title,
          reports::heat_map(heading, labels, "time over the specimens' median", scale_of(cells), cells)};
}

}  // namespace

std::vector<reports::plot> fleet_plots(const std::vector<product>& products) {
  std::vector<reports::plot> out;
  for (const product& p : products) {
    out.push_back(calibration_map(p));
    out.push_back(outlier_plot(p));
  }
  return out;
}

std::vector<reports::plot> across_plots(const across& of, std::size_t limit) {
  std::vector<reports::plot> out;
  for (const kind_across& k : of.kinds) {
    std::map<std::string, std::vector<std::string>> by_operation;
    for (const auto& [name, c] : k.cases) by_operation[name.substr(0, name.find('/'))].push_back(name);
    for (auto& [operation, names] : by_operation)
      out.push_back(case_map(k, operation, std::move(names), limit));
  }
  return out;
}

}  // namespace ablate::fleet
