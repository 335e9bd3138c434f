#include <algorithm>
#include <cmath>

#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// Plots of the output: its figures against time, and its points.

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// Logarithmic if the figure spans more than a decade: small values would overlap.
ordered_json figure_channel(const std::string& figure, const ordered_json& rows) {
  double low = INFINITY, high = 0;
  for (const ordered_json& row : rows)
    if (row[figure].is_number()) {
      low = std::min(low, row[figure].get<double>());
      high = std::max(high, row[figure].get<double>());
    }
  if (low > 0 && high > 10 * low) return log_channel(figure, figure, ",~r", low, high);
  return {{"field", figure},
          {"type", "quantitative"},
          {"title", figure},
          {"scale", {{"zero", false}, {"nice", true}}},
          {"axis", {{"tickCount", 6}, {"format", ".4~r"}}}};
}

}  // namespace

ordered_json figures_against_time(const plot_heading& heading, const series_names& variants,
                                  const std::string& shape_title, const std::vector<std::string>& figures,
                                  ordered_json rows) {
  const series_marks marks(variants, values_of(rows, "variant"));
  const std::vector<std::string> words = values_of(rows, "shape");
  double low = INFINITY, high = 0;
  for (const ordered_json& row : rows) {
    low = std::min(low, row["us"].get<double>());
    high = std::max(high, row["us"].get<double>());
  }
  // Words take the shapes only where colors alone tell the variants apart.
  const bool has_words = words.size() > 1 && marks.has_a_color_each();
  ordered_json shape =
      has_words ? series_marks({words}, words).shapes("shape", shape_title) : marks.variant_shapes();
  if (has_words) shape["legend"].update({{"symbolFillColor", "#777777"}, {"symbolStrokeColor", "#777777"}});
  ordered_json views = ordered_json::array();
  for (const std::string& figure : figures) {
    ordered_json encoding = {
        {"x", log_channel("us", "median time (µs)", ",~r", low, high)},
        {"y", figure_channel(figure, rows)},
        {"color", marks.variant_colors()},
        {"shape", shape},
        {"tooltip",
         tooltip_fields(
             {{"case", "case"}, {"us", "median µs"}, {figure, figure}, {"workload", "workload"}})}};
    views.push_back({{"width", 330},
                     {"height", 260},
                     {"transform", {{{"filter", "isValid(datum['" + figure + "'])"}}}},
                     {"mark", {{"type", "point"}, {"filled", true}, {"size", 42}, {"opacity", 0.75}}},
                     {"encoding", std::move(encoding)}});
  }
  ordered_json out = specification(heading, std::move(rows));
  out["columns"] = 2;
  out["concat"] = std::move(views);
  return out;
}

ordered_json point_panels(const plot_heading& heading, const measured_case::output_picture& picture,
                          const std::string& case_name) {
  using coloring = measured_case::output_picture::coloring;
  constexpr double side = 340;
  // Tableau's twenty: a color is next to its paler form only if labels differ by an odd number.
  constexpr const char* categories[] = {"#4c78a8", "#9ecae9", "#f58518", "#ffbf79", "#54a24b",
                                        "#88d27a", "#b79a20", "#f2cf5b", "#439894", "#83bcb6",
                                        "#e45756", "#ff9d98", "#79706e", "#bab0ac", "#d67195",
                                        "#fcbfd2", "#b279a2", "#d6a5c9", "#9e765f", "#d8b5a5"};
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (const auto& point : picture.points)
    for (int axis : {0, 1}) {
      low[axis] = std::min(low[axis], axis ? point.y : point.x);
      high[axis] = std::max(high[axis], axis ? point.y : point.x);
    }
  // One unit has the same length on both axes; four digits of the extent are finer than a pixel.
  const double extent = std::max({high[0] - low[0], high[1] - low[1], 1e-12});
  const double grain = std::pow(10, std::floor(std::log10(extent)) - 3);
  const auto rounded = [&](double value) {
    const double steps = std::round(value / grain);
    return grain < 1 ? steps / std::round(1 / grain) : steps * grain;
  };
  ordered_json points = ordered_json::array();
  for (const auto& point : picture.points) {
    ordered_json& to = points.emplace_back(ordered_json::array({rounded(point.x), rounded(point.y)}));
    for (const long color : point.colors) to.push_back(color);
  }
  const auto channel = [&](int axis, const std::string& title) -> ordered_json {
    const double middle = (low[axis] + high[axis]) / 2;
    const double half = std::max(high[axis] - low[axis], extent / 4) * 0.51;
    return {{"field", axis ? "p[1]" : "p[0]"},
            {"type", "quantitative"},
            {"title", title},
            {"scale", {{"domain", {middle - half, middle + half}}, {"nice", false}, {"zero", false}}},
            {"axis", {{"grid", false}, {"tickCount", 6}}}};
  };
  const double height = side * std::max((high[1] - low[1]) / extent, 0.25);
  const double width = side * std::max((high[0] - low[0]) / extent, 0.25);
  ordered_json views = ordered_json::array();
  for (std::size_t i = 0; i < picture.panels.size(); ++i) {
    const std::string label = "datum.p[" + std::to_string(2 + i) + "]";
    const ordered_json mark = {{"type", "square"}, {"size", 7}, {"opacity", 1}, {"stroke", nullptr}};
    const ordered_json encoding = {
        {"x", channel(0, picture.x_title)},
        {"y", channel(1, picture.y_title)},
        {"tooltip",
         tooltip_fields({{"case", "case"}, {"p[" + std::to_string(2 + i) + "]", picture.panels[i].title}})}};
    ordered_json view = {
        {"title", {{"text", picture.panels[i].title}, {"fontSize", 11}, {"offset", 6}, {"frame", "group"}}},
        {"width", std::round(width)},
        {"height", std::round(height)}};
    if (picture.panels[i].kind == coloring::category) {
      // Neighbors differ by 1 or, along a space-filling curve, by a power of two: seven times either is never
      // 0 modulo 20.
      view["transform"] = {{{"calculate", "((7 * " + label + ") % 20 + 20) % 20"}, {"as", "hue"}}};
      ordered_json domain = ordered_json::array();
      for (std::size_t hue = 0; hue < std::size(categories); ++hue) domain.push_back(hue);
      view["mark"] = mark;
      view["encoding"] = encoding;
      view["encoding"]["color"] = {{"field", "hue"},
                                   {"type", "nominal"},
                                   {"legend", nullptr},
                                   {"scale", {{"domain", domain}, {"range", categories}}}};
    } else {
      ordered_json layers = ordered_json::array();
      for (const auto& [is_member, color] : {std::pair{false, "#D0D0D0"}, {true, "#D55E00"}}) {
        ordered_json layer = {{"transform", {{{"filter", label + (is_member ? " === 1" : " === 0")}}}},
                              {"mark", mark},
                              {"encoding", encoding}};
        layer["mark"]["color"] = color;
        layers.push_back(std::move(layer));
      }
      view["layer"] = std::move(layers);
    }
    views.push_back(std::move(view));
  }
  ordered_json rows = ordered_json::array({{{"case", case_name}, {"points", std::move(points)}}});
  ordered_json out = specification(heading, std::move(rows));
  out["transform"] = {{{"flatten", {"points"}}, {"as", {"p"}}}};
  out["columns"] = 2;
  out["usermeta"] = {{"equal_units", true}};  // in whatever width it is drawn
  out["resolve"] = {{"scale", {{"color", "independent"}}}};
  out["concat"] = std::move(views);
  return out;
}

}  // namespace ablate::reports
