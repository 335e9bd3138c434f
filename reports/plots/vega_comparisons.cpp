#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// Plots that compare variants: one row per workload or per step.

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// Colors of the verdicts that occur on some bar.
ordered_json scale_of_verdicts(const ordered_json& rows) {
  ordered_json words = ordered_json::array(), colors = ordered_json::array();
  for (const auto& known : {std::pair{"median", "#777777"},
                            {"FASTER", "#0072B2"},
                            {"SLOWER", "#D55E00"},
                            {"SAME", "#56B4E9"},
                            {"INCONCLUSIVE", "#E69F00"}})
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const auto& row) { return row["verdict"] == known.first; })) {
      words.push_back(known.first);
      colors.push_back(known.second);
    }
  return {{"domain", std::move(words)}, {"range", std::move(colors)}};
}

}  // namespace

ordered_json dots(const plot_heading& heading, const series_names& variants,
                  const std::vector<std::string>& workloads, const std::string& value_title,
                  const std::vector<dot>& all) {
  ordered_json values = ordered_json::array();
  double low = INFINITY, high = 0;
  for (const dot& d : all) {
    values.push_back({{"case", d.case_name},
                      {"workload", d.workload},
                      {"variant", d.variant},
                      {"value", d.value},
                      {"low", d.low},
                      {"high", d.high}});
    low = std::min(low, d.low);
    high = std::max(high, d.high);
  }
  const series_marks marks(variants, values_of(values, "variant"));
  const ordered_json color = marks.variant_colors(), shape = marks.variant_shapes();
  const auto x = [&](const char* field) { return log_channel(field, value_title, ",~r", low, high); };
  const ordered_json interval = {{"mark", {{"type", "rule"}, {"strokeWidth", 1.5}}},
                                 {"encoding", {{"x", x("low")}, {"x2", {{"field", "high"}}}}}};
  const ordered_json points = {
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 48}, {"opacity", 0.85}}},
      {"encoding",
       {{"x", x("value")},
        {"shape", shape},
        {"tooltip",
         tooltip_fields(
             {{"case", "case"}, {"value", value_title}, {"low", "95 % from"}, {"high", "95 % to"}})}}}};
  ordered_json out = specification(heading, std::move(values));
  out["width"] = 460;
  out["height"] = {{"step", 18}};
  out["encoding"] = {{"y", workload_axis(workloads, true)}, {"color", color}};
  out["layer"] = ordered_json::array({interval, points});
  return out;
}

ordered_json heat_map(const plot_heading& heading, const std::vector<std::string>& workloads,
                      const std::string& value_title, heat_scale scale, const std::vector<cell>& cells) {
  const double least = scale.two_sided ? -scale.widest : 0;
  const ordered_json ends =
      scale.two_sided ? ordered_json({least, 0, scale.widest}) : ordered_json({0, scale.widest});
  ordered_json range = ordered_json::array({"#F7F7F7", "#4393C3"});
  if (scale.two_sided) range.insert(range.begin(), "#E08214");
  ordered_json values = ordered_json::array();
  std::vector<std::string> columns;
  bool has_intervals = false;
  for (const cell& c : cells) {
    if (std::find(columns.begin(), columns.end(), c.variant) == columns.end()) columns.push_back(c.variant);
    ordered_json value = {{"case", c.case_name},
                          {"workload", c.workload},
                          {"variant", c.variant},
                          {"value", c.value},
                          {"doublings", std::clamp(std::log2(c.value), least, scale.widest)},
                          {"text", c.text}};
    if (c.low && c.high) {
      value["low"] = *c.low;
      value["high"] = *c.high;
      has_intervals = true;
    }
    values.push_back(std::move(value));
  }
  std::vector<std::pair<std::string, std::string>> fields = {{"case", "case"}, {"value", value_title}};
  if (has_intervals) fields.insert(fields.end(), {{"low", "95 % from"}, {"high", "95 % to"}});
  const ordered_json x = {{"field", "variant"},
                          {"type", "nominal"},
                          {"sort", columns},
                          {"title", nullptr},
                          {"axis",
                           {{"orient", "top"},
                            {"labelAngle", columns.size() > 1 ? -20 : 0},
                            {"labelLimit", 220},
                            {"ticks", false}}}};
  const ordered_json color = {{"field", "doublings"},
                              {"type", "quantitative"},
                              {"title", "doublings"},
                              {"scale", {{"domain", ends}, {"range", range}, {"interpolate", "lab"}}},
                              {"legend",
                               {{"title", value_title},
                                {"labelExpr", "format(pow(2, datum.value), '.2~f')"},
                                {"values", ends},
                                {"gradientLength", 80}}}};
  const ordered_json rectangles = {{"mark", {{"type", "rect"}, {"stroke", "white"}}},
                                   {"encoding", {{"color", color}}}};
  const ordered_json texts = {{"mark", {{"type", "text"}, {"fontSize", 11}}},
                              {"encoding", {{"text", {{"field", "text"}}}}}};
  ordered_json out = specification(heading, std::move(values));
  out["width"] = {{"step", 84}};
  out["height"] = {{"step", 20}};
  out["encoding"] = {{"x", x}, {"y", workload_axis(workloads, false)}, {"tooltip", tooltip_fields(fields)}};
  out["layer"] = ordered_json::array({rectangles, texts});
  return out;
}

