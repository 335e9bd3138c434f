#include <algorithm>
#include <cmath>
#include <set>

#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// Squares, which the drawing merges where there are many.
ordered_json small_squares() {
  return {{"type", "square"}, {"size", 9}, {"opacity", 1}, {"stroke", nullptr}};
}

/// The marks of groups: squares, or shapes where there are more groups than colors.
struct group_marks {
  ordered_json color, shape;  ///< channels; no shape where all are squares

  /// Blue for the first group, in the order of the rows or, if given, for the one that must come first.
  group_marks(const ordered_json& rows, const std::string& title, const std::string& first) {
    std::vector<std::string> groups = values_of(rows, "group");
    if (const auto at = std::find(groups.begin(), groups.end(), first); at != groups.end())
      std::rotate(groups.begin(), at, at + 1);
    const series_marks marks({groups}, groups);
    color = marks.colors("group", title);
    if (marks.has_a_color_each())
      color["legend"]["symbolType"] = "square";
    else
      shape = marks.shapes("group", title);
  }

  ordered_json mark() const {
    return shape.is_null() ? small_squares()
                           : ordered_json{{"type", "point"}, {"filled", true}, {"size", 20}};
  }
  void add_to(ordered_json& encoding) const {
    encoding["color"] = color;
    if (!shape.is_null()) encoding["shape"] = shape;
  }
};

ordered_json valid_rows(const std::string& field) {
  return {{{"filter", "isValid(datum['" + field + "'])"}}};
}

double greatest(const ordered_json& rows, const std::string& field) {
  double out = 0;
  for (const ordered_json& row : rows)
    if (row[field].is_number()) out = std::max(out, row[field].get<double>());
  return out;
}

}  // namespace

ordered_json over_places(const plot_heading& heading, const std::vector<panel>& panels,
                         const std::string& group_title, ordered_json rows) {
  const group_marks marks(rows, group_title, "none");
  ordered_json views = ordered_json::array();
  for (const panel& p : panels) {
    const bool is_last = &p == &panels.back();
    const ordered_json x = {
        {"field", "place"},
        {"type", "quantitative"},
        {"title", is_last ? ordered_json("case, in the order of the record") : ordered_json(nullptr)},
        {"scale", {{"nice", false}, {"zero", false}, {"padding", 6}}},
        {"axis", {{"labels", is_last}, {"ticks", is_last}, {"grid", false}, {"tickMinStep", 1}}}};
    const ordered_json y = {{"field", p.field},
                            {"type", "quantitative"},
                            {"title", p.title},
                            {"scale", {{"zero", false}, {"nice", true}, {"padding", 4}}},
                            {"axis", {{"tickCount", 4}, {"format", "~r"}}}};
    views.push_back(
        {{"width", 720},
         {"height", 84},
         {"transform", valid_rows(p.field)},
         {"mark", marks.mark()},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"tooltip", tooltip_fields({{"case", "case"}, {p.field, p.title}, {"group", group_title}})}}}});
    marks.add_to(views.back()["encoding"]);
  }
  ordered_json out = specification(heading, std::move(rows));
  out["spacing"] = 10;
  out["resolve"] = {{"scale", {{"x", "shared"}}}};
  out["vconcat"] = std::move(views);
  return out;
}

