#include "reports/plots/vega_parts.h"

#include <algorithm>
#include <cmath>

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

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
  ordered_json lines = ordered_json::array();
  const auto broken = [&](std::string line, const std::vector<std::string>& parts) {
    bool is_start = true;
    for (const std::string& part : parts) {
      if (!is_start && line.size() + part.size() > width) {
        lines.push_back(line);
        line.clear();
        is_start = true;
      }
      line += (is_start ? "" : " · ") + part;
      is_start = false;
    }
    lines.push_back(line);
  };
  std::vector<std::string> parts = {heading.device};
  if (!heading.cache_state.empty()) parts.push_back("cache state " + heading.cache_state);
  for (const auto& [axis, value] : heading.fixed) parts.push_back(axis + "=" + value);
  broken("", parts);
  parts.clear();
  for (const auto& [axis, value] : heading.usual) parts.push_back(axis + "=" + value);
  if (!parts.empty()) broken("usual: ", parts);
  lines.push_back(heading.note);
  return lines;
}

}  // namespace

ordered_json specification(const plot_heading& heading, ordered_json values) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"title", {{"text", heading.title}, {"subtitle", subtitle(heading)}}},
          {"config", config()},
          {"data", {{"values", std::move(values)}}}};
}

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

ordered_json tooltip_fields(const std::vector<std::pair<std::string, std::string>>& fields) {
  ordered_json out = ordered_json::array();
  for (const auto& [field, title] : fields)
    out.push_back({{"field", field}, {"type", "nominal"}, {"title", title}});
  return out;
}

ordered_json size_channel(const std::string& title, const std::set<long>& sizes) {
  ordered_json scale = {{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 10}};
  if (!sizes.empty() && *sizes.begin() <= 0) {
    const auto least = sizes.upper_bound(0);
    const bool is_narrow = least == sizes.end() || *sizes.rbegin() <= 16 * *least;
    scale = is_narrow ? ordered_json{{"type", "linear"}, {"nice", false}, {"padding", 10}}
                      : ordered_json{{"type", "symlog"}, {"constant", *least}, {"nice", false}};
  }
  return {
      {"field", "size"},
      {"type", "quantitative"},
      {"title", title},
      {"scale", std::move(scale)},
      {"axis", {{"values", sizes}, {"format", ".3~s"}, {"labelOverlap", "greedy"}, {"labelSeparation", 4}}}};
}

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

}  // namespace ablate::reports
