#include "reports/plots/vega.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/plots/vega_parts.h"

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

/// Logarithmic where the figure spans more than a decade: small values would lie on one another.
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

/// Colors of the words that some bar has.
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
  const ordered_json tooltip = told(fields);
  ordered_json panels = ordered_json::array(
      {curve_panel(x, color, shape, "us", "median time (µs)", ",~r", us_low, us_high, tooltip)});
  if (has_items)
    panels.push_back(
        curve_panel(x, color, shape, "rate", "throughput (points/s)", "~s", rate_low, rate_high, tooltip));
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
    values.push_back({{"case", d.case_name},
                      {"workload", d.workload},
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
      {"encoding",
       {{"x", x("value")},
        {"shape", shape},
        {"tooltip",
         told({{"case", "case"}, {"value", value_title}, {"low", "95 % from"}, {"high", "95 % to"}})}}}};
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
  out["encoding"] = {{"x", x}, {"y", workload_axis(workloads, false)}, {"tooltip", told(fields)}};
  out["layer"] = ordered_json::array({rectangles, texts});
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
  const ordered_json color = variant_channel(variants, drawn, false);
  const ordered_json shape = variant_channel(variants, drawn, true);
  ordered_json views = ordered_json::array();
  for (const panel& p : panels) {
    ordered_json x = size_channel(size_title, sizes);
    if (views.size() + columns < panels.size()) x["axis"]["title"] = nullptr;  // said below
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
    if (!p.beside.empty()) {
      fields.emplace_back(p.beside, p.beside_title);
      layers.push_back(
          {{"mark", {{"type", "line"}, {"strokeWidth", 1}, {"strokeDash", {4, 3}}, {"opacity", 0.7}}},
           {"encoding", {{"y", y(p.beside)}}}});
    }
    layers.push_back({{"mark", {{"type", "line"}, {"strokeWidth", 1.6}}}, {"encoding", {{"y", y(p.field)}}}});
    layers.push_back({{"mark", {{"type", "point"}, {"filled", true}, {"size", 34}, {"opacity", 1}}},
                      {"encoding", {{"y", y(p.field)}, {"shape", shape}, {"tooltip", told(fields)}}}});
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
  ordered_json range = ordered_json::array();  // black stays the baseline's
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
        {"tooltip", told(fields)}}}};
  return out;
}

