#include "reports/ablation/markdown.h"

#include <fmt/format.h>

#include "reports/text/text.h"

namespace ablate::reports {
namespace {

std::string markdown(const table& from) {
  std::string out = table_header(from.header, from.left);
  for (const table_line& line : from.lines) out += table_row(line.cells);
  return out + "\n";
}

std::string left_out(std::size_t lines, const char* what) {
  return lines == 0 ? "" : fmt::format("{} further {} stand in ablation.csv.\n\n", lines, what);
}

std::string folded(const std::string& title, const std::string& body) {
  return "<details><summary>" + title + "</summary>\n\n" + body + "</details>\n\n";
}

}  // namespace

std::string ablation_section(const ablation_tables& from, const std::string& images) {
  if (from.worths.lines.empty()) return "";
  std::string out = "### What each switch is worth\n\n" + from.how + "\n\n" + markdown(from.worths) +
                    left_out(from.more_worths, "pairs of values, of smaller effect,");
  if (!from.crossovers.lines.empty())
    out += folded("Where the winner changes along an axis",
                  markdown(from.crossovers) + left_out(from.more_crossovers, "changes of the winner"));
  if (!from.interactions.lines.empty())
    out += folded("Two switches together, against the product of their single effects",
                  markdown(from.interactions) + left_out(from.more_interactions, "squares of variants"));
  if (from.waterfalls.empty() && from.without_waterfall.empty()) return out;
  out += "### From the baseline to the fastest variant\n\n" + images;
  for (const waterfall_table& waterfall : from.waterfalls)
    out += waterfall.heading + "\n\n" + markdown(waterfall.steps);
  for (const std::string& sentence : from.without_waterfall) out += "- " + sentence + "\n";
  return out + (from.without_waterfall.empty() ? "" : "\n");
}

}  // namespace ablate::reports
