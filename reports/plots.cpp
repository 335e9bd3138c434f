#include "reports/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;
using rows_ref = std::vector<const comparable_cases*>;

// A plot with more rows is split: one screen high, and a few tens of kB as SVG.
constexpr std::size_t maximum_rows = 36;

// Okabe and Ito's palette for color-blind readers without its yellow, which white paper swallows, and four
// more of Paul Tol's. The baseline is black. Shapes repeat what the color says.
constexpr const char* colors[] = {"#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                  "#56B4E9", "#882255", "#999933", "#332288", "#777777"};
constexpr const char* shapes[] = {"circle", "square", "triangle-up", "diamond", "cross", "triangle-down"};

ordered_json config() {
  return {
      {"aria", false},
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
       {{"labelFontSize", 11}, {"titleFontSize", 11}, {"titleFontWeight", "normal"}, {"labelLimit", 260}}}};
}

/// Breaks "a · b · c" into lines.
ordered_json subtitle(const std::vector<std::string>& parts) {
  constexpr std::size_t width = 96;
  ordered_json lines = ordered_json::array();
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!line.empty() && line.size() + part.size() > width) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " · ") + part;
  }
  lines.push_back(line);
  return lines;
}

ordered_json specification(const std::string& title, const ordered_json& subtitle_lines,
                           ordered_json values) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"title", {{"text", title}, {"subtitle", subtitle_lines}}},
          {"config", config()},
          {"data", {{"values", std::move(values)}}}};
}

/// The same color and shape for a variant in every plot of its operation; the legend shows those that are
/// drawn.
ordered_json variant_scale(const operation_view& view, const std::set<std::string>& drawn, bool shape) {
  ordered_json domain = ordered_json::array();
  ordered_json range = ordered_json::array();
  for (std::size_t i = 0; i < view.variants.size(); ++i) {
    if (!drawn.count(view.variants[i])) continue;
    domain.push_back(view.variants[i]);
    range.push_back(shape ? shapes[i % std::size(shapes)] : colors[i % std::size(colors)]);
  }
  return {{"domain", domain}, {"range", range}};
}

ordered_json variant_color(const operation_view& view, const std::set<std::string>& drawn) {
  return {{"field", "variant"},
          {"type", "nominal"},
          {"title", "variant"},
          {"scale", variant_scale(view, drawn, false)}};
}

ordered_json variant_shape(const operation_view& view, const std::set<std::string>& drawn) {
  return {{"field", "variant"},
          {"type", "nominal"},
          {"title", "variant"},
          {"scale", variant_scale(view, drawn, true)}};
}

std::vector<named_words> points_of(const rows_ref& rows) {
  std::vector<named_words> out;
  for (const comparable_cases* row : rows) out.push_back(row->axes);
  return out;
}

/// One plot's rows: a cache state, a method, and the values that were fixed to make it fit.
struct page {
  std::vector<std::string> words;  ///< of the file name
  rows_ref rows;
};

void split_to_fit(const operation_view& view, page whole, std::vector<page>& out) {
  std::optional<std::string> by;
  std::size_t fewest = 0;
  if (whole.rows.size() > maximum_rows)
    for (const std::string& axis : view.axes) {
      std::set<std::string> found;
      for (const comparable_cases* row : whole.rows) found.insert(row->value(axis));
      if (axis == view.swept || found.size() < 2 || (by && found.size() >= fewest)) continue;
      by = axis;
      fewest = found.size();
    }
  if (!by) {
    out.push_back(std::move(whole));
    return;
  }
  for (const std::string& value : view.values(*by)) {
    page part{whole.words, {}};
    part.words.push_back(view.is_integer(*by) ? *by + value : value);
    for (const comparable_cases* row : whole.rows)
      if (row->value(*by) == value) part.rows.push_back(row);
    if (!part.rows.empty()) split_to_fit(view, std::move(part), out);
  }
}

/// Pages of the rows of one (cache state, method) each.
std::vector<page> pages(const operation_view& view, const rows_ref& rows) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const comparable_cases* row : rows)
    if (std::find(kinds.begin(), kinds.end(), std::pair{row->cache_state, row->method}) == kinds.end())
      kinds.emplace_back(row->cache_state, row->method);
  std::vector<page> out;
  for (const auto& [cache_state, method] : kinds) {
    page whole;
    for (const comparable_cases* row : rows)
      if (row->cache_state == cache_state && row->method == method) whole.rows.push_back(row);
    std::vector<page> parts;
    split_to_fit(view, std::move(whole), parts);
    const auto same_state = [&](const auto& kind) { return kind.first == cache_state; };
    for (page& part : parts) {
      part.words.push_back(cache_state);
      if (std::count_if(kinds.begin(), kinds.end(), same_state) > 1) part.words.push_back(method);
      out.push_back(std::move(part));
    }
  }
  return out;
}

