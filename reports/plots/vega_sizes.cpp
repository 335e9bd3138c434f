#include <algorithm>
#include <cmath>
#include <set>

#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// Plots against the size of the input.

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

ordered_json curve_panel(const ordered_json& x, const ordered_json& color, const ordered_json& shape,
                         const std::string& field, const std::string& title, const std::string& format,
                         double low, double high, const ordered_json& tooltip) {
  const auto y = [&](const std::string& suffix) {
    return log_channel(field + suffix, title, format, low, high);
  };
  const ordered_json band = {{"mark", {{"type", "area"}, {"opacity", 0.25}}},
                             {"encoding", {{"y", y("_low")}, {"y2", {{"field", field + "_high"}}}}}};
  const ordered_json line = {{"mark", {{"type", "line"}, {"strokeWidth", 1.6}}},
                             {"encoding", {{"y", y("")}}}};
  const ordered_json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 1}}},
                               {"encoding", {{"y", y("")}, {"shape", shape}, {"tooltip", tooltip}}}};
  return {{"width", 330},
          {"height", 300},
          {"encoding", {{"x", x}, {"color", color}}},
          {"layer", ordered_json::array({band, line, points})}};
}

}  // namespace

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
    ordered_json value = {{"case", p.case_name}, {"variant", p.variant}, {"size", p.size},
                          {"us", p.us},          {"us_low", p.us_low},   {"us_high", p.us_high}};
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
  const ordered_json x = size_channel(size_title, sizes);
  const ordered_json color = variant_channel(variants, drawn, false);
  const ordered_json shape = variant_channel(variants, drawn, true);
  std::vector<std::pair<std::string, std::string>> fields = {
      {"case", "case"}, {"us", "median µs"}, {"us_low", "95 % from"}, {"us_high", "95 % to"}};
  if (has_items) fields.emplace_back("rate", "points/s");
  const ordered_json tooltip = tooltip_fields(fields);
  ordered_json panels = ordered_json::array(
      {curve_panel(x, color, shape, "us", "median time (µs)", ",~r", us_low, us_high, tooltip)});
  if (has_items)
    panels.push_back(
        curve_panel(x, color, shape, "rate", "throughput (points/s)", "~s", rate_low, rate_high, tooltip));
  ordered_json out = specification(heading, std::move(values));
  out["hconcat"] = std::move(panels);
  return out;
}

