#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// A channel of a roofline; each layer adds its `field`.
ordered_json bounded_channel(const std::string& title, double low, double high) {
  std::vector<double> ticks;
  for (const double tick : log_ticks(low, high))
    if (low <= tick && tick <= high) ticks.push_back(tick);
  return {{"type", "quantitative"},
          {"title", title},
          {"scale", {{"type", "log"}, {"domain", {low, high}}, {"nice", false}}},
          {"axis", {{"values", ticks}, {"format", ".3~s"}, {"labelOverlap", "greedy"}}}};
}

ordered_json of_field(ordered_json channel, const char* field) {
  channel["field"] = field;
  return channel;
}

/// Variants in their usual colors, all others in one.
ordered_json group_channel(const std::vector<std::string>& variants, const std::set<std::string>& drawn,
                           bool is_shape) {
  ordered_json out = variant_channel(variants, drawn, is_shape);
  out["field"] = "group";
  if (drawn.count(other_variants)) {
    out["scale"]["domain"].push_back(other_variants);
    out["scale"]["range"].push_back(is_shape ? "circle" : "#777777");
  }
  return out;
}

}  // namespace

ordered_json roofline(const plot_heading& heading, const std::vector<std::string>& variants,
                      const std::vector<roof>& roofs, const std::string& x_title, ordered_json rows) {
  double left = INFINITY, right = 0, bottom = INFINITY, top = 0, bandwidth = 0, peak = 0;
  std::set<std::string> drawn;
  for (const ordered_json& row : rows) {
    drawn.insert(row["group"].get<std::string>());
    left = std::min(left, row["intensity"].get<double>());
    right = std::max(right, row["intensity"].get<double>());
    bottom = std::min(bottom, row["flop_s"].get<double>());
    top = std::max(top, row["flop_s"].get<double>());
  }
  for (const roof& r : roofs) (r.slopes ? bandwidth : peak) = std::max(r.slopes ? bandwidth : peak, r.per_s);
  // Keep the ridge point in view.
  left = std::min(left, peak / bandwidth) / 2;
  right = std::max(right, peak / bandwidth) * 2;
  bottom /= 2;
  top = std::max(top, peak);
  top *= std::pow(top / bottom, 0.08);  // room for the labels above the highest roof

  ordered_json lines = ordered_json::array(), words = ordered_json::array();
  for (const roof& r : roofs) {
    const double from = r.slopes ? std::max(left, bottom / r.per_s) : r.per_s / bandwidth;
    const double to = r.slopes ? peak / r.per_s : right;
    for (const double x : {from, to})
      lines.push_back({{"roof", r.title}, {"x", x}, {"y", r.slopes ? x * r.per_s : r.per_s}});
    words.push_back({{"x", r.slopes ? from : to},
                     {"y", r.slopes ? from * r.per_s : r.per_s},
                     {"text", r.title},
                     {"slopes", r.slopes}});
  }
  const ordered_json x = bounded_channel(x_title, left, right);
  const ordered_json y = bounded_channel("declared FLOP/s", bottom, top);
  const ordered_json line = {{"data", {{"values", std::move(lines)}}},
                             {"mark", {{"type", "line"}, {"color", "#777777"}, {"strokeWidth", 1.4}}},
                             {"encoding",
                              {{"x", of_field(x, "x")},
                               {"y", of_field(y, "y")},
                               {"detail", {{"field", "roof"}, {"type", "nominal"}}}}}};
  ordered_json layers = ordered_json::array({line});
  for (const bool slopes : {true, false}) {
    ordered_json mark = {{"type", "text"},        {"align", slopes ? "left" : "right"},
                         {"dx", slopes ? 8 : -4}, {"dy", -6},
                         {"fontSize", 10},        {"color", "#777777"}};
    // Above its roof, where no kernel is.
    if (slopes)
      mark["angle"] = {{"expr", fmt::format("-180 / PI * atan2(height / {:.4f}, width / {:.4f})",
                                            std::log(top / bottom), std::log(right / left))}};
    layers.push_back({{"data", {{"values", words}}},
                      {"transform", {{{"filter", slopes ? "datum.slopes" : "!datum.slopes"}}}},
                      {"mark", std::move(mark)},
                      {"encoding",
                       {{"x", of_field(x, "x")},
                        {"y", of_field(y, "y")},
                        {"text", {{"field", "text"}, {"type", "nominal"}}}}}});
  }
  layers.push_back({{"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 0.8}}},
                    {"encoding",
                     {{"x", of_field(x, "intensity")},
                      {"y", of_field(y, "flop_s")},
                      {"color", group_channel(variants, drawn, false)},
                      {"shape", group_channel(variants, drawn, true)},
                      {"tooltip", tooltip_fields({{"case", "case"},
                                                  {"intensity", "FLOP/byte"},
                                                  {"flop_s", "FLOP/s"},
                                                  {"roof_pct", "of the roof (%)"}})}}}});
  ordered_json out = specification(heading, std::move(rows));
  out["width"] = 560;
  out["height"] = 340;
  out["layer"] = std::move(layers);
  return out;
}

ordered_json size_grid(const plot_heading& heading, const std::vector<std::string>& variants,
                       const std::string& size_title, const std::string& value_title, ordered_json rows) {
  constexpr double widest = 2;  // doublings that the colors distinguish
  std::vector<std::string> order;
  for (const std::string& variant : variants)
    if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row["variant"] == variant; }))
      order.push_back(variant);
  for (ordered_json& row : rows)
    row["doublings"] = std::clamp(std::log2(row["value"].get<double>()), 0.0, widest);
  const ordered_json x = {
      {"field", "size"},
      {"type", "ordinal"},
      {"title", size_title},
      {"axis", {{"format", ".3~s"}, {"labelAngle", 0}, {"ticks", false}, {"labelOverlap", true}}}};
  const ordered_json y = {{"field", "variant"},
                          {"type", "nominal"},
                          {"sort", order},
                          {"title", nullptr},
                          {"axis", {{"labelLimit", 460}, {"ticks", false}}}};
  const ordered_json color = {
      {"field", "doublings"},
      {"type", "quantitative"},
      {"scale", {{"domain", {0, widest}}, {"range", {"#F7F7F7", "#E08214"}}, {"interpolate", "lab"}}},
      {"legend",
       {{"title", value_title},
        {"labelExpr", "format(pow(2, datum.value), '.2~f')"},
        {"values", {0, widest / 2, widest}},
        {"gradientLength", 80}}}};
  const ordered_json cells = {{"mark", {{"type", "rect"}, {"stroke", "white"}}},
                              {"encoding", {{"color", color}}}};
  const ordered_json frames = {
      {"transform", {{{"filter", "datum.value === 1"}}}},
      {"mark", {{"type", "rect"}, {"fill", nullptr}, {"stroke", "#0072B2"}, {"strokeWidth", 2}}}};
  const ordered_json texts = {{"mark", {{"type", "text"}, {"fontSize", 11}}},
                              {"encoding", {{"text", {{"field", "text"}, {"type", "nominal"}}}}}};
  ordered_json out = specification(heading, std::move(rows));
  out["width"] = {{"step", 58}};
  out["height"] = {{"step", 20}};
  out["encoding"] = {
      {"x", x},
      {"y", y},
      {"tooltip", tooltip_fields({{"case", "case"}, {"value", value_title}, {"us", "median µs"}})}};
  out["layer"] = {cells, frames, texts};
  return out;
}

}  // namespace ablate::reports