ordered_json lanes(const plot_heading& heading, const std::vector<lane>& all, ordered_json samples,
                   ordered_json kernels) {
  const auto time = [](const char* field, bool labeled) -> ordered_json {
    return {{"field", field},
            {"type", "quantitative"},
            {"title", labeled ? ordered_json("time (µs)") : ordered_json(nullptr)},
            {"scale", {{"nice", false}, {"zero", false}}},
            {"axis", {{"labels", labeled}, {"ticks", labeled}, {"grid", false}}}};
  };
  ordered_json views = ordered_json::array();
  if (!kernels.empty()) {
    const ordered_json tooltip =
        told({{"case", "case"}, {"kernel", "kernel"}, {"start_us", "from µs"}, {"end_us", "to µs"}});
    views.push_back({{"width", 720},
                     {"height", 22},
                     {"data", {{"name", "kernels"}}},
                     {"mark", {{"type", "rect"}, {"stroke", "white"}}},
                     {"encoding",
                      {{"x", time("start_us", false)},
                       {"x2", {{"field", "end_us"}}},
                       {"color",
                        {{"field", "kernel"},
                         {"type", "nominal"},
                         {"title", "kernel"},
                         {"scale", {{"range", {colors[6], colors[5], colors[3], colors[4], colors[2]}}}}}},
                       {"tooltip", tooltip}}}});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool last = i + 1 == all.size();
    const ordered_json y = {{"field", all[i].field},
                            {"type", "quantitative"},
                            {"title", all[i].title},
                            {"scale", {{"domain", {0, 100}}, {"clamp", true}}},
                            {"axis", {{"values", {0, 50, 100}}, {"titleAngle", 0}, {"titleAlign", "right"}}}};
    ordered_json layers = ordered_json::array();
    layers.push_back(
        {{"data", {{"name", "samples"}}},
         {"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"color", colors[1]}, {"opacity", 0.75}}},
         {"encoding", {{"x", time("time_us", last)}, {"y", y}, {"tooltip", told({{"case", "case"}})}}}});
    for (const char* edge : {"start_us", "end_us"})
      layers.push_back({{"data", {{"name", "kernels"}}},
                        {"mark", {{"type", "rule"}, {"color", "#888888"}, {"strokeWidth", 0.6}}},
                        {"encoding", {{"x", time(edge, last)}}}});
    views.push_back({{"width", 720}, {"height", 64}, {"layer", layers}});
  }
  ordered_json out = specification(heading, ordered_json::array());
  out.erase("data");
  out["datasets"] = {{"samples", std::move(samples)}, {"kernels", std::move(kernels)}};
  out["spacing"] = 6;
  out["resolve"] = {{"scale", {{"x", "shared"}}}};
  out["vconcat"] = std::move(views);
  return out;
}

ordered_json figures_against_time(const plot_heading& heading, const std::vector<std::string>& variants,
                                  const std::string& shape_title, const std::vector<std::string>& figures,
                                  ordered_json rows) {
  std::set<std::string> drawn;
  std::vector<std::string> words;
  double low = INFINITY, high = 0;
  for (const ordered_json& row : rows) {
    drawn.insert(row["variant"].get<std::string>());
    const auto word = row["shape"].get<std::string>();
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    low = std::min(low, row["us"].get<double>());
    high = std::max(high, row["us"].get<double>());
  }
  ordered_json range = ordered_json::array();
  for (std::size_t i = 0; i < words.size(); ++i) range.push_back(shapes[i % shapes.size()]);
  const ordered_json shape = {{"field", "shape"},
                              {"type", "nominal"},
                              {"title", shape_title},
                              {"legend", {{"symbolFillColor", "#777777"}, {"symbolStrokeColor", "#777777"}}},
                              {"scale", {{"domain", words}, {"range", range}}}};
  ordered_json views = ordered_json::array();
  for (const std::string& figure : figures) {
    ordered_json encoding = {
        {"x", log_channel("us", "median time (µs)", ",~r", low, high)},
        {"y", figure_channel(figure, rows)},
        {"color", variant_channel(variants, drawn, false)},
        {"tooltip",
         told({{"case", "case"}, {"us", "median µs"}, {figure, figure}, {"workload", "workload"}})}};
    // Else colors come back after eleven variants, but no pair of color and shape does before 66.
    encoding["shape"] = words.size() > 1 ? shape : variant_channel(variants, drawn, true);
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
  // Tableau's twenty, so that a color stands beside its paler form only where labels differ by an odd number.
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
  // One unit is as long on both axes; four digits of the extent are finer than a pixel.
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
        {"tooltip", told({{"case", "case"}, {"p[" + std::to_string(2 + i) + "]", picture.panels[i].title}})}};
    ordered_json view = {
        {"title", {{"text", picture.panels[i].title}, {"fontSize", 11}, {"offset", 6}, {"frame", "group"}}},
        {"width", std::round(width)},
        {"height", std::round(height)}};
    if (picture.panels[i].kind == coloring::category) {
      // Neighbors differ by 1 or, along a space-filling curve, by a power of two: seven of either are never 0
      // modulo 20.
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
  out["resolve"] = {{"scale", {{"color", "independent"}}}};
  out["concat"] = std::move(views);
  return out;
}

ordered_json median_history(const plot_heading& heading, ordered_json rows) {
  constexpr const char* changed = "#D55E00";
  const ordered_json date = {{"field", "date"}, {"type", "temporal"}, {"title", nullptr}};
  const auto us = [](const char* field) -> ordered_json {
    return {{"field", field},
            {"type", "quantitative"},
            {"title", "median time (µs)"},
            {"scale", {{"zero", false}}}};
  };
  const ordered_json interval = {{"mark", {{"type", "rule"}, {"color", "#888888"}}},
                                 {"encoding", {{"x", date}, {"y", us("low")}, {"y2", {{"field", "high"}}}}}};
  const ordered_json level = {
      {"mark", {{"type", "line"}, {"color", "#0072B2"}, {"strokeWidth", 1.6}}},
      {"encoding",
       {{"x", date}, {"y", us("level")}, {"detail", {{"field", "segment"}, {"type", "nominal"}}}}}};
  const ordered_json median = {
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 1}, {"color", "#000000"}}},
      {"encoding",
       {{"x", date},
        {"y", us("us")},
        {"tooltip", told({{"case", "case"},
                          {"date", "date"},
                          {"commit", "commit"},
                          {"us", "median (µs)"},
                          {"low", "95 % from"},
                          {"high", "to"},
                          {"change", "change of level"},
                          {"gpu", "GPU"},
                          {"driver", "driver"}})}}}};
  const ordered_json only_changes = {{{"filter", "datum.change !== null"}}};
  const ordered_json rule = {{"transform", only_changes},
                             {"mark", {{"type", "rule"}, {"color", changed}, {"strokeDash", {4, 3}}}},
                             {"encoding", {{"x", date}}}};
  const ordered_json label = {
      {"transform", only_changes},
      {"mark",
       {{"type", "text"}, {"color", changed}, {"align", "left"}, {"dx", 4}, {"y", 8}, {"fontSize", 11}}},
      {"encoding", {{"x", date}, {"text", {{"field", "change"}, {"type", "nominal"}}}}}};
  ordered_json out = specification(heading, std::move(rows));
  out["width"] = 640;
  out["height"] = 220;
  out["layer"] = {rule, interval, level, median, label};
  return out;
}

ordered_json falling_bars(const plot_heading& heading, ordered_json rows) {
  // A variant may be the end of a step and of the whole, so rows are told apart by their place.
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
  constexpr double room_for_labels = 1.15;
  double longest = 0;
  for (const ordered_json& row : rows)
    longest = std::max({longest, row["start"].get<double>(), row["end"].get<double>()});
  const ordered_json x = {{"field", "start"},
                          {"type", "quantitative"},
                          {"title", "median time (µs)"},
                          {"scale", {{"domain", {0, room_for_labels * longest}}, {"nice", false}}}};
  const ordered_json color = {
      {"field", "verdict"}, {"type", "nominal"}, {"title", nullptr}, {"scale", scale_of_verdicts(rows)}};
  const ordered_json bars = {{"mark", {{"type", "bar"}, {"minBandSize", 2}}},
                             {"encoding",
                              {{"y", y},
                               {"x", x},
                               {"x2", {{"field", "end"}}},
                               {"color", color},
                               {"tooltip", told({{"case", "case"},
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
