#include "reports/plots/paper_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

constexpr double px_per_in = 96;
constexpr std::pair<const char*, double> units[] = {
    {"in", px_per_in}, {"mm", px_per_in / 25.4}, {"cm", px_per_in / 2.54}, {"pt", px_per_in / 72}, {"px", 1}};
constexpr double least_width_px = px_per_in, max_width_px = 40 * px_per_in;
constexpr double least_font_px = 4, max_font_px = 48;

/// `usual` is the unit of a number alone; empty: there is none.
double px_of(const std::string& option, const std::string& text, const std::string& usual,
             const std::string& example) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number > 0))
    throw bad_input(option, "", fmt::format("expected a length such as '{}', found '{}'", example, text));
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  if (unit.empty()) unit = usual;
  std::vector<std::string> known;
  for (const auto& [name, px] : units) {
    if (unit == name) return number * px;
    known.push_back(name);
  }
  throw bad_input(option, "",
                  unit.empty() ? fmt::format("expected a unit after '{}', as in '{}'", text, example)
                               : no_such("unit", unit, known));
}

/// "a b c" of the lines of a title.
std::string title_text(const ordered_json& lines) {
  if (lines.is_string()) return lines.get<std::string>();
  std::string out;
  for (const ordered_json& line : lines) out += (out.empty() ? "" : " ") + line.get<std::string>();
  return out;
}

bool ends_a_sentence(const std::string& text) { return text.ends_with('.') || text.ends_with('?'); }

}  // namespace

double width_px_of(const std::string& option, const std::string& text) {
  const double px = px_of(option, text, "", "3.4in");
  if (px < least_width_px || px > max_width_px)
    throw bad_input(option, "", fmt::format("expected a width from 1in to 40in, found '{}'", text));
  return px;
}

double font_size_px_of(const std::string& option, const std::string& text) {
  const double px = px_of(option, text, "pt", "8pt");
  if (px < least_font_px || px > max_font_px)
    throw bad_input(option, "", fmt::format("expected a size from 3pt to 36pt, found '{}'", text));
  return px;
}

ordered_json for_paper(ordered_json specification, const paper_format& format) {
  ordered_json& paper = specification["usermeta"]["paper"];
  if (format.width_px) paper["width_px"] = *format.width_px;
  if (!format.font.empty()) paper["font"] = format.font;
  if (format.font_size_px) paper["font_size_px"] = *format.font_size_px;
  paper["title"] = format.has_title;
  return specification;
}

std::string caption_of(const ordered_json& specification) {
  const ordered_json& title = specification.at("title");
  std::string out = title_text(title.at("text"));
  if (!ends_a_sentence(out)) out += ".";
  const ordered_json& lines = title.at("subtitle");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = lines[i].get<std::string>();
    // The first lines are one list, broken for its length.
    const bool goes_on = i > 0 && i + 1 < lines.size() && !line.starts_with("usual: ");
    out += (i == 0 ? " " : goes_on ? " · " : "; ") + line;
  }
  return out + ".";
}

}  // namespace ablate::reports
