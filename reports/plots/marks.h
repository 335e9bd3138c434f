#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ablate::reports {

/// Okabe and Ito's palette for color-blind readers, without its yellow, which is invisible on white paper,
/// plus four of Paul Tol's colors and a brown. Black is the baseline's, in every plot.
inline constexpr const char* baseline_color = "#000000";
inline constexpr const char* baseline_shape = "circle";
inline constexpr const char* other_colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                               "#E69F00", "#56B4E9", "#882255", "#999933",
                                               "#332288", "#777777", "#8C510A"};
/// What has no mark of its own: "other variants", "other kernels".
inline constexpr const char* gray = "#B5B5B5";

/// The series that an operation, a suite or a report has.
struct series_names {
  std::vector<std::string> all;  ///< their order decides on marks, so that one keeps its mark in every plot
  std::string baseline = {};     ///< of `all`; empty where there is none
};

/// A mark, a color with a shape, for each drawn series. No two share one, and the baseline's color and shape
/// are no other's.
class series_marks {
 public:
  /// `drawn` in the order of the legend. Names in `all` get their marks first, then the others.
  series_marks(const series_names&, std::vector<std::string> drawn);

  /// A channel for `field`, with a legend titled `title`. Both of one plot have one legend.
  nlohmann::ordered_json colors(const std::string& field, const std::string& title) const;
  nlohmann::ordered_json shapes(const std::string& field, const std::string& title) const;
  /// The same for the field `variant`.
  nlohmann::ordered_json variant_colors() const { return colors("variant", "variant"); }
  nlohmann::ordered_json variant_shapes() const { return shapes("variant", "variant"); }

  /// Adds one for all others, in gray.
  void add_others(const std::string& name);

  const std::vector<std::string>& drawn() const { return drawn_; }
  std::size_t count() const { return drawn_.size(); }
  /// Whether colors alone tell the series apart.
  bool has_a_color_each() const;

 private:
  struct mark {
    const char *color, *shape;
  };
  nlohmann::ordered_json channel(const std::string& field, const std::string& title,
                                 const char* mark::*part) const;

  std::vector<std::string> drawn_;
  std::vector<mark> marks_;
};

/// The values of a field in the order in which rows have them first.
std::vector<std::string> values_of(const nlohmann::ordered_json& rows, const std::string& field);

/// Of bars and areas, which have no shape: rows get a field `group`, the `field` for those that weigh most
/// and `others` for the rest, as far as there are colors. Returns the channel.
nlohmann::ordered_json fill_channel(nlohmann::ordered_json& rows, const std::string& field,
                                    const std::string& others,
                                    double (*weight)(const nlohmann::ordered_json& row),
                                    std::vector<const char*> palette);

}  // namespace ablate::reports
