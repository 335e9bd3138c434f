#include "reports/summary/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "reports/summary/answer_section.h"
#include "reports/summary/exhibit_sections.h"
#include "reports/summary/ladder_section.h"
#include "reports/summary/operation_section.h"
#include "reports/summary/workload_tables.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {
namespace {

std::string facts_section(const record& r) {
  std::string out = "## The run\n\n| | |\n| --- | --- |\n";
  for (const auto& [name, value] : record_facts(r)) out += table_row({name, value});
  return out + "\n";
}

std::string ceilings_section(const record& r, const line_budget& room) {
  table ceilings = ceiling_table(r);
  std::string out = "## Measured ceilings\n\n";
  if (ceilings.lines.empty()) return out + "None was measured in this run, so no case has floors.\n\n";
  std::erase_if(ceilings.lines, [](const table_line& line) { return line.cells.back() != "yes"; });
  return out +
         "The best that this device reached in this run; floors divide each case's least work by them. "
         "Slower results are in ceilings.csv.\n\n" +
         first_lines(ceilings, room.ceilings, "ceilings.csv");
}

std::string unmeasured_section(const record& r, const line_budget& room) {
  if (r.unmeasured.empty()) return "## Cases not measured\n\nNone: every case of the suite was measured.\n\n";
  struct group {
    std::string operation, status, reason, example;
    std::vector<std::string> variants;
    std::size_t count;
  };
  std::vector<group> groups;
  for (const unmeasured_case& c : r.unmeasured) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const group& g) {
      return g.operation == c.operation && g.status == c.status && g.reason == c.reason;
    });
    if (found == groups.end())
      found = groups.insert(groups.end(), {c.operation, c.status, c.reason, c.name, {}, 0});
    ++found->count;
    if (std::find(found->variants.begin(), found->variants.end(), c.variant) == found->variants.end())
      found->variants.push_back(c.variant);
  }
  table lines{{"operation", "status", "reason", "variants", "first case", "cases"}, 5, {}};
  for (const group& g : groups)
    lines.lines.push_back({{g.operation, g.status, g.reason, joined(g.variants), "`" + g.example + "`",
                            std::to_string(g.count)},
                           {}});
  return "## Cases not measured\n\n" + first_lines(lines, room.reasons, "unmeasured.csv");
}

std::string noise_section(const record_report& from) {
  if (from.noise.cases.empty()) return "";
  std::string out = "## Noise\n\n";
  for (const std::string& sentence : from.noise.coverage) out += "- " + sentence + "\n";
  return out + "\n" + markdown(noise_table(from.noise)) + "\n";
}

}  // namespace

std::string record_summary(const record_report& from, const summary_pictures& pictures) {
  const record& r = *from.of;
  const line_budget room = budget_for(from.views.size());
  std::string out = fmt::format("# {} on {}\n\n", r.suite_name, from.label);
  if (!r.suite_description.empty()) out += r.suite_description + "\n\n";
  out += answer_section(from, pictures.answer, room);
  out += ladder_section(from, pictures.ladder, room);
  out += exhibit_sections(from, pictures.exhibits, room);
  for (std::size_t i = 0; i < from.views.size(); ++i)
    out += operation_section(from.views[i], from.plots[i], room, i == 0);
  out += facts_section(r);
  if (r.cases.empty())
    out += "No case was measured.\n\n";
  else
    out +=
        "## Cache states and timing\n\n" + markdown(cache_state_table(r)) + "\n" + ceilings_section(r, room);
  out += noise_section(from) + unmeasured_section(r, room) + "## How every number was measured\n\n";
  for (const std::string& line : how_measured(r)) out += "- " + line + "\n";
  return out + "\n";
}

}  // namespace ablate::reports
