#include "harness/gate/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/gate/exit_code.h"
#include "reports/text/or_null.h"
#include "reports/text/shell.h"
#include "reports/text/text.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::finite_or_null;
using reports::or_null;
using reports::ratio_or_null;
using reports::significant;
using reports::text_or_null;
using row = std::vector<std::string>;

std::string pct_text(double log_ratio) {
  return std::isfinite(log_ratio) ? fmt::format("{:+.2f} %", percent_of_log(log_ratio)) : "?";
}

std::string change_text(const case_decision& d) { return d.pairs == 0 ? "?" : pct_text(d.ratio.estimate); }

std::string interval_text(const shift& s) { return pct_text(s.low) + " to " + pct_text(s.high); }

std::string us_text(double us) { return us > 0 ? significant(us) + " us" : ""; }

/// The command for one case alone, which leaves this gate's launches where they are. Ids hold no other
/// character that a regular expression knows.
std::string command_for(const std::string& name, const gate_request& request, const gate_command& command) {
  std::string pattern;
  for (const char c : name) {
    if (c == '.' || c == '+') pattern += '\\';
    pattern += c;
  }
  return fmt::format("{} --filter '^{}$' --out {}", command.text, pattern,
                     reports::shell_word((request.out / "again").string()));
}

std::string message_of(const case_decision& d, const gate_policy& policy) {
  if (d.pairs == 0) return fmt::format("{}: {}", d.name, d.reason);
  std::string out = fmt::format("{}: {} ({} at {:g} % confidence), delta {:.3g} %, {} pairs", d.name,
                                change_text(d), interval_text(d.ratio),
                                100 * policy.confirm.interval_confidence, d.limit.delta_pct, d.pairs);
  if (d.p) out += fmt::format(", p {:.2g}", *d.p);
  if (!d.reason.empty()) out += "; " + d.reason;
  return out;
}

/// What is inconclusive or missing fails under --strict alone.
weight weight_of_doubt(const gate_command& command) {
  return command.strict ? weight::failed : weight::inconclusive;
}

/// In a run that is suspected as a whole no case fails by its time.
finding finding_of(const case_decision& d, const gate_request& request, const gate_command& command,
                   bool run_is_invalid) {
  finding f;
  f.subject = d.name;
  f.place = d.is_control ? "control" : "";
  f.quantity = "time";
  f.baseline = us_text(d.baseline_us);
  f.candidate = us_text(d.candidate_us);
  f.verdict = name_of(d.word);
  f.message = message_of(d, request.policy);
  f.weighs = weight::noted;
  if (d.limit.too_noisy) {
    f.verdict = "TOO_NOISY";
  } else if (d.is_control) {
    if (d.word == verdict::same) f.weighs = weight::passed;
  } else if (d.word == verdict::slower) {
    const auto* accepted = acceptance(request, d.name, "time", percent_of_log(d.ratio.estimate));
    if (accepted) {
      f.verdict = "ACCEPTED";
      f.message += ", accepted: " + accepted->reason;
    } else {
      f.weighs = run_is_invalid ? weight::inconclusive : weight::failed;
    }
  } else if (d.word == verdict::invalid) {
    f.weighs = weight::failed;
  } else if (d.word == verdict::inconclusive) {
    f.weighs = weight_of_doubt(command);
  } else if (d.word == verdict::same) {
    f.weighs = weight::passed;
  }
  if (f.weighs == weight::failed || f.weighs == weight::inconclusive)
    f.command = command_for(d.name, request, command);
  return f;
}

finding finding_of(const counter_change& c, const gate_request& request, const gate_command& command) {
  finding f;
  f.subject = c.name;
  f.quantity = c.counter;
  f.baseline = fmt::format("{:.0f}", c.baseline);
  f.candidate = fmt::format("{:.0f}", c.candidate);
  f.verdict = c.is_worse ? "WORSE" : "BETTER";
  f.message = fmt::format("{}: {} went from {} to {} ({:+.2f} %, {:.2g} % are within tolerance)", c.name,
                          c.counter, f.baseline, f.candidate, c.change_pct, c.tolerance_pct);
  if (!c.is_worse) return f;
  if (const auto* accepted = acceptance(request, c.name, c.counter, c.change_pct)) {
    f.verdict = "ACCEPTED";
    f.message += ", accepted: " + accepted->reason;
    return f;
  }
  f.weighs = weight::failed;
  f.command = command_for(c.name, request, command);
  return f;
}

finding plain(const std::string& subject, const std::string& verdict, weight w, const std::string& why,
              const std::string& command = "") {
  finding f;
  f.subject = subject;
  f.verdict = verdict;
  f.weighs = w;
  f.message = subject + ": " + why;
  f.command = command;
  return f;
}

/// The largest slow-down first.
std::vector<case_decision> by_effect(const gate_decision& decision) {
  std::vector<case_decision> out = decision.cases;
  std::stable_sort(out.begin(), out.end(), [](const case_decision& a, const case_decision& b) {
    return a.ratio.estimate > b.ratio.estimate;
  });
  return out;
}

