#include "harness/gate/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/context_json.h"
#include "base/text/or_null.h"
#include "base/text/short_ids.h"
#include "base/text/text.h"
#include "harness/gate/case_findings.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::finite_or_null;
using reports::or_null;
using reports::ratio_or_null;
using reports::text_or_null;
using row = std::vector<std::string>;

row row_of(const case_decision& d, const finding& f) {
  return {f.verdict,
          change_text(d),
          interval_text(d.ratio),
          fmt::format("{:.3g} %", d.limit.delta_pct),
          std::to_string(d.pairs),
          us_text(d.baseline_us),
          us_text(d.candidate_us)};
}

reports::ink ink_of(weight w) {
  switch (w) {
    case weight::failed:
      return reports::ink::bad;
    case weight::inconclusive:
      return reports::ink::doubtful;
    case weight::noted:
      return reports::ink::strong;
    case weight::passed:
      break;
  }
  return reports::ink::plain;
}

/// Findings of one verdict, other than times. What fails is always shown, the rest as far as a few go.
struct finding_group {
  std::vector<const finding*> shown;
  std::size_t others = 0;
};

std::vector<finding_group> other_findings(const gate_report& r, bool all) {
  constexpr std::size_t max_of_a_kind = 5;
  std::vector<finding_group> out;
  for (const finding& f : r.findings) {
    if (f.quantity == "time" || f.weighs == weight::passed) continue;
    auto group = std::find_if(out.begin(), out.end(), [&](const finding_group& g) {
      return g.shown.front()->verdict == f.verdict && g.shown.front()->weighs == f.weighs;
    });
    if (group == out.end()) group = out.insert(out.end(), finding_group{});
    if (all || f.weighs == weight::failed || group->shown.size() < max_of_a_kind)
      group->shown.push_back(&f);
    else
      ++group->others;
  }
  return out;
}

ordered_json case_json(const case_decision& d, const finding& f, const gate_outcome& o) {
  ordered_json out{
      {"name", d.name},
      {"control", d.is_control},
      {"verdict", f.verdict},
      {"reason", text_or_null(d.reason)},
      {"baseline_us", d.baseline_us},
      {"candidate_us", d.candidate_us},
      {"ratio", d.pairs == 0 ? ordered_json() : ordered_json(std::exp(d.ratio.estimate))},
      {"ratio_low", ratio_or_null(d.ratio.low)},
      {"ratio_high", ratio_or_null(d.ratio.high)},
      {"delta_pct", d.limit.delta_pct},
      {"calibrated", d.limit.calibrated},
      {"pairs", d.pairs},
      {"p", or_null(d.p)},
      {"flagged", d.screened && d.screened->flagged},
      {"screened_ratio", d.screened ? ratio_or_null(d.screened->ratio.estimate) : ordered_json()},
      {"single_launch_p", ordered_json::array()},
      {"command", text_or_null(f.command)}};
  if (const auto found = o.single_launch_p.find(d.name); found != o.single_launch_p.end())
    out["single_launch_p"] = found->second;
  return out;
}

ordered_json side_json(const std::optional<record>& r, const std::filesystem::path& path) {
  if (!r) return {{"path", path.string()}};
  return {{"path", path.string()},
          {"date", r->date},
          {"build", to_json(r->build)},
          {"device", r->device},
          {"seed", r->seed}};
}

}  // namespace

