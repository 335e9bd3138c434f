#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ablate::reports {

/// How a figure is drawn for a paper; nothing given: as in a report.
struct paper_format {
  std::optional<double> width_px;      ///< CSS pixels, 96 an inch
  std::string font;                    ///< a family; empty: the screen's
  std::optional<double> font_size_px;  ///< of labels, to which all other text is in proportion
  bool has_title = true;

  bool asks_for_anything() const { return width_px || !font.empty() || font_size_px || !has_title; }
};

/// A width such as "3.4in", in CSS pixels; units are in, mm, cm, pt (72 an inch) and px. Throws bad_input
/// naming the option, for another unit with the nearest, and for a width that no paper has.
double width_px_of(const std::string& option, const std::string& text);
/// A size of text such as "8pt", in CSS pixels; a number alone is in points.
double font_size_px_of(const std::string& option, const std::string& text);

/// The specification with the format beside it, as reports/render.mjs reads it.
nlohmann::ordered_json for_paper(nlohmann::ordered_json specification, const paper_format&);

/// What a figure says above its data and a caption has to say where it does not: title, device, cache state,
/// the axes with one value, and what is drawn.
std::string caption_of(const nlohmann::ordered_json& specification);

}  // namespace ablate::reports
