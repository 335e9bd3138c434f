#pragma once

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "reports/plots/marks.h"

namespace ablate::reports {

/// What is wrong with the marks of a specification: series that share one, series without a mark of their
/// own, another series with the baseline's color or shape, and, where `baseline` is drawn, another mark of
/// it. Lines, bands and intervals have their points' color; labels of a picture's points (`hue`) are no
/// series.
class mark_faults {
 public:
  mark_faults(const nlohmann::ordered_json& specification, std::string baseline)
      : baseline_(std::move(baseline)) {
    visit(specification, nlohmann::ordered_json::object());
  }
  const std::set<std::string>& found() const { return found_; }

 private:
  using json = nlohmann::ordered_json;

  void visit(const json& view, json encoding) {
    if (view.contains("encoding")) encoding.update(view["encoding"]);
    for (const char* inner : {"layer", "concat", "hconcat", "vconcat"})
      if (view.contains(inner))
        for (const json& one : view[inner]) visit(one, encoding);
    if (view.contains("spec")) visit(view["spec"], encoding);
    if (!view.contains("mark")) return;
    static const std::set<std::string> marks = {"point", "square", "bar", "rect"};
    if (marks.contains(view["mark"]["type"].get<std::string>())) check(encoding);
  }

  static bool names_series(const json& encoding, const char* channel) {
    return encoding.contains(channel) && encoding[channel].contains("field") &&
           encoding[channel]["type"] == "nominal" && encoding[channel]["field"] != "hue";
  }

  /// The words of a channel with what each has; one without a list of both is a fault.
  std::map<std::string, std::string> marks_of(const json& channel) {
    std::map<std::string, std::string> out;
    const json scale = channel.value("scale", json::object());
    if (!scale.contains("domain") || !scale.contains("range") ||
        scale["domain"].size() > scale["range"].size()) {
      found_.insert(fmt::format("{} has no marks of its own", channel["field"].get<std::string>()));
      return out;
    }
    for (std::size_t i = 0; i < scale["domain"].size(); ++i)
      out[scale["domain"][i].get<std::string>()] = scale["range"][i].get<std::string>();
    return out;
  }

  void check_shared(const std::map<std::string, std::string>& marks) {
    std::map<std::string, std::string> owners;
    for (const auto& [word, mark] : marks)
      if (const auto [first, is_new] = owners.emplace(mark, word); !is_new)
        found_.insert(fmt::format("{} and {} share {}", first->second, word, mark));
  }

  void check(const json& encoding) {
    const bool has_color = names_series(encoding, "color"), has_shape = names_series(encoding, "shape");
    std::map<std::string, std::string> colors, shapes;
    if (has_color) colors = marks_of(encoding["color"]);
    if (has_shape) shapes = marks_of(encoding["shape"]);
    for (const auto& [word, color] : colors) {
      if (word == baseline_ && color != baseline_color)
        found_.insert(word + " is the baseline and not black");
      if (color == baseline_color && !baseline_.empty() && word != baseline_)
        found_.insert(word + " is black and not the baseline");
    }
    if (!has_color || !has_shape || encoding["color"]["field"] != encoding["shape"]["field"]) {
      check_shared(colors);
      check_shared(shapes);
      return;
    }
    std::map<std::string, std::string> pairs;
    for (const auto& [word, color] : colors) {
      pairs[word] = color + " " + shapes[word];
      if ((color == baseline_color) != (shapes[word] == baseline_shape))
        found_.insert(word + " has one half of the baseline's mark");
    }
    check_shared(pairs);
  }

  std::string baseline_;
  std::set<std::string> found_;
};

}  // namespace ablate::reports