std::string gate_text(const gate_outcome& o, const gate_request& request, const gate_command& command,
                      bool all, const reports::terminal& on) {
  const gate_report r = report_of(o, request, command);
  std::string out;
  for (const auto& [name, value] : r.facts) out += reports::wrapped(name + ": " + value, on, "  ");
  std::vector<case_decision> cases = by_effect(o.decision);
  if (!all) std::erase_if(cases, [](const case_decision& d) { return d.word == verdict::same; });
  const std::vector<finding_group> others = other_findings(r, all);
  std::vector<std::string> shown;
  for (const case_decision& d : cases) shown.push_back(d.name);
  for (const finding_group& group : others)
    for (const finding* f : group.shown)
      if (f->subject.find('/') != std::string::npos) shown.push_back(f->subject);
  const reports::short_ids ids = reports::shortened(shown);

  std::vector<std::vector<reports::terminal_cell>> rows(1);
  for (const char* heading : {"VERDICT", "CHANGE", "INTERVAL", "DELTA", "R", "BASELINE", "CANDIDATE", "CASE"})
    rows.front().push_back({heading, reports::ink::faint});
  for (const case_decision& d : cases) {
    const finding f = finding_of(d, request, command, o.decision.invalid_run.has_value());
    rows.emplace_back();
    for (const std::string& text : row_of(d, f)) rows.back().push_back({text});
    rows.back().front().ink = ink_of(f.weighs);
    const std::string remark = remark_of(d);
    rows.back().push_back({ids.of(d.name) + (remark.empty() ? "" : " (" + remark + ")")});
  }
  if (rows.size() > 1) out += "\n" + reports::laid_out(rows, {.wrap = {7}}, on);
  if (!others.empty()) out += "\n";
  for (const finding_group& group : others) {
    for (const finding* f : group.shown)
      out += reports::wrapped(f->verdict + ": " + ids.in(f->message, f->subject), on, "  ");
    if (group.others > 0)
      out += fmt::format("{}: {} more; --all lists them\n", group.shown.front()->verdict, group.others);
  }
  if (const std::string common = ids.shared_text(); !common.empty()) out += "\n" + common;
  return out + conclusion_text(r);
}

std::string gate_markdown(const gate_outcome& o, const gate_request& request, const gate_command& command) {
  std::string out = report_markdown(report_of(o, request, command));
  if (o.decision.cases.empty()) return out;
  out += "\n<details><summary>All cases, by effect</summary>\n\n" +
         reports::table_header(
             {"case", "verdict", "change", "interval", "delta", "R", "baseline", "candidate"}, 2);
  for (const case_decision& d : by_effect(o.decision)) {
    row cells = row_of(d, finding_of(d, request, command, o.decision.invalid_run.has_value()));
    const std::string remark = remark_of(d);
    cells.insert(cells.begin(), "`" + d.name + "`" + (remark.empty() ? "" : " (" + remark + ")"));
    out += reports::table_row(cells);
  }
  return out + "\n</details>\n";
}

ordered_json gate_json(const gate_outcome& o, const gate_request& request, const gate_command& command) {
  const gate_report r = report_of(o, request, command);
  ordered_json out{
      {"gate_schema", "1.2.0"},
      {"verdict", r.verdict},
      {"reason", r.reason},
      {"exit_code", r.exit_code},
      {"command", command.text},
      {"policy", text_or_null(request.policy.name)},
      {"suite", request.suite.string()},
      {"baseline", side_json(o.baseline, request.baseline)},
      {"candidate", side_json(o.candidate, request.candidate)},
      {"outputs_compared", o.is_checked},
      {"injected_delay_pct",
       request.inject_delay.empty() ? ordered_json() : ordered_json(std::stod(request.inject_delay))},
      {"injected_into", text_or_null(request.inject_into)},
      {"invalid_run", or_null(o.decision.invalid_run)},
      {"cost", {{"pairs", o.pairs_launched}, {"broken", o.broken}, {"seconds", o.seconds}}},
      {"flagged", o.decision.flagged},
      {"cases", ordered_json::array()},
      {"counters",
       {{"compared", o.counters.compared},
        {"varying", count_varying(o)},
        {"why_none", text_or_null(o.counters.why_none)},
        {"changes", ordered_json::array()},
        {"left_out", ordered_json::array()}}},
      {"wrong", o.wrong},
      {"failed", o.failed},
      {"unmatched", ordered_json::array()},
      {"notes", o.notes}};
  for (const case_decision& d : by_effect(o.decision))
    out["cases"].push_back(
        case_json(d, finding_of(d, request, command, o.decision.invalid_run.has_value()), o));
  for (const counter_change& c : o.counters.changes)
    out["counters"]["changes"].push_back({{"name", c.name},
                                          {"counter", c.counter},
                                          {"verdict", finding_of(c, request, command).verdict},
                                          {"baseline", c.baseline},
                                          {"candidate", c.candidate},
                                          {"change_pct", finite_or_null(c.change_pct)},
                                          {"tolerance_pct", c.tolerance_pct}});
  for (const uncompared_counter& c : o.counters.left_out)
    out["counters"]["left_out"].push_back(
        {{"name", c.name}, {"counter", c.counter}, {"verdict", name_of(c.kind)}, {"reason", c.reason}});
  for (const unmatched_case& c : o.unmatched)
    out["unmatched"].push_back({{"name", c.name}, {"verdict", name_of(c.kind)}, {"reason", c.reason}});
  return out;
}

}  // namespace ablate::gate
