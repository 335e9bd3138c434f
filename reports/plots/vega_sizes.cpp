#include <algorithm>
#include <cmath>
#include <set>

#include "base/text/text.h"
#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// Plots against the size of the input.

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

constexpr double curve_height = 300;
constexpr std::size_t longest_named_line = 44;  // letters, as many as a legend would have room for

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
          {"height", curve_height},
          {"encoding", {{"x", x}, {"color", color}}},
          {"layer", ordered_json::array({band, line, points})}};
}

/// Whether the names of these lines fit beside their ends, each on its line: all end at the last size, and no
/// two so near that one name would overlap the other. On a log scale from `low` to `high`.
bool names_fit(const ordered_json& rows, const std::string& field, long last, double low, double high) {
  constexpr double line_px = 13, padding_px = 10;
  std::set<std::string> named, all;
  std::vector<double> ends;
  for (const ordered_json& row : rows) {
    all.insert(row["variant"].get<std::string>());
    if (row["size"] != last) continue;
    named.insert(row["variant"].get<std::string>());
    ends.push_back(std::log(row[field].get<double>()));
  }
  if (named.size() < all.size() || named.size() != ends.size()) return false;
  for (const std::string& name : all)
    if (characters(name) > longest_named_line) return false;
  const double px = high > low ? (curve_height - 2 * padding_px) / std::log(high / low) : 0;
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 1; i < ends.size(); ++i)
    if ((ends[i] - ends[i - 1]) * px < line_px) return false;
  return true;
}

/// The names of the lines at their ends.
void name_lines(ordered_json& panel, long last) {
  const ordered_json names = {{"name", line_ends},
                              {"transform", {{{"filter", "datum.size === " + std::to_string(last)}}}},
                              {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 8}, {"fontSize", 11}}},
                              {"encoding",
                               {{"y", panel["layer"].back()["encoding"]["y"]},
                                {"color", {{"value", baseline_color}}},
                                {"text", {{"field", "variant"}, {"type", "nominal"}}}}}};
  panel["layer"].push_back(names);
}

}  // namespace

ordered_json curves(const plot_heading& heading, const series_names& variants, const std::string& size_title,
                    const std::vector<curve_point>& points) {
  ordered_json values = ordered_json::array();
  std::set<long> sizes;
  double us_low = INFINITY, us_high = 0, rate_low = INFINITY, rate_high = 0;
  const bool has_items =
      std::all_of(points.begin(), points.end(), [](const curve_point& p) { return p.items && *p.items > 0; });
  for (const curve_point& p : points) {
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
  const series_marks marks(variants, values_of(values, "variant"));
  ordered_json color = marks.variant_colors(), shape = marks.variant_shapes();
  ordered_json out = specification(heading, std::move(values));
  const ordered_json& rows = out["data"]["values"];
  const long last = sizes.empty() ? 0 : *sizes.rbegin();
  const bool has_names = has_items ? names_fit(rows, "rate", last, rate_low, rate_high)
                                   : names_fit(rows, "us", last, us_low, us_high);
  if (has_names) {
    out["usermeta"]["legend"] = color["legend"];
    color["legend"] = shape["legend"] = nullptr;
  }
  std::vector<std::pair<std::string, std::string>> fields = {
      {"case", "case"}, {"us", "median µs"}, {"us_low", "95 % from"}, {"us_high", "95 % to"}};
  if (has_items) fields.emplace_back("rate", "points/s");
  const ordered_json tooltip = tooltip_fields(fields);
  ordered_json panels = ordered_json::array(
      {curve_panel(x, color, shape, "us", "median time (µs)", ",~r", us_low, us_high, tooltip)});
  if (has_items)
    panels.push_back(
        curve_panel(x, color, shape, "rate", "throughput (points/s)", "~s", rate_low, rate_high, tooltip));
  if (has_names) name_lines(panels.back(), last);
  out["hconcat"] = std::move(panels);
  return out;
}

ordered_json small_multiples(const plot_heading& heading, const series_names& variants,
                             const std::string& size_title, const std::vector<panel>& panels,
                             ordered_json rows) {
  std::set<long> sizes;
  for (const ordered_json& row : rows) sizes.insert(row["size"].get<long>());
  constexpr std::size_t columns = 3;
  const bool is_marked =
      std::any_of(rows.begin(), rows.end(), [](const ordered_json& row) { return row.contains("regime"); });
  if (is_marked)
    for (ordered_json& row : rows)
      if (!row.contains("regime")) row["regime"] = "as timed";
  const series_marks marks(variants, values_of(rows, "variant"));
  const ordered_json color = marks.variant_colors(), shape = marks.variant_shapes();
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

ordered_json stacked_shares(const plot_heading& heading, const std::string& size_title,
                            const std::string& share_title, ordered_json rows) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [field, value] : rows.front().items())
    if (field != "variant" && field != "size") fields.emplace_back(field, field);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i]["place"] = i;
  const std::vector<std::string> order = values_of(rows, "variant");
  ordered_json color = fill_channel(rows, "kernel", other_kernels,
                                    [](const ordered_json& row) { return row["share"].get<double>(); },
                                    {std::begin(other_colors), std::end(other_colors)});
  // Names of kernels have up to a hundred letters: two of them do not fit beside each other.
  constexpr std::size_t longest_of_two = 60;
  std::size_t longest = 0;
  for (const std::string& name : values_of(rows, "kernel")) longest = std::max(longest, name.size());
  color["legend"] = {{"orient", "bottom"},
                     {"columns", longest > longest_of_two ? 1 : 2},
                     {"labelLimit", 800},
                     {"symbolLimit", 0}};
  ordered_json out = specification(heading, std::move(rows));
  out["columns"] = 4;
  out["facet"] = {{"field", "variant"}, {"type", "nominal"}, {"title", nullptr}, {"sort", order}};
  out["spec"] = {{"width", {{"step", 17}}},
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
                   {"color", std::move(color)},
                   {"order", {{"field", "place"}, {"type", "quantitative"}}},
                   {"tooltip", tooltip_fields(fields)}}}};
  return out;
}

}  // namespace ablate::reports