std::string file_name(const operation_view& view, const std::string& kind,
                      const std::vector<std::string>& words) {
  std::string out = slug(view.name) + "-" + kind;
  for (const std::string& word : words) out += "-" + slug(word);
  return out;
}

std::vector<std::string> fixed_axes(const operation_view& view, const rows_ref& rows) {
  std::vector<std::string> out;
  for (const std::string& axis : view.axes)
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const auto* row) { return row->value(axis) == rows.front()->value(axis); }))
      out.push_back(axis);
  return out;
}

ordered_json page_subtitle(const operation_view& view, const page& p, const std::string& device,
                           const std::string& note) {
  return subtitle({device, "cache state " + p.rows.front()->cache_state,
                   axes_text(p.rows.front()->axes, fixed_axes(view, p.rows)), note});
}

/// Rows of the plot from top to bottom, and room for their labels.
ordered_json label_axis(const std::vector<std::string>& labels) {
  return {{"field", "workload"},
          {"type", "nominal"},
          {"sort", labels},
          {"title", nullptr},
          {"axis", {{"labelLimit", 420}, {"grid", true}, {"tickBand", "extent"}}}};
}

std::vector<std::string> labels_of(const operation_view& view, const rows_ref& rows) {
  const auto axes = telling_axes(view, view.axes, points_of(rows));
  std::vector<std::string> out;
  for (const comparable_cases* row : rows) out.push_back(label(view, row->axes, axes));
  return out;
}

/// A dot plot: one row a workload, a dot a variant. `values` has workload, variant, value and, with
/// `interval`, low and high.
ordered_json dot_plot(const operation_view& view, const std::string& title,
                      const ordered_json& subtitle_lines, ordered_json values,
                      const std::vector<std::string>& labels, const std::string& axis_title, bool interval) {
  std::set<std::string> drawn;
  for (const ordered_json& value : values) drawn.insert(value["variant"].get<std::string>());
  const ordered_json scale = {{"type", "log"}, {"nice", false}, {"padding", 12}};
  const auto x = [&](const char* field) {
    return ordered_json{{"field", field},
                        {"type", "quantitative"},
                        {"title", axis_title},
                        {"scale", scale},
                        {"axis", {{"format", "~r"}, {"labelOverlap", "greedy"}, {"tickCount", 8}}}};
  };
  ordered_json out = specification(title, subtitle_lines, std::move(values));
  out["width"] = 460;
  out["height"] = {{"step", 18}};
  out["encoding"] = {{"y", label_axis(labels)}, {"color", variant_color(view, drawn)}};
  ordered_json layers = ordered_json::array();
  if (interval)
    layers.push_back({{"mark", {{"type", "rule"}, {"strokeWidth", 1.5}}},
                      {"encoding", {{"x", x("low")}, {"x2", {{"field", "high"}}}}}});
  layers.push_back({{"mark", {{"type", "point"}, {"filled", true}, {"size", 48}, {"opacity", 0.85}}},
                    {"encoding", {{"x", x("value")}, {"shape", variant_shape(view, drawn)}}}});
  out["layer"] = layers;
  return out;
}

ordered_json scaling_panel(const ordered_json& x, const ordered_json& color, const ordered_json& shape,
                           const std::string& field, const std::string& title) {
  const auto y = [&](const std::string& suffix) {
    return ordered_json{{"field", field + suffix},
                        {"type", "quantitative"},
                        {"title", title},
                        {"scale", {{"type", "log"}, {"nice", false}, {"padding", 8}}},
                        {"axis", {{"format", "~s"}, {"labelOverlap", "greedy"}, {"tickCount", 8}}}};
  };
  return {{"width", 330},
          {"height", 300},
          {"encoding", {{"x", x}, {"color", color}}},
          {"layer",
           {{{"mark", {{"type", "area"}, {"opacity", 0.25}}},
             {"encoding", {{"y", y("_low")}, {"y2", {{"field", field + "_high"}}}}}},
            {{"mark", {{"type", "line"}, {"strokeWidth", 1.6}}}, {"encoding", {{"y", y("")}}}},
            {{"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 1}}},
             {"encoding", {{"y", y("")}, {"shape", shape}}}}}}};
}

ordered_json scaling_specification(const operation_view& view, const scaling_group& group,
                                   const std::string& device) {
  ordered_json values = ordered_json::array();
  ordered_json sizes = ordered_json::array();
  std::set<std::string> drawn;
  bool has_items = true;
  for (const comparable_cases* row : group.points) {
    sizes.push_back(std::stol(row->value(group.axis)));
    for (const auto& [variant, c] : row->by_variant) has_items = has_items && c->items();
  }
  for (const std::string& variant : view.variants)
    for (const comparable_cases* row : group.points) {
      const measured_case* c = row->of(variant);
      if (!c) continue;
      drawn.insert(variant);
      ordered_json value = {{"variant", variant},
                            {"size", std::stol(row->value(group.axis))},
                            {"us", c->time.median_us},
                            {"us_low", c->time.ci95_low_us},
                            {"us_high", c->time.ci95_high_us}};
      if (has_items) {
        value["rate"] = *c->items() / (c->time.median_us * 1e-6);
        value["rate_low"] = *c->items() / (c->time.ci95_high_us * 1e-6);
        value["rate_high"] = *c->items() / (c->time.ci95_low_us * 1e-6);
      }
      values.push_back(std::move(value));
    }
  std::vector<std::string> other_axes;
  for (const std::string& axis : view.axes)
    if (axis != group.axis) other_axes.push_back(axis);
  ordered_json out = specification(
      fmt::format("{}: {} against {}", view.name, has_items ? "time and throughput" : "time", group.axis),
      subtitle({device, "cache state " + group.cache_state, axes_text(group.fixed, other_axes),
                "median with 95 % interval"}),
      std::move(values));
  const ordered_json x = {{"field", "size"},
                          {"type", "quantitative"},
                          {"title", view.axis_title(group.axis)},
                          {"scale", {{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 10}}},
                          {"axis", {{"values", sizes}, {"format", ".3~s"}, {"labelOverlap", "greedy"}}}};
  const ordered_json color = variant_color(view, drawn);
  const ordered_json shape = variant_shape(view, drawn);
  out["hconcat"] = ordered_json::array({scaling_panel(x, color, shape, "us", "time (µs), median")});
  if (has_items) out["hconcat"].push_back(scaling_panel(x, color, shape, "rate", "points per second"));
  return out;
}

}  // namespace

