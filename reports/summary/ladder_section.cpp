#include "reports/summary/ladder_section.h"

#include <fmt/format.h>

#include "reports/ladder/ladder_text.h"
#include "reports/summary/workload_tables.h"

namespace ablate::reports {

std::string ladder_section(const record_report& from, const std::string& picture, const line_budget& room) {
  if (!from.ladder) return "";
  const std::string& title = from.ladder->asked.title;
  std::string out = fmt::format("## {}\n\n", title);
  for (const std::string& sentence : ladder_sentences(*from.ladder)) out += sentence + "\n\n";
  if (!picture.empty()) out += fmt::format("![{}]({})\n\n", title, picture);
  return out + first_lines(ladder_table(*from.ladder), room.ladder, "ladder.csv") +
         about_ladder(*from.ladder) + "\n\n";
}

}  // namespace ablate::reports
