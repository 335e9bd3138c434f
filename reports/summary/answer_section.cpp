#include "reports/summary/answer_section.h"

#include <fmt/format.h>

#include "reports/question/answer_text.h"
#include "reports/summary/workload_tables.h"

namespace ablate::reports {
namespace {

/// The tables of all parts as one, each line with its part's name where there are several.
table whole_table(const question_answer& answer) {
  table out;
  for (const answered_part& part : answer.parts) {
    table here = answer_table(answer, part);
    out.header = here.header;
    out.left = here.left;
    for (table_line& line : here.lines) {
      if (answer.parts.size() > 1)
        line.cells.front() = fmt::format("`{}`: {}", part.view.name, line.cells.front());
      out.lines.push_back(std::move(line));
    }
  }
  return out;
}

}  // namespace

std::string answer_section(const record_report& from, const std::string& picture, const line_budget& room) {
  if (!from.answer) return "";
  const question_answer& answer = *from.answer;
  std::string out = fmt::format("## {}\n\n", answer.asked.text);
  for (const std::string& sentence : answer_sentences(answer)) out += sentence + "\n\n";
  if (!picture.empty()) out += fmt::format("![{}]({})\n\n", answer.asked.text, picture);
  if (!answer.parts.empty())
    out += first_lines(whole_table(answer), room.answers, "answer.csv") + about_answer(answer) + "\n\n";
  return out;
}

}  // namespace ablate::reports