std::vector<plot> scaling_plots(const operation_view& view, const std::string& device, std::size_t limit) {
  std::vector<scaling_group> groups = view.scaling_groups(3);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.points.size() > b.points.size(); });
  if (groups.size() > limit) groups.resize(limit);
  std::vector<plot> out;
  for (const scaling_group& group : groups) {
    std::vector<named_words> alike;  // what the name has to tell this group from
    bool other_method = false;
    for (const scaling_group& other : groups) {
      if (other.axis != group.axis) continue;
      alike.push_back(other.fixed);
      other_method = other_method || (other.cache_state == group.cache_state && other.method != group.method);
    }
    std::vector<std::string> words;
    if (group.axis != view.swept) words.push_back(group.axis);
    for (const std::string& axis : telling_axes(view, view.axes, alike))
      words.push_back(view.is_integer(axis) ? axis + *find_word(group.fixed, axis)
                                            : *find_word(group.fixed, axis));
    words.push_back(group.cache_state);
    if (other_method) words.push_back(group.method);
    out.push_back(
        {file_name(view, "scaling", words),
         fmt::format("{}: time against {}, {}, {}", view.name, group.axis,
                     axes_text(group.fixed, telling_axes(view, view.axes, alike)), group.cache_state),
         scaling_specification(view, group, device)});
  }
  return out;
}

std::vector<plot> speed_up_plots(const operation_view& view, const std::string& device) {
  rows_ref rows;
  for (const comparable_cases& row : view.rows)
    if (std::any_of(view.variants.begin(), view.variants.end(),
                    [&](const auto& variant) { return view.speed_up_of(row, variant).has_value(); }))
      rows.push_back(&row);

  double widest = 0.25;  // in powers of two: the same colors mean the same in every plot of the operation
  for (const comparable_cases* row : rows)
    for (const std::string& variant : view.variants)
      if (const auto up = view.speed_up_of(*row, variant))
        widest = std::max(widest, std::abs(std::log2(up->ratio)));
  widest = std::min(widest, 2.0);

  std::vector<plot> out;
  for (const page& p : pages(view, rows)) {
    const std::vector<std::string> labels = labels_of(view, p.rows);
    ordered_json values = ordered_json::array();
    std::vector<std::string> columns;
    for (const std::string& variant : view.variants)
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        const auto up = view.speed_up_of(*p.rows[i], variant);
        if (!up) continue;
        if (columns.empty() || columns.back() != variant) columns.push_back(variant);
        values.push_back({{"workload", labels[i]},
                          {"variant", variant},
                          {"speed_up", up->ratio},
                          {"low", up->low},
                          {"high", up->high},
                          {"doublings", std::clamp(std::log2(up->ratio), -widest, widest)},
                          {"text", fmt::format("{}{:.2f}", up->includes_one() ? "~ " : "", up->ratio)}});
      }
    ordered_json spec = specification(
        fmt::format("{}: speed-up over {}", view.name, view.baseline),
        page_subtitle(view, p, device, "above 1 is faster; ~ marks an interval that includes 1"),
        std::move(values));
    spec["width"] = {{"step", 92}};
    spec["height"] = {{"step", 20}};
    ordered_json y = label_axis(labels);
    y["axis"]["grid"] = false;
    spec["encoding"] = {
        {"y", y},
        {"x",
         {{"field", "variant"},
          {"type", "nominal"},
          {"sort", columns},
          {"title", nullptr},
          {"axis", {{"orient", "top"}, {"labelAngle", columns.size() > 1 ? -20 : 0}, {"labelLimit", 220}}}}}};
    spec["layer"] = {
        {{"mark", {{"type", "rect"}, {"stroke", "white"}}},
         {"encoding",
          {{"color",
            {{"field", "doublings"},
             {"type", "quantitative"},
             {"title", "speed-up"},
             {"scale", {{"domain", {-widest, 0, widest}}, {"range", {"#E08214", "#F7F7F7", "#4393C3"}}}},
             {"legend", {{"labelExpr", "format(pow(2, datum.value), '.2~f')"}, {"tickCount", 4}}}}}}}},
        {{"mark", {{"type", "text"}, {"fontSize", 11}}}, {"encoding", {{"text", {{"field", "text"}}}}}}};
    out.push_back(
        {file_name(view, "speedup", p.words),
         fmt::format("{}: speed-up over {}, {}", view.name, view.baseline, p.rows.front()->cache_state),
         std::move(spec)});
  }
  return out;
}

