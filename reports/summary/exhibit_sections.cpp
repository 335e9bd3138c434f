#include "reports/summary/exhibit_sections.h"

#include <fmt/format.h>

#include "reports/summary/workload_tables.h"

namespace ablate::reports {

std::string exhibit_sections(const record_report& from, const std::vector<std::string>& pictures,
                             const line_budget& room) {
  std::string out;
  for (std::size_t i = 0; i < from.exhibits.size(); ++i) {
    const shown_exhibit& exhibit = from.exhibits[i];
    out += fmt::format("## {}\n\n", exhibit.title);
    for (const std::string& sentence : exhibit.sentences) out += sentence + "\n\n";
    if (i < pictures.size() && !pictures[i].empty())
      out += fmt::format("![{}]({})\n\n", exhibit.title, pictures[i]);
    out += first_lines(exhibit.lines, room.exhibits, exhibit.name + ".csv") + exhibit.about + "\n\n";
  }
  return out;
}

}  // namespace ablate::reports
