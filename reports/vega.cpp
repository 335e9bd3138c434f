#include "reports/vega.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

// Okabe and Ito's palette for color-blind readers without its yellow, which white paper swallows, and four
// more of Paul Tol's. The baseline comes first and is black. Shapes repeat what the color says.
constexpr const char* colors[] = {"#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                  "#56B4E9", "#882255", "#999933", "#332288", "#777777"};
constexpr const char* shapes[] = {"circle", "square", "triangle-up", "diamond", "cross", "triangle-down"};

ordered_json config() {
  return {{"aria", false},
          {"background", "white"},
          {"view", {{"stroke", "#cccccc"}}},
          {"title",
           {{"anchor", "start"},
            {"fontSize", 14},
            {"subtitleFontSize", 11},
            {"subtitleColor", "#444444"},
            {"subtitleLineHeight", 15},
            {"offset", 12}}},
          {"axis",
           {{"labelFontSize", 11},
            {"titleFontSize", 11},
            {"titleFontWeight", "normal"},
            {"gridColor", "#e6e6e6"},
            {"domainColor", "#888888"},
            {"tickColor", "#888888"}}},
          {"legend",
           {{"labelFontSize", 11},
            {"titleFontSize", 11},
            {"titleFontWeight", "normal"},
            {"labelLimit", 260},
            {"symbolOpacity", 1}}}};
}

/// "a · b · c", broken into lines.
ordered_json subtitle(const plot_heading& heading) {
  constexpr std::size_t width = 84;
  std::vector<std::string> parts = {heading.device, "cache state " + heading.cache_state};
  for (const auto& [axis, value] : heading.fixed) parts.push_back(axis + "=" + value);
  ordered_json lines = ordered_json::array();
  std::string line;
  for (const std::string& part : parts) {
    if (!line.empty() && line.size() + part.size() > width) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " · ") + part;
  }
  lines.push_back(line);
  lines.push_back(heading.note);
  return lines;
}

ordered_json specification(const plot_heading& heading, ordered_json values) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"title", {{"text", heading.title}, {"subtitle", subtitle(heading)}}},
          {"config", config()},
          {"data", {{"values", std::move(values)}}}};
}

/// The same color, and the same shape, for a variant in every plot of its operation; the legend shows the
/// drawn ones.
ordered_json variant_channel(const std::vector<std::string>& variants, const std::set<std::string>& drawn,
                             bool is_shape) {
  ordered_json domain = ordered_json::array();
  ordered_json range = ordered_json::array();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!drawn.count(variants[i])) continue;
    domain.push_back(variants[i]);
    range.push_back(is_shape ? shapes[i % std::size(shapes)] : colors[i % std::size(colors)]);
  }
  return {{"field", "variant"},
          {"type", "nominal"},
          {"title", "variant"},
          {"scale", {{"domain", domain}, {"range", range}}}};
}

/// The workloads from top to bottom, in the order given.
ordered_json workload_axis(const std::vector<std::string>& workloads, bool grid) {
  return {{"field", "workload"},
          {"type", "nominal"},
          {"sort", workloads},
          {"title", nullptr},
          {"axis",
           {{"labelLimit", 460}, {"grid", grid}, {"tickBand", grid ? "extent" : "center"}, {"ticks", grid}}}};
}

ordered_json log_channel(const std::string& field, const std::string& title, const std::string& format,
                         double low, double high) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", title},
          {"scale", {{"type", "log"}, {"nice", false}, {"padding", 10}}},
          {"axis", {{"values", log_ticks(low, high)}, {"format", format}, {"labelOverlap", "greedy"}}}};
}

/// One panel of curves: the band of the intervals, the line, the points.
ordered_json curve_panel(const ordered_json& x, const ordered_json& color, const ordered_json& shape,
                         const std::string& field, const std::string& title, const std::string& format,
                         double low, double high) {
  const auto y = [&](const std::string& suffix) {
    return log_channel(field + suffix, title, format, low, high);
  };
  const ordered_json band = {{"mark", {{"type", "area"}, {"opacity", 0.25}}},
                             {"encoding", {{"y", y("_low")}, {"y2", {{"field", field + "_high"}}}}}};
  const ordered_json line = {{"mark", {{"type", "line"}, {"strokeWidth", 1.6}}},
                             {"encoding", {{"y", y("")}}}};
  const ordered_json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 1}}},
                               {"encoding", {{"y", y("")}, {"shape", shape}}}};
  return {{"width", 330},
          {"height", 300},
          {"encoding", {{"x", x}, {"color", color}}},
          {"layer", ordered_json::array({band, line, points})}};
}

}  // namespace

std::vector<double> log_ticks(double low, double high) {
  if (!(low > 0) || !(high >= low) || !std::isfinite(high)) return {};
  const double decades = std::log10(high / low);
  std::vector<double> steps = {1, 2, 5};
  if (decades < 0.5)
    steps = {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9};
  else if (decades < 1.2)
    steps = {1, 1.5, 2, 3, 4, 5, 6, 8};
  else if (decades > 4)
    steps = {1};
  std::vector<double> out;
  for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high; ++power)
    for (double step : steps)
      if (const double tick = step * std::pow(10, power); low * 0.97 <= tick && tick <= high * 1.03)
        out.push_back(tick);
  return out;
}