std::vector<plot> floor_plots(const operation_view& view, const std::string& device) {
  const auto over_floor = [](const measured_case& c) {
    return c.floors ? c.floors->time_over_floor : std::optional<double>();
  };
  rows_ref rows;
  for (const comparable_cases& row : view.rows)
    if (std::any_of(row.by_variant.begin(), row.by_variant.end(),
                    [&](const auto& entry) { return over_floor(*entry.second).has_value(); }))
      rows.push_back(&row);
  std::vector<plot> out;
  for (const page& p : pages(view, rows)) {
    const std::vector<std::string> labels = labels_of(view, p.rows);
    ordered_json values = ordered_json::array();
    for (const std::string& variant : view.variants)
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        const measured_case* c = p.rows[i]->of(variant);
        if (!c || !over_floor(*c)) continue;
        const double over = *over_floor(*c);
        values.push_back({{"workload", labels[i]},
                          {"variant", variant},
                          {"value", over},
                          {"low", over * c->time.ci95_low_us / c->time.median_us},
                          {"high", over * c->time.ci95_high_us / c->time.median_us},
                          {"binding", *c->floors->binding}});
      }
    out.push_back(
        {file_name(view, "floor", p.words),
         fmt::format("{}: time over the binding floor, {}", view.name, p.rows.front()->cache_state),
         dot_plot(view, view.name + ": time over the binding floor",
                  page_subtitle(view, p, device, "1 is the least time by the ceilings measured in this run"),
                  std::move(values), labels, "median time / floor (ratio, log scale)", true)});
  }
  return out;
}

std::vector<plot> merging_plots(const operation_view& view, const std::string& device) {
  const auto per_atomic = [](const measured_case& c) -> std::optional<double> {
    if (c.instrumented.is_null() || !c.instrumented.contains("points_per_atomic")) return std::nullopt;
    const auto& value = c.instrumented["points_per_atomic"];
    return value.is_number() && value.get<double>() > 0 ? std::optional(value.get<double>()) : std::nullopt;
  };
  // Counts do not depend on the cache state: each set of axes is shown once.
  rows_ref rows;
  for (const comparable_cases& row : view.rows) {
    const bool shown =
        std::any_of(rows.begin(), rows.end(), [&](const auto* other) { return other->axes == row.axes; });
    if (!shown && std::any_of(row.by_variant.begin(), row.by_variant.end(),
                              [&](const auto& entry) { return per_atomic(*entry.second).has_value(); }))
      rows.push_back(&row);
  }
  std::vector<page> parts;
  if (!rows.empty()) split_to_fit(view, {{}, rows}, parts);
  std::vector<plot> out;
  for (const page& p : parts) {
    const std::vector<std::string> labels = labels_of(view, p.rows);
    ordered_json values = ordered_json::array();
    for (const std::string& variant : view.variants)
      for (std::size_t i = 0; i < p.rows.size(); ++i)
        if (const measured_case* c = p.rows[i]->of(variant); c && per_atomic(*c))
          values.push_back({{"workload", labels[i]}, {"variant", variant}, {"value", *per_atomic(*c)}});
    out.push_back({file_name(view, "merging", p.words), view.name + ": points per atomic",
                   dot_plot(view, view.name + ": points per atomic operation",
                            page_subtitle(view, p, device,
                                          "counted by the instrumented forms, not timed; 1 merges nothing"),
                            std::move(values), labels, "points per atomic (ratio, log scale)", false)});
  }
  return out;
}

}  // namespace ablate::reports
