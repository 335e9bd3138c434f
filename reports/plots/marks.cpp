#include "reports/plots/marks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

// As many as share no divisor with the colors. The last ones are paths, drawn in a square from -1 to 1: a bow
// tie, an hourglass and a star.
constexpr std::array other_shapes = {"square",
                                     "triangle-up",
                                     "diamond",
                                     "cross",
                                     "triangle-down",
                                     "triangle-left",
                                     "triangle-right",
                                     "M-1,-0.8L1,0.8L1,-0.8L-1,0.8Z",
                                     "M-0.8,-1L0.8,-1L-0.8,1L0.8,1Z",
                                     "M0,-1L0.25,-0.25L1,0L0.25,0.25L0,1L-0.25,0.25L-1,0L-0.25,-0.25Z"};
constexpr const char* shape_of_others = "M0.5,-0.87L1,0L0.5,0.87L-0.5,0.87L-1,0L-0.5,-0.87Z";  // a hexagon
constexpr std::size_t color_count = std::size(other_colors), shape_count = other_shapes.size();

/// Gives out pairs that nobody has.
class mark_supply {
 public:
  /// That of a place, or else the nearest color that the fewest have, with the nearest shape that none has in
  /// this color.
  std::pair<const char*, const char*> take(std::size_t place) {
    std::size_t color = place % color_count;
    const std::size_t fewest = *std::min_element(uses_.begin(), uses_.end());
    while (uses_[color] > fewest) color = (color + 1) % color_count;
    std::size_t shape = place % shape_count;
    // More than a hundred series repeat a mark: nobody tells so many apart.
    while (taken_.contains({color, shape}) && uses_[color] < shape_count) shape = (shape + 1) % shape_count;
    ++uses_[color];
    taken_.insert({color, shape});
    return {other_colors[color], other_shapes[shape]};
  }

 private:
  std::array<std::size_t, color_count> uses_{};
  std::set<std::pair<std::size_t, std::size_t>> taken_;
};

}  // namespace

series_marks::series_marks(const series_names& names, std::vector<std::string> drawn)
    : drawn_(std::move(drawn)), marks_(drawn_.size()) {
  std::vector<std::string> order = names.all;
  for (const std::string& name : drawn_)
    if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
  std::erase(order, names.baseline);
  mark_supply supply;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto at = std::find(drawn_.begin(), drawn_.end(), order[place]);
    if (at == drawn_.end()) continue;
    const auto [color, shape] = supply.take(place);
    marks_[static_cast<std::size_t>(at - drawn_.begin())] = {color, shape};
  }
  for (std::size_t i = 0; i < drawn_.size(); ++i)
    if (!marks_[i].color) marks_[i] = {baseline_color, baseline_shape};
}

void series_marks::add_others(const std::string& name) {
  drawn_.push_back(name);
  marks_.push_back({gray, shape_of_others});
}

bool series_marks::has_a_color_each() const {
  std::set<std::string> colors;
  for (const mark& m : marks_) colors.insert(m.color);
  return colors.size() == marks_.size();
}

ordered_json series_marks::channel(const std::string& field, const std::string& title,
                                   const char* mark::*part) const {
  ordered_json range = ordered_json::array();
  for (const mark& m : marks_) range.push_back(m.*part);
  return {{"field", field},
          {"type", "nominal"},
          {"title", title},
          // Names in a comparison include axes.
          {"legend", {{"labelLimit", 640}, {"symbolLimit", 0}, {"columns", drawn_.size() > 20 ? 2 : 1}}},
          {"scale", {{"domain", drawn_}, {"range", std::move(range)}}}};
}

ordered_json series_marks::colors(const std::string& field, const std::string& title) const {
  return channel(field, title, &mark::color);
}

ordered_json series_marks::shapes(const std::string& field, const std::string& title) const {
  return channel(field, title, &mark::shape);
}

std::vector<std::string> values_of(const ordered_json& rows, const std::string& field) {
  std::vector<std::string> out;
  for (const ordered_json& row : rows) {
    const auto value = row[field].get<std::string>();
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  }
  return out;
}

ordered_json fill_channel(ordered_json& rows, const std::string& field, const std::string& others,
                          double (*weight)(const ordered_json& row), std::vector<const char*> palette) {
  const std::vector<std::string> all = values_of(rows, field);
  std::map<std::string, double> weights;
  for (const ordered_json& row : rows) weights[row[field].get<std::string>()] += weight(row);
  std::vector<std::string> kept = all;
  if (kept.size() > palette.size()) {
    std::stable_sort(kept.begin(), kept.end(),
                     [&](const auto& a, const auto& b) { return weights[a] > weights[b]; });
    kept.resize(palette.size());
  }
  for (ordered_json& row : rows) {
    const auto value = row[field].get<std::string>();
    row["group"] = std::find(kept.begin(), kept.end(), value) == kept.end() ? others : value;
  }
  std::vector<std::string> domain;
  for (const std::string& value : all)
    if (std::find(kept.begin(), kept.end(), value) != kept.end()) domain.push_back(value);
  palette.resize(domain.size());
  if (all.size() > kept.size()) {
    domain.push_back(others);
    palette.push_back(gray);
  }
  return {{"field", "group"},
          {"type", "nominal"},
          {"title", field},
          {"scale", {{"domain", std::move(domain)}, {"range", palette}}}};
}

}  // namespace ablate::reports
