#include "reports/summary/operation_section.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "reports/ablation/markdown.h"
#include "reports/summary/headline.h"
#include "reports/summary/workload_tables.h"
#include "reports/views/dispatch.h"
#include "reports/views/labels.h"
#include "reports/views/record_tables.h"
#include "reports/views/rivals.h"

namespace ablate::reports {
namespace {

std::string turns_section(const operation_view& view, const line_budget& room) {
  const table turns = turns_table(view);
  if (turns.lines.empty()) return "";
  return fmt::format("### Against rivals, in turns\n\n{}\n\n", about_turns) +
         first_lines(turns, room.turns, "turns.csv");
}

std::string policy_section(const operation_view& view, const line_budget& room) {
  const table policies = policy_table(view);
  if (policies.lines.empty()) return "";
  return "### Dispatch policies\n\nEach policy picks one variant for a workload, by a rule. Over the "
         "workloads where that variant and another were measured: how often its time is within 2 % of the "
         "best, of all variants and of the rule's picks in this record, and the median and the worst of its "
         "time over the best. The cost of the choice itself is not included.\n\n" +
         first_lines(policies, room.policies, "the report's page");
}

}  // namespace

std::string operation_section(const operation_view& view, const operation_plots& plots,
                              const line_budget& room, bool is_first) {
  std::string out = fmt::format("## {}\n\n", view.name);
  if (!view.description.empty()) out += view.description + "\n\n";
  std::vector<std::string> fixed;
  for (const std::string& axis : view.axes)
    if (!view.varies(axis)) fixed.push_back(axis);
  if (!fixed.empty()) out += fmt::format("Everywhere: {}.\n\n", axes_text(view.rows.front().axes, fixed));
  const workload_columns workloads(view);
  if (const named_words& usual = workloads.labels().usual(); !usual.empty())
    out += fmt::format("The usual workload: {}. Others are named by how they differ from it.\n\n",
                       axes_text(usual, view.axes));
  if (view.variants.size() == 1)
    out += fmt::format("Only `{}` was measured, so there are no speed-ups.\n\n", view.variants.front());
  for (std::size_t i = 0; i < plots.advice.size() && i < room.advice; ++i)
    out += "- " + plots.advice[i] + "\n";
  if (!plots.advice.empty()) out += "\n";
  return out + headline(view, room.workloads) + switches_section(plots.ablation, room.switches, is_first) +
         waterfall_section(plots.ablation, room.waterfalls, room.sentences) + turns_section(view, room) +
         policy_section(view, room);
}

}  // namespace ablate::reports
