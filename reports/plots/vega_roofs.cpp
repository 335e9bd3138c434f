#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

/// The axes that all levels have.
struct extent {
  double left = INFINITY, right = 0, bottom = INFINITY, top = 0;
};

double fastest(const roofline_level& of, bool slopes) {
  double out = 0;
  for (const roof& r : of.roofs)
    if (r.slopes == slopes) out = std::max(out, r.per_s);
  return out;
}

extent extent_of(const std::vector<roofline_level>& levels, const ordered_json& rows) {
  extent out;
  for (const ordered_json& row : rows) {
    out.left = std::min(out.left, row["intensity"].get<double>());
    out.right = std::max(out.right, row["intensity"].get<double>());
    out.bottom = std::min(out.bottom, row["flop_s"].get<double>());
    out.top = std::max(out.top, row["flop_s"].get<double>());
  }
  // Keep the ridge points in view.
  for (const roofline_level& level : levels) {
    const double peak = fastest(level, false), ridge = peak / fastest(level, true);
    out.left = std::min(out.left, ridge);
    out.right = std::max(out.right, ridge);
    out.top = std::max(out.top, peak);
  }
  out.left /= 2;
  out.right *= 2;
  out.bottom /= 2;
  out.top *= std::pow(out.top / out.bottom, 0.08);  // room for the labels above the highest roof
  return out;
}

/// The roofs of a level and their names, then its marks.
ordered_json layers_of(const roofline_level& level, const extent& in, const ordered_json& x,
                       const ordered_json& y, const series_marks& marks, bool is_only) {
  const double bandwidth = fastest(level, true), peak = fastest(level, false);
  ordered_json lines = ordered_json::array(), words = ordered_json::array();
  for (const roof& r : level.roofs) {
    const double from = r.slopes ? std::max(in.left, in.bottom / r.per_s) : r.per_s / bandwidth;
    const double to = r.slopes ? peak / r.per_s : in.right;
    for (const double at : {from, to})
      lines.push_back({{"roof", r.title}, {"x", at}, {"y", r.slopes ? at * r.per_s : r.per_s}});
    words.push_back({{"x", r.slopes ? from : to},
                     {"y", r.slopes ? from * r.per_s : r.per_s},
                     {"text", r.title},
                     {"slopes", r.slopes}});
  }
  ordered_json layers =
      ordered_json::array({{{"data", {{"values", std::move(lines)}}},
                            {"mark", {{"type", "line"}, {"color", "#777777"}, {"strokeWidth", 1.4}}},
                            {"encoding",
                             {{"x", of_field(x, "x")},
                              {"y", of_field(y, "y")},
                              {"detail", {{"field", "roof"}, {"type", "nominal"}}}}}}});
  for (const bool slopes : {true, false}) {
    ordered_json mark = {{"type", "text"},        {"align", slopes ? "left" : "right"},
                         {"dx", slopes ? 8 : -4}, {"dy", -6},
                         {"fontSize", 10},        {"color", "#777777"}};
    // Above its roof, where no kernel is.
    if (slopes)
      mark["angle"] = {{"expr", fmt::format("-180 / PI * atan2(height / {:.4f}, width / {:.4f})",
                                            std::log(in.top / in.bottom), std::log(in.right / in.left))}};
    layers.push_back({{"data", {{"values", words}}},
                      {"transform", {{{"filter", slopes ? "datum.slopes" : "!datum.slopes"}}}},
                      {"mark", std::move(mark)},
                      {"encoding",
                       {{"x", of_field(x, "x")},
                        {"y", of_field(y, "y")},
                        {"text", {{"field", "text"}, {"type", "nominal"}}}}}});
  }
  ordered_json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 0.8}}},
                         {"encoding",
                          {{"x", of_field(x, "intensity")},
                           {"y", of_field(y, "flop_s")},
                           {"color", marks.colors("group", "variant")},
                           {"shape", marks.shapes("group", "variant")},
                           {"tooltip", tooltip_fields({{"case", "case"},
                                                       {"level", "level"},
                                                       {"intensity", "FLOP/byte"},
                                                       {"flop_s", "FLOP/s"},
                                                       {"roof_pct", "of the roof (%)"}})}}}};
  if (!is_only) points["transform"] = {{{"filter", "datum.level === '" + level.name + "'"}}};
  layers.push_back(std::move(points));
  return layers;
}

}  // namespace

ordered_json roofline(const plot_heading& heading, const series_names& variants,
                      const std::vector<roofline_level>& levels, ordered_json rows) {
  std::vector<std::string> drawn = values_of(rows, "group");
  const bool has_others = std::erase(drawn, other_variants) > 0;
  series_marks marks(variants, std::move(drawn));
  if (has_others) marks.add_others(other_variants);
  const extent in = extent_of(levels, rows);
  const bool is_only = levels.size() == 1;
  ordered_json views = ordered_json::array();
  for (const roofline_level& level : levels) {
    const ordered_json x = bounded_channel(level.x_title, in.left, in.right);
    ordered_json y = bounded_channel("declared FLOP/s", in.bottom, in.top);
    if (!views.empty()) y["title"] = nullptr;
    ordered_json& view =
        views.emplace_back(ordered_json{{"width", is_only ? 560 : 340}, {"height", is_only ? 340 : 300}});
    if (!is_only) view["title"] = {{"text", level.name}, {"fontSize", 11}, {"offset", 6}, {"frame", "group"}};
    view["layer"] = layers_of(level, in, x, y, marks, is_only);
  }
  ordered_json out = specification(heading, std::move(rows));
  if (is_only) {
    out.update(views.front());
  } else {
    out["columns"] = 3;
    out["concat"] = std::move(views);
  }
  return out;
}

ordered_json size_grid(const plot_heading& heading, const std::string& size_title,
                       const std::string& value_title, ordered_json rows) {
  constexpr double widest = 2;  // doublings that the colors distinguish
  const std::vector<std::string> order = values_of(rows, "variant");
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