ordered_json percent_panels(const plot_heading& heading, const std::vector<panel>& panels,
                            const std::vector<mark_line>& lines, const std::string& group_title,
                            ordered_json rows) {
  const group_marks groups(rows, group_title, "");
  double low = INFINITY, high = 0, top = 0;
  for (const ordered_json& row : rows) low = std::min(low, row["us"].get<double>());
  high = greatest(rows, "us");
  for (const mark_line& line : lines) top = std::max(top, line.value);
  for (const panel& p : panels) top = std::max(top, greatest(rows, p.field));
  ordered_json ticks = ordered_json::array();
  for (const double tick : {0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0})
    if (tick <= top * 1.05) ticks.push_back(tick);
  // Small percentages matter as much as large ones, and 0 is among them.
  const auto y = [&](const ordered_json& title) -> ordered_json {
    return {{"type", "quantitative"},
            {"title", title},
            {"scale", {{"type", "symlog"}, {"constant", 0.1}, {"domain", {0, top * 1.4}}, {"nice", false}}},
            {"axis", {{"values", ticks}, {"format", "~r"}, {"labelOverlap", false}}}};
  };
  ordered_json marks = ordered_json::array();
  for (const mark_line& line : lines) marks.push_back({{"value", line.value}, {"title", line.title}});
  ordered_json views = ordered_json::array();
  for (const panel& p : panels) {
    ordered_json at = y(views.empty() ? ordered_json("percent of the time") : ordered_json(nullptr));
    ordered_json across = at;
    at["field"] = p.field;
    across["field"] = "value";
    ordered_json cases = {
        {"transform", valid_rows(p.field)},
        {"mark", groups.mark()},
        {"encoding",
         {{"x", log_channel("us", "median time (µs)", ",~r", low, high)},
          {"y", at},
          {"tooltip",
           tooltip_fields({{"case", "case"}, {p.field, p.title + " (%)"}, {"us", "median µs"}})}}}};
    groups.add_to(cases["encoding"]);
    const ordered_json rule = {{"data", {{"values", marks}}},
                               {"mark", {{"type", "rule"}, {"strokeDash", {4, 3}}, {"color", "#777777"}}},
                               {"encoding", {{"y", across}}}};
    const ordered_json words = {
        {"data", {{"values", marks}}},
        {"mark",
         {{"type", "text"}, {"align", "left"}, {"x", 4}, {"dy", -7}, {"fontSize", 10}, {"color", "#777777"}}},
        {"encoding", {{"y", across}, {"text", {{"field", "title"}, {"type", "nominal"}}}}}};
    views.push_back({{"title", {{"text", p.title}, {"fontSize", 11}, {"offset", 6}, {"frame", "group"}}},
                     {"width", panels.size() > 1 ? 290 : 460},
                     {"height", 240},
                     {"layer", {rule, words, cases}}});
  }
  ordered_json out = specification(heading, std::move(rows));
  out["columns"] = 3;
  out["concat"] = std::move(views);
  return out;
}

ordered_json curves_by_record(const plot_heading& heading, const std::vector<std::string>& variants,
                              const std::vector<std::string>& records, const std::string& size_title,
                              ordered_json rows) {
  std::set<long> sizes;
  double low = INFINITY, high = 0;
  for (const ordered_json& row : rows) {
    sizes.insert(row["size"].get<long>());
    low = std::min(low, row["us_low"].get<double>());
    high = std::max(high, row["us_high"].get<double>());
  }
  // The others are held against the first.
  const series_marks marks({records, records.front()}, records);
  const ordered_json color = marks.colors("record", "record"), shape = marks.shapes("record", "record");
  const auto y = [&](const char* field) { return log_channel(field, "median time (µs)", ",~r", low, high); };
  const ordered_json band = {{"mark", {{"type", "area"}, {"opacity", 0.25}}},
                             {"encoding", {{"y", y("us_low")}, {"y2", {{"field", "us_high"}}}}}};
  const ordered_json line = {{"mark", {{"type", "line"}, {"strokeWidth", 1.6}}},
                             {"encoding", {{"y", y("us")}}}};
  const ordered_json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 34}, {"opacity", 1}}},
                               {"encoding",
                                {{"y", y("us")},
                                 {"shape", shape},
                                 {"tooltip", tooltip_fields({{"case", "case"},
                                                             {"record", "record"},
                                                             {"us", "median µs"},
                                                             {"us_low", "95 % from"},
                                                             {"us_high", "95 % to"}})}}}};
  ordered_json out = specification(heading, std::move(rows));
  out["columns"] = 3;
  out["facet"] = {{"field", "variant"}, {"type", "nominal"}, {"title", nullptr}, {"sort", variants}};
  out["spec"] = {{"width", 250},
                 {"height", 190},
                 {"encoding", {{"x", size_channel(size_title, sizes)}, {"color", color}}},
                 {"layer", {band, line, points}}};
  return out;
}

}  // namespace ablate::reports
