#include "reports/ablation/markdown.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace ablate::reports {
namespace {

std::string markdown(const table& from) {
  std::string out = table_header(from.header, from.left);
  for (const table_line& line : from.lines) out += table_row(line.cells);
  return out + "\n";
}

}  // namespace

std::string switches_section(const ablation_tables& from, std::size_t most, bool explained) {
  if (from.worths.lines.empty() && from.without_effect == 0) return "";
  std::string out = "### What each switch is worth\n\n";
  if (from.worths.lines.empty())
    return out + fmt::format("None of {} pairs of values has a certain effect; all are in ablation.csv.\n\n",
                             from.without_effect);
  table shown = from.worths;
  const std::size_t hidden = shown.lines.size() > most ? shown.lines.size() - most : 0;
  shown.lines.resize(shown.lines.size() - hidden);
  out += (explained ? from.how + "\n\n" : "") + markdown(shown);
  if (const std::size_t more = hidden + from.more_worths; more + from.without_effect > 0)
    out += fmt::format(
        "Further pairs of values: {} of smaller effect, {} without a certain one; all are in "
        "ablation.csv.\n\n",
        more, from.without_effect);
  return out;
}

std::string waterfall_section(const ablation_tables& from, std::size_t paths, std::size_t sentences) {
  if (paths == 0 || (from.waterfalls.empty() && from.without_waterfall.empty())) return "";
  std::string out = "### From the baseline to the fastest variant\n\n";
  for (std::size_t i = 0; i < from.waterfalls.size() && i < paths; ++i)
    out += from.waterfalls[i].heading + "\n\n" + markdown(from.waterfalls[i].steps);
  for (std::size_t i = 0; i < from.without_waterfall.size() && i < sentences; ++i)
    out += "- " + from.without_waterfall[i] + "\n";
  return out + (from.without_waterfall.empty() || sentences == 0 ? "" : "\n");
}

}  // namespace ablate::reports
