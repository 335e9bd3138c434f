#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// Plots against time: of a launch, and of a history of records.

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

}  // namespace

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
    // None of the lanes' blue.
    const ordered_json color = fill_channel(
        kernels, "kernel", other_kernels,
        [](const ordered_json& row) { return row["end_us"].get<double>() - row["start_us"].get<double>(); },
        {"#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#882255", "#999933", "#332288", "#777777",
         "#8C510A"});
    const ordered_json tooltip = tooltip_fields(
        {{"case", "case"}, {"kernel", "kernel"}, {"start_us", "from µs"}, {"end_us", "to µs"}});
    views.push_back({{"width", 720},
                     {"height", 22},
                     {"data", {{"name", "kernels"}}},
                     {"mark", {{"type", "rect"}, {"stroke", "white"}}},
                     {"encoding",
                      {{"x", time("start_us", false)},
                       {"x2", {{"field", "end_us"}}},
                       {"color", color},
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
         {"mark",
          {{"type", "area"}, {"interpolate", "step-after"}, {"color", other_colors[0]}, {"opacity", 0.75}}},
         {"encoding",
          {{"x", time("time_us", last)}, {"y", y}, {"tooltip", tooltip_fields({{"case", "case"}})}}}});
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
        {"tooltip", tooltip_fields({{"case", "case"},
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

}  // namespace ablate::reports
