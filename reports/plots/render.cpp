#include "reports/plots/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/process/child_process.h"
#include "base/process/data_directory.h"
#include "base/process/find_program.h"
#include "base/text/bad_input.h"

namespace ablate::reports {

std::filesystem::path renderer_directory() {
  if (const char* given = std::getenv("ABLATE_REPORTS_DIR"); given && *given) return given;
  return process::data_directory() / "reports";
}

std::optional<std::string> render_svg(const std::vector<std::filesystem::path>& specifications,
                                      const std::filesystem::path& out) {
  if (specifications.empty()) return std::nullopt;
  const std::filesystem::path renderer = renderer_directory() / "render.mjs";
  const auto node = process::find_program("node");
  if (!std::filesystem::exists(renderer))
    return "No plot was drawn: render.mjs was not found; set ABLATE_REPORTS_DIR to the source tree's "
           "reports/ folder.";
  if (!node) return "No plot was drawn: node is not installed (18 or later: `apt-get install nodejs npm`).";
  if (!std::filesystem::exists(renderer.parent_path() / "node_modules" / "vega-lite"))
    return "No plot was drawn: Vega-Lite is not installed (`npm ci --prefix reports` in the source tree).";

  std::vector<std::string> command = {node->string(), renderer.string(), out.string()};
  for (const auto& specification : specifications) command.push_back(specification.string());
  const process::result result = process::run(command);
  if (result.exit_code == 0) return std::nullopt;
  std::string output = result.output;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  std::replace(output.begin(), output.end(), '\n', ' ');
  constexpr int does_not_fit = 2;
  if (result.exit_code == does_not_fit) throw bad_input("--width", "", output.substr(0, 400));
  return fmt::format("Some plots were not drawn: {}", output.substr(0, 400));
}

std::optional<std::filesystem::path> find_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (auto found = process::find_program(name)) return found;
  return std::nullopt;
}

}  // namespace ablate::reports