ordered_json curves(const plot_heading& heading, const std::vector<std::string>& variants,
                    const std::string& size_title, const std::vector<curve_point>& points) {
  ordered_json values = ordered_json::array();
  std::set<std::string> drawn;
  std::set<long> sizes;
  double us_low = INFINITY, us_high = 0, rate_low = INFINITY, rate_high = 0;
  const bool has_items =
      std::all_of(points.begin(), points.end(), [](const curve_point& p) { return p.items && *p.items > 0; });
  for (const curve_point& p : points) {
    drawn.insert(p.variant);
    sizes.insert(p.size);
    ordered_json value = {
        {"variant", p.variant}, {"size", p.size}, {"us", p.us}, {"us_low", p.us_low}, {"us_high", p.us_high}};
    us_low = std::min(us_low, p.us_low);
    us_high = std::max(us_high, p.us_high);
    if (has_items) {
      value["rate"] = *p.items / (p.us * 1e-6);
      value["rate_low"] = *p.items / (p.us_high * 1e-6);
      value["rate_high"] = *p.items / (p.us_low * 1e-6);
      rate_low = std::min(rate_low, value["rate_low"].get<double>());
      rate_high = std::max(rate_high, value["rate_high"].get<double>());
    }
    values.push_back(std::move(value));
  }
  const ordered_json x = {{"field", "size"},
                          {"type", "quantitative"},
                          {"title", size_title},
                          {"scale", {{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 10}}},
                          {"axis", {{"values", sizes}, {"format", ".3~s"}, {"labelOverlap", "greedy"}}}};
  const ordered_json color = variant_channel(variants, drawn, false);
  const ordered_json shape = variant_channel(variants, drawn, true);
  ordered_json panels =
      ordered_json::array({curve_panel(x, color, shape, "us", "median time (µs)", ",~r", us_low, us_high)});
  if (has_items)
    panels.push_back(
        curve_panel(x, color, shape, "rate", "throughput (points/s)", "~s", rate_low, rate_high));
  ordered_json out = specification(heading, std::move(values));
  out["hconcat"] = std::move(panels);
  return out;
}

ordered_json dots(const plot_heading& heading, const std::vector<std::string>& variants,
                  const std::vector<std::string>& workloads, const std::string& value_title,
                  const std::vector<dot>& all) {
  ordered_json values = ordered_json::array();
  std::set<std::string> drawn;
  double low = INFINITY, high = 0;
  for (const dot& d : all) {
    values.push_back({{"workload", d.workload},
                      {"variant", d.variant},
                      {"value", d.value},
                      {"low", d.low},
                      {"high", d.high}});
    drawn.insert(d.variant);
    low = std::min(low, d.low);
    high = std::max(high, d.high);
  }
  const ordered_json color = variant_channel(variants, drawn, false);
  const ordered_json shape = variant_channel(variants, drawn, true);
  const auto x = [&](const char* field) { return log_channel(field, value_title, ",~r", low, high); };
  const ordered_json interval = {{"mark", {{"type", "rule"}, {"strokeWidth", 1.5}}},
                                 {"encoding", {{"x", x("low")}, {"x2", {{"field", "high"}}}}}};
  const ordered_json points = {
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 48}, {"opacity", 0.85}}},
      {"encoding", {{"x", x("value")}, {"shape", shape}}}};
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
  for (const cell& c : cells) {
    if (std::find(columns.begin(), columns.end(), c.variant) == columns.end()) columns.push_back(c.variant);
    values.push_back({{"workload", c.workload},
                      {"variant", c.variant},
                      {"value", c.value},
                      {"doublings", std::clamp(std::log2(c.value), least, scale.widest)},
                      {"text", c.text}});
  }
  const ordered_json x = {{"field", "variant"},
                          {"type", "nominal"},
                          {"sort", columns},
                          {"title", nullptr},
                          {"axis",
                           {{"orient", "top"},
                            {"labelAngle", columns.size() > 1 ? -20 : 0},
                            {"labelLimit", 220},
                            {"ticks", false}}}};
  const ordered_json color = {
      {"field", "doublings"},
      {"type", "quantitative"},
      {"title", value_title},
      {"scale", {{"domain", ends}, {"range", range}}},
      {"legend",
       {{"labelExpr", "format(pow(2, datum.value), '.2~f')"}, {"values", ends}, {"gradientLength", 80}}}};
  const ordered_json rectangles = {{"mark", {{"type", "rect"}, {"stroke", "white"}}},
                                   {"encoding", {{"color", color}}}};
  const ordered_json texts = {{"mark", {{"type", "text"}, {"fontSize", 11}}},
                              {"encoding", {{"text", {{"field", "text"}}}}}};
  ordered_json out = specification(heading, std::move(values));
  out["width"] = {{"step", 84}};
  out["height"] = {{"step", 20}};
  out["encoding"] = {{"x", x}, {"y", workload_axis(workloads, false)}};
  out["layer"] = ordered_json::array({rectangles, texts});
  return out;
}

}  // namespace ablate::reports