ordered_json falling_bars(const plot_heading& heading, ordered_json rows) {
  // A variant may end both a step and the whole, so rows are identified by position.
  ordered_json order = ordered_json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]["place"] = i;
    order.push_back(i);
  }
  ordered_json names = ordered_json::array();
  for (const ordered_json& row : rows) names.push_back(row["step"]);
  const ordered_json y = {{"field", "place"},
                          {"type", "ordinal"},
                          {"sort", order},
                          {"title", nullptr},
                          {"axis", {{"labelExpr", names.dump() + "[datum.value]"}, {"labelLimit", 360}}}};
  double longest = 0;
  std::size_t letters = 0;
  for (const ordered_json& row : rows) {
    longest = std::max({longest, row["start"].get<double>(), row["end"].get<double>()});
    letters = std::max(letters, characters(row["label"].get<std::string>()));
  }
  const std::size_t px_for_labels = 12 + 6 * letters;
  const ordered_json x = {
      {"field", "start"},
      {"type", "quantitative"},
      {"title", "median time (µs)"},
      {"scale",
       {{"domainMin", 0},
        {"domainMax", {{"expr", fmt::format("{:.6g} * width / max(width - {}, 1)", longest, px_for_labels)}}},
        {"nice", false}}}};
  const ordered_json color = {
      {"field", "verdict"}, {"type", "nominal"}, {"title", nullptr}, {"scale", scale_of_verdicts(rows)}};
  const ordered_json bars = {{"mark", {{"type", "bar"}, {"minBandSize", 2}}},
                             {"encoding",
                              {{"y", y},
                               {"x", x},
                               {"x2", {{"field", "end"}}},
                               {"color", color},
                               {"tooltip", tooltip_fields({{"case", "case"},
                                                           {"step", "step"},
                                                           {"start", "from (µs)"},
                                                           {"end", "to (µs)"},
                                                           {"ratio", "speed ratio"},
                                                           {"verdict", "verdict"},
                                                           {"moved", "figures that moved"}})}}}};
  ordered_json farther = x;
  farther["field"] = "farther";
  const ordered_json labels = {
      {"transform", {{{"calculate", "max(datum.start, datum.end)"}, {"as", "farther"}}}},
      {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 4}, {"fontSize", 11}}},
      {"encoding", {{"y", y}, {"x", farther}, {"text", {{"field", "label"}, {"type", "nominal"}}}}}};
  ordered_json out = specification(heading, std::move(rows));
  out["width"] = 460;
  out["height"] = {{"step", 26}};
  out["layer"] = {bars, labels};
  return out;
}

}  // namespace ablate::reports