std::string side_text(const std::optional<record>& r) {
  if (!r) return "unknown";
  const std::string commit = r->build.value("commit", std::string());
  return fmt::format("{}sources {:.12}, {}", commit.empty() ? "" : fmt::format("commit {:.12}, ", commit),
                     r->build.value("source_hash", std::string("unknown")), r->device_name);
}

std::vector<finding> findings_of_missing(const gate_outcome& o, const gate_request& request,
                                         const gate_command& command) {
  std::vector<finding> out;
  const weight missing = weight_of_doubt(command);
  for (const unmatched_case& c : o.unmatched)
    if (!o.failed.contains(c.name) && !o.wrong.contains(c.name))
      out.push_back(plain(c.name, std::string(name_of(c.kind)), c.is_missing() ? missing : weight::noted,
                          c.reason, c.is_missing() ? command.text : ""));
  if (o.baseline && !o.is_checked)
    out.push_back(plain("the outputs", "UNCHECKED", missing,
                        "the launches did not compare them, and no check is among the records"));
  if (judged_cases(o.decision) > 0)
    if (const auto why = why_counters_are_missing(o, request))
      out.push_back(plain("the counters", "UNMEASURED", missing, *why + "; --no-counters does without"));
  for (const uncompared_counter& c : o.counters.left_out)
    if (c.kind != uncompared_counter::why::varying) {
      finding f = plain(c.name, std::string(name_of(c.kind)), c.is_missing() ? missing : weight::noted,
                        c.counter + ": " + c.reason);
      f.quantity = c.counter;
      out.push_back(std::move(f));
    }
  return out;
}

/// Accepted changes that have ended, or that no finding needed. Of a part of the cases they tell nothing.
std::vector<finding> findings_of_unused(const gate_outcome& o, const gate_request& request) {
  std::vector<finding> out;
  if (!request.filter.empty() || judged_cases(o.decision) == 0) return out;
  std::set<const accepted_change*> used;
  for (const case_decision& d : o.decision.cases)
    if (d.word == verdict::slower)
      used.insert(acceptance(request, d.name, "time", percent_of_log(d.ratio.estimate)));
  for (const counter_change& c : o.counters.changes)
    if (c.is_worse) used.insert(acceptance(request, c.name, c.counter, c.change_pct));
  for (const accepted_change& a : request.accepted)
    if (!used.contains(&a)) {
      const char* why = a.has_ended(day_of_now()) ? "has ended" : "is of no change here";
      out.push_back(plain(a.where, "UNUSED", weight::noted, std::string("the accepted change ") + why));
    }
  return out;
}

std::size_t count(const gate_decision& d, verdict word) {
  return static_cast<std::size_t>(std::count_if(d.cases.begin(), d.cases.end(), [&](const case_decision& c) {
    return c.can_fail() && c.word == word;
  }));
}

std::size_t count_too_noisy(const gate_decision& d) {
  return static_cast<std::size_t>(std::count_if(d.cases.begin(), d.cases.end(), [](const case_decision& c) {
    return !c.is_control && c.limit.too_noisy;
  }));
}

std::string counts_text(const gate_outcome& o) {
  std::string out;
  for (const verdict word :
       {verdict::slower, verdict::faster, verdict::same, verdict::inconclusive, verdict::invalid})
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count(o.decision, word), name_of(word));
  if (const std::size_t noisy = count_too_noisy(o.decision)) out += fmt::format(", {} TOO_NOISY", noisy);
  return out;
}

std::size_t count_varying(const gate_outcome& o) {
  using why = uncompared_counter::why;
  const auto& all = o.counters.left_out;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const uncompared_counter& c) {
    return c.kind == why::varying || c.kind == why::unsteady;
  }));
}

std::string counters_text(const gate_outcome& o) {
  if (!o.counters.why_none.empty()) return "not compared: " + o.counters.why_none;
  return fmt::format("{} compared, {} left out because they vary", o.counters.compared, count_varying(o));
}

std::string cases_text(const gate_decision& d) {
  const auto controls =
      std::count_if(d.cases.begin(), d.cases.end(), [](const auto& c) { return c.is_control; });
  return fmt::format("{} and {} controls, {} flagged by the screening",
                     d.cases.size() - static_cast<std::size_t>(controls), controls, d.flagged);
}

std::string cost_text(const gate_outcome& o) {
  std::string out = fmt::format("{} pairs of launches, {:.0f} s", o.pairs_launched, o.seconds);
  if (o.broken > 0) out += fmt::format("; {} times the environment broke the pair of a case", o.broken);
  return out;
}

std::string inconclusive_text(const gate_outcome& o, const gate_request& request) {
  if (o.why_nothing) return *o.why_nothing;
  if (judged_cases(o.decision) == 0) return "no case could be judged: " + counts_text(o);
  return fmt::format("{} cases INCONCLUSIVE, {} comparisons missing",
                     count(o.decision, verdict::inconclusive), missing_comparisons(o, request));
}