ordered_json small_multiples(const plot_heading& heading, const std::vector<std::string>& variants,
                             const std::string& size_title, const std::vector<panel>& panels,
                             ordered_json rows) {
  std::set<std::string> drawn;
  std::set<long> sizes;
  for (const ordered_json& row : rows) {
    drawn.insert(row["variant"].get<std::string>());
    sizes.insert(row["size"].get<long>());
  }
  constexpr std::size_t columns = 3;
  const bool is_marked =
      std::any_of(rows.begin(), rows.end(), [](const ordered_json& row) { return row.contains("regime"); });
  if (is_marked)
    for (ordered_json& row : rows)
      if (!row.contains("regime")) row["regime"] = "as timed";
  const ordered_json color = variant_channel(variants, drawn, false);
  const ordered_json shape = variant_channel(variants, drawn, true);
  ordered_json views = ordered_json::array();
  for (const panel& p : panels) {
    ordered_json x = size_channel(size_title, sizes);
    if (views.size() + columns < panels.size()) x["axis"]["title"] = nullptr;  // the lower panels say it
    double low = INFINITY, high = 0;
    for (const ordered_json& row : rows)
      if (row[p.field].is_number()) {
        low = std::min(low, row[p.field].get<double>());
        high = std::max(high, row[p.field].get<double>());
      }
    const auto y = [&](const std::string& field) -> ordered_json {
      if (p.logarithmic) {
        ordered_json out = log_channel(field, p.title, ",~r", low, high);
        out["axis"]["title"] = nullptr;
        return out;
      }
      return {{"field", field},
              {"type", "quantitative"},
              {"title", p.title},
              {"scale", {{"zero", true}, {"nice", true}}},
              {"axis", {{"title", nullptr}, {"tickCount", 5}, {"format", "~r"}}}};
    };
    std::vector<std::pair<std::string, std::string>> fields = {{"case", "case"}, {p.field, p.title}};
    ordered_json layers = ordered_json::array();
    if (!p.dashed.empty()) {
      fields.emplace_back(p.dashed, p.dashed_title);
      layers.push_back(
          {{"mark", {{"type", "line"}, {"strokeWidth", 1}, {"strokeDash", {4, 3}}, {"opacity", 0.7}}},
           {"encoding", {{"y", y(p.dashed)}}}});
    }
    if (is_marked && p.field != "us") fields.emplace_back("regime", "counted launch over the timed ones");
    layers.push_back({{"mark", {{"type", "line"}, {"strokeWidth", 1.6}}}, {"encoding", {{"y", y(p.field)}}}});
    layers.push_back(
        {{"mark", {{"type", "point"}, {"filled", true}, {"size", 34}, {"opacity", 1}}},
         {"encoding", {{"y", y(p.field)}, {"shape", shape}, {"tooltip", tooltip_fields(fields)}}}});
    views.push_back({{"title", {{"text", p.title}, {"fontSize", 11}, {"offset", 6}, {"frame", "group"}}},
                     {"width", 250},
                     {"height", 160},
                     {"encoding", {{"x", x}, {"color", color}}},
                     {"layer", layers}});
  }
  ordered_json out = specification(heading, std::move(rows));
  out["columns"] = columns;
  out["concat"] = std::move(views);
  return out;
}

ordered_json stacked_shares(const plot_heading& heading, const std::vector<std::string>& variants,
                            const std::string& size_title, const std::string& share_title,
                            ordered_json rows) {
  std::vector<std::string> kernels;
  std::set<std::string> drawn;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto kernel = rows[i]["kernel"].get<std::string>();
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) kernels.push_back(kernel);
    drawn.insert(rows[i]["variant"].get<std::string>());
    rows[i]["place"] = i;
  }
  ordered_json order = ordered_json::array();
  for (const std::string& variant : variants)
    if (drawn.count(variant)) order.push_back(variant);
  ordered_json range = ordered_json::array();  // black is reserved for the baseline
  for (std::size_t i = 0; i < kernels.size(); ++i) range.push_back(colors[1 + i % (colors.size() - 1)]);
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [field, value] : rows.front().items())
    if (field != "variant" && field != "size" && field != "place") fields.emplace_back(field, field);
  ordered_json out = specification(heading, std::move(rows));
  out["columns"] = 4;
  out["facet"] = {{"field", "variant"}, {"type", "nominal"}, {"title", nullptr}, {"sort", order}};
  out["spec"] = {
      {"width", {{"step", 17}}},
      {"height", 130},
      {"mark", {{"type", "bar"}}},
      {"encoding",
       {{"x",
         {{"field", "size"},
          {"type", "ordinal"},
          {"title", size_title},
          {"axis", {{"format", ".3~s"}, {"labelAngle", -60}}}}},
        {"y",
         {{"field", "share"},
          {"type", "quantitative"},
          {"title", share_title},
          {"scale", {{"domain", {0, 1}}}},
          {"axis", {{"format", ".0%"}, {"tickCount", 5}}}}},
        {"color",
         {{"field", "kernel"},
          {"type", "nominal"},
          {"title", "kernel"},
          {"legend", {{"orient", "bottom"}, {"columns", 2}, {"labelLimit", 520}, {"symbolLimit", 0}}},
          {"scale", {{"domain", kernels}, {"range", range}}}}},
        {"order", {{"field", "place"}, {"type", "quantitative"}}},
        {"tooltip", tooltip_fields(fields)}}}};
  return out;
}

}  // namespace ablate::reports
