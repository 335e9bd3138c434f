#include "harness/cli/plot_files.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text/json_text.h"
#include "base/text/text_file.h"
#include "reports/plots/render.h"

namespace ablate {

void write_plot_files(const std::vector<reports::plot>& plots, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<std::filesystem::path> specifications;
  for (const reports::plot& p : plots) {
    specifications.push_back(folder / (p.name + ".vl.json"));
    reports::write_text_file(specifications.back(), reports::json_text(p.specification, 1) + "\n");
  }
  if (const auto why_not = reports::render_svg(specifications, folder))
    fmt::print(stderr, "ablate: {}\n", *why_not);
}

}  // namespace ablate
