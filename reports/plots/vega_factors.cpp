#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// How many times faster one side of a question is than the other.

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t panels_in_a_row = 3;

/// Broken into lines that a plot is wide enough for.
ordered_json title_lines(const std::string& text) {
  constexpr std::size_t width = 84;
  ordered_json lines = ordered_json::array();
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  lines.push_back(line);
  return lines;
}

ordered_json place_channel(const factor_panel& of, const std::set<double>& sizes) {
  if (!of.words.empty())
    return {{"field", "size"},
            {"type", "nominal"},
            {"title", of.along},
            {"sort", of.words},
            {"axis", {{"labelAngle", of.words.size() > 4 ? -30 : 0}, {"labelLimit", 180}}}};
  std::set<long> whole;
  for (const double size : sizes) whole.insert(std::lround(size));
  return size_channel(of.along, whole);
}

/// Beside a single panel, below several.
ordered_json legend_of(bool single) {
  ordered_json out = {{"labelLimit", 420}, {"symbolLimit", 0}};
  if (!single) out.update({{"orient", "bottom"}, {"columns", panels_in_a_row}});
  return out;
}

/// Colors and, where groups have shapes, these.
ordered_json with_legend(ordered_json of, std::size_t groups, bool single) {
  of["title"] = nullptr;
  of["legend"] = groups < 2 ? ordered_json(nullptr) : legend_of(single);
  return of;
}

ordered_json cloud_channel(const ordered_json& rows, bool single) {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const ordered_json& row) { return row["cloud"] == recorded_scan; });
  ordered_json out = {
      {"field", "cloud"},
      {"type", "nominal"},
      {"title", nullptr},
      {"scale", {{"domain", {generated_cloud, recorded_scan}}, {"range", {"circle", "diamond"}}}},
      {"legend", legend_of(single)}};
  out["legend"].update({{"symbolFillColor", "#777777"}, {"symbolStrokeColor", "#777777"}});
  if (!any) out["legend"] = nullptr;
  return out;
}

}  // namespace

ordered_json factors(const plot_heading& heading, const std::vector<factor_panel>& panels,
                     const std::string& factor_title, const std::vector<std::string>& groups,
                     ordered_json rows) {
  const auto least = [](const ordered_json& row) {
    return row["low"].is_number() ? row["low"].get<double>() : row["factor"].get<double>();
  };
  const auto most = [](const ordered_json& row) {
    return row["high"].is_number() ? row["high"].get<double>() : row["factor"].get<double>();
  };
  const bool single = panels.size() == 1;
  const series_marks marks({groups}, groups);
  // Of more groups than colors, shapes tell which; recorded scans are larger all the same.
  const bool by_color = marks.has_a_color_each();
  ordered_json color = with_legend(marks.colors("group", ""), groups.size(), single);
  const ordered_json shape =
      by_color ? cloud_channel(rows, single) : with_legend(marks.shapes("group", ""), groups.size(), single);
  if (by_color && groups.size() > 1) color["legend"]["symbolType"] = "circle";
  double low = 1, high = 1;  // of all panels, so that they can be compared
  for (const ordered_json& row : rows) {
    low = std::min(low, least(row));
    high = std::max(high, most(row));
  }
  ordered_json views = ordered_json::array();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    std::set<double> sizes;
    for (const ordered_json& row : rows)
      if (row["panel"] == i && row["size"].is_number()) sizes.insert(row["size"].get<double>());
    const ordered_json x = place_channel(panels[i], sizes);
    const auto y = [&](const char* field) {
      ordered_json out = log_channel(field, single ? factor_title : "times faster", "~r", low, high);
      out["scale"]["domain"] = {low, high};
      if (i % panels_in_a_row != 0) out["title"] = nullptr;
      return out;
    };
    ordered_json place = {{"x", x}, {"color", color}};
    if (!panels[i].words.empty() && groups.size() > 1) place["xOffset"] = {{"field", "group"}};
    const auto with = [&](ordered_json more) {
      ordered_json out = place;
      out.update(more);
      return out;
    };
    const ordered_json even = {{"data", {{"values", {{{"factor", 1}}}}}},
                               {"mark", {{"type", "rule"}, {"color", "#000000"}, {"strokeWidth", 1.2}}},
                               {"encoding", {{"y", y("factor")}}}};
    const ordered_json lines = {{"transform", {{{"filter", "isValid(datum.curve)"}}}},
                                {"mark", {{"type", "line"}, {"strokeWidth", 1.6}}},
                                {"encoding", with({{"y", y("factor")}, {"detail", {{"field", "curve"}}}})}};
    const ordered_json intervals = {{"transform", {{{"filter", "isValid(datum.low)"}}}},
                                    {"mark", {{"type", "rule"}, {"strokeWidth", 1.6}}},
                                    {"encoding", with({{"y", y("low")}, {"y2", {{"field", "high"}}}})}};
    const ordered_json points = {
        {"mark", {{"type", "point"}, {"filled", true}, {"opacity", 1}}},
        {"encoding",
         with({{"y", y("factor")},
               {"shape", shape},
               {"size",
                {{"condition",
                  {{"test", std::string("datum.cloud === '") + recorded_scan + "'"}, {"value", 130}}},
                 {"value", 42}}},
               {"tooltip", tooltip_fields({{"workload", "workload"},
                                           {"factor", "times faster"},
                                           {"low", "95 % from"},
                                           {"high", "95 % to"},
                                           {"verdict", "verdict"},
                                           {"variant", "best"},
                                           {"against", "against"},
                                           {"case", "case"}})}})}};
    ordered_json& view =
        views.emplace_back(ordered_json{{"width", single ? 600 : 260}, {"height", single ? 270 : 210}});
    if (!panels[i].title.empty())
      view["title"] = {{"text", panels[i].title}, {"fontSize", 11}, {"offset", 6}, {"frame", "group"}};
    if (!single) view["transform"] = {{{"filter", "datum.panel === " + std::to_string(i)}}};
    const auto has = [&](const char* field) {
      return std::any_of(rows.begin(), rows.end(),
                         [&](const ordered_json& row) { return row["panel"] == i && !row[field].is_null(); });
    };
    // A layer without data would have no extent.
    view["layer"] = ordered_json::array({even});
    if (has("curve")) view["layer"].push_back(lines);
    if (has("low")) view["layer"].push_back(intervals);
    view["layer"].push_back(points);
  }
  ordered_json out = specification(heading, std::move(rows));
  out["title"]["text"] = title_lines(heading.title);
  if (single) {
    out.update(views.front());
  } else {
    out["columns"] = panels_in_a_row;
    out["bounds"] = "flush";
    out["spacing"] = {{"row", 74}, {"column", 46}};
    out["concat"] = std::move(views);
  }
  return out;
}

}  // namespace ablate::reports
