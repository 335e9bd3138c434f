#include "reports/plots/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/text_file.h"
#include "reports/plots/render.h"

namespace ablate::reports {
namespace {

using paths = std::vector<std::filesystem::path>;

/// `*` matches any characters.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
    if (matches(pattern, name.substr(skipped))) return true;
  return false;
}

std::string words_of(std::string output) {
  while (!output.empty() && output.back() == '\n') output.pop_back();
  std::replace(output.begin(), output.end(), '\n', ' ');
  return output.substr(0, 400);
}

/// An SVG has 96 dots per inch.
constexpr const char* print_zoom = "3.125";

std::optional<std::string> converted_by_rsvg(const std::filesystem::path& program, const paths& drawings) {
  for (const auto& svg : drawings)
    for (const char* format : {"pdf", "png"}) {
      std::filesystem::path to = svg;
      to.replace_extension(format);
      std::vector<std::string> command = {program.string(), "--format", format, "--output", to.string()};
      if (format == std::string_view("png")) command.insert(command.end(), {"--zoom", print_zoom});
      command.push_back(svg.string());
      if (const process::result result = process::run(command); result.exit_code != 0)
        return fmt::format("{} was not made: rsvg-convert says {}", to.string(), words_of(result.output));
    }
  return std::nullopt;
}

std::optional<std::string> converted_by_browser(const std::filesystem::path& browser, const paths& drawings) {
  std::vector<std::string> command = {"node", (renderer_directory() / "convert.mjs").string(),
                                      browser.string(), print_zoom};
  for (const auto& svg : drawings) command.push_back(svg.string());
  const process::result result = process::run(command);
  if (result.exit_code == 0) return std::nullopt;
  return fmt::format("PDF and PNG were not made: {}", words_of(result.output));
}

std::optional<std::string> converted(const paths& drawings) {
  if (const auto program = process::find_program("rsvg-convert"))
    return converted_by_rsvg(*program, drawings);
  const bool has_driver = std::filesystem::exists(renderer_directory() / "node_modules" / "playwright-core");
  if (const auto browser = find_browser(); browser && has_driver)
    return converted_by_browser(*browser, drawings);
  return "No PDF or PNG: neither rsvg-convert (`apt-get install librsvg2-bin`) nor Chromium with the "
         "packages of reports/package.json is installed.";
}

/// The font that programs here take for one that is not installed; nothing if it is, or nobody can say.
std::optional<std::string> substitute_for(const std::string& font) {
  const auto program = process::find_program("fc-match");
  if (!program || font.empty()) return std::nullopt;
  const process::result result = process::run({program->string(), "--format", "%{family[0]}", font});
  if (result.exit_code != 0 || result.output.empty() || result.output == font) return std::nullopt;
  return result.output;
}

}  // namespace

std::optional<std::string> unknown_figure(const std::vector<const plot*>& all,
                                          const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name != "all" &&
        std::none_of(all.begin(), all.end(), [&](const plot* p) { return matches(name, p->name); }))
      return name;
  return std::nullopt;
}

std::vector<const plot*> plots_named(const std::vector<const plot*>& all,
                                     const std::vector<std::string>& names) {
  if (const auto unknown = unknown_figure(all, names)) {
    std::vector<std::string> known;
    for (const plot* p : all) known.push_back(p->name);
    throw bad_input("--figures", "",
                    fmt::format("no figure '{}'{}; `--figures list` names all {}", *unknown,
                                did_you_mean(*unknown, known), known.size()));
  }
  std::vector<const plot*> out;
  for (const plot* p : all)
    if (std::any_of(names.begin(), names.end(),
                    [&](const auto& name) { return name == "all" || matches(name, p->name); }))
      out.push_back(p);
  return out;
}

void check_variants(const std::vector<const plot*>& plots, const std::vector<std::string>& chosen) {
  std::set<std::string> shown;
  for (const plot* p : plots) {
    std::set<std::string> here;
    if (p->specification.contains("data"))
      for (const auto& row : p->specification["data"]["values"])
        if (row.contains("variant")) here.insert(row["variant"].get<std::string>());
    if (here.empty() || std::any_of(here.begin(), here.end(),
                                    [&](const std::string& variant) { return !is_one_of(chosen, variant); }))
      throw bad_input("--variants", "", fmt::format("figure '{}' has no choice of variants", p->name));
    shown.merge(here);
  }
  for (const std::string& variant : chosen)
    if (std::none_of(shown.begin(), shown.end(),
                     [&](const std::string& name) { return is_one_of({variant}, name); }))
      throw bad_input("--variants", "", fmt::format("none of these figures shows variant '{}'", variant));
}

std::optional<std::string> draw_figures(const std::vector<const plot*>& plots, const paper_format& format,
                                        const std::filesystem::path& out) {
  std::filesystem::create_directories(out);
  paths specifications, drawings;
  for (const plot* p : plots) {
    specifications.push_back(out / (p->name + ".vl.json"));
    drawings.push_back(out / (p->name + ".svg"));
    write_text_file(
        specifications.back(),
        json_text(format.asks_for_anything() ? for_paper(p->specification, format) : p->specification, 1) +
            "\n");
  }
  if (const auto not_drawn = render_svg(specifications, out)) throw std::runtime_error(*not_drawn);
  if (const auto missing = converted(drawings)) return missing;
  if (const auto other = substitute_for(format.font))
    return fmt::format(
        "PDF and PNG have the font {} in place of {}, which is not installed here; the SVG asks "
        "for it where it is shown.",
        *other, format.font);
  return std::nullopt;
}

}  // namespace ablate::reports