std::pair<std::string, std::string> verdict_of(const gate_outcome& o, const gate_report& r,
                                               const gate_request& request) {
  if (o.refusal) return {"BAD_INPUT", *o.refusal};
  if (o.tool_failure) return {"FAILED", *o.tool_failure};
  if (!o.wrong.empty()) return {"WRONG", fmt::format("{} cases give a wrong result", o.wrong.size())};
  const std::size_t failed =
      static_cast<std::size_t>(std::count_if(r.findings.begin(), r.findings.end(), [](const finding& f) {
        return f.weighs == weight::failed && (f.verdict == "SLOWER" || f.verdict == "WORSE");
      }));
  switch (r.exit_code) {
    case 1:
      return {"FAIL", fmt::format("{} finding{}", failed, failed == 1 ? "" : "s")};
    case 75:
      return {"FAILED", fmt::format("{} cases did not run to their end", o.failed.size())};
    case 4:
      if (o.decision.invalid_run) return {"INVALID", *o.decision.invalid_run};
      if (count(o.decision, verdict::invalid) > 0)
        return {"INVALID", fmt::format("{} cases could not be judged", count(o.decision, verdict::invalid))};
      return {"INCONCLUSIVE", inconclusive_text(o, request)};
    default:
      return {"PASS", counts_text(o)};
  }
}

std::string remark_of(const case_decision& d) {
  std::string out = d.is_control ? "control" : "";
  if (!d.reason.empty()) out += (out.empty() ? "" : "; ") + d.reason;
  return out;
}

row row_of(const case_decision& d, const finding& f) {
  return {f.verdict,
          change_text(d),
          interval_text(d.ratio),
          fmt::format("{:.3g} %", d.limit.delta_pct),
          std::to_string(d.pairs),
          us_text(d.baseline_us),
          us_text(d.candidate_us)};
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
          {"build", r->build},
          {"device", r->device},
          {"seed", r->seed}};
}

}  // namespace

gate_report report_of(const gate_outcome& o, const gate_request& request, const gate_command& command) {
  gate_report r;
  r.gate = "timing";
  r.exit_code = exit_code_of(o, request, command.strict);
  for (const auto& [name, why] : o.wrong)
    r.findings.push_back(plain(name, "WRONG", weight::failed, why, command_for(name, request, command)));
  for (const auto& [name, why] : o.failed)
    r.findings.push_back(plain(name, "FAILED", weight::failed, why, command_for(name, request, command)));
  if (o.refusal)
    r.findings.push_back(plain("the gate", "BAD_INPUT", weight::failed, *o.refusal, command.text));
  if (o.tool_failure)
    r.findings.push_back(plain("the gate", "FAILED", weight::failed, *o.tool_failure, command.text));
  if (o.decision.invalid_run)
    r.findings.push_back(
        plain("the whole run", "INVALID", weight::failed, *o.decision.invalid_run, command.text));
  for (const case_decision& d : by_effect(o.decision))
    r.findings.push_back(finding_of(d, request, command, o.decision.invalid_run.has_value()));
  for (const counter_change& c : o.counters.changes) r.findings.push_back(finding_of(c, request, command));
  for (finding& f : findings_of_missing(o, request, command)) r.findings.push_back(std::move(f));
  for (finding& f : findings_of_unused(o, request)) r.findings.push_back(std::move(f));
  r.facts = {{"baseline", side_text(o.baseline)},
             {"candidate", side_text(o.candidate)},
             {"policy", request.policy.name},
             {"cases", cases_text(o.decision)},
             {"cost", cost_text(o)},
             {"counters", counters_text(o)}};
  for (const std::string& note : o.notes) r.facts.emplace_back("note", note);
  std::tie(r.verdict, r.reason) = verdict_of(o, r, request);
  if (r.verdict == "INCONCLUSIVE" && judged_cases(o.decision) == 0)
    r.findings.push_back(plain("the gate", r.verdict, weight::failed, r.reason, command.text));
  return r;
}

std::string gate_text(const gate_outcome& o, const gate_request& request, const gate_command& command,
                      bool all) {
  const gate_report r = report_of(o, request, command);
  std::string out;
  for (const auto& [name, value] : r.facts) out += fmt::format("{}: {}\n", name, value);
  std::vector<row> rows = {{"VERDICT", "CHANGE", "INTERVAL", "DELTA", "R", "BASELINE", "CANDIDATE", "CASE"}};
  for (const case_decision& d : by_effect(o.decision)) {
    if (d.word == verdict::same && !all) continue;
    const std::string remark = remark_of(d);
    rows.push_back(row_of(d, finding_of(d, request, command, o.decision.invalid_run.has_value())));
    rows.back().push_back(d.name + (remark.empty() ? "" : " (" + remark + ")"));
  }
  if (rows.size() > 1) out += "\n" + reports::columns(rows);
  std::string others;
  for (const finding& f : r.findings)
    if (f.quantity != "time" && f.weighs != weight::passed)
      others += fmt::format("{}: {}\n", f.verdict, f.message);
  if (!others.empty()) out += "\n" + others;
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
