#include "harness/gate/report.h"
#include "base/text/counted_noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "reports/gate/exit_code.h"

namespace ablate::gate {
namespace {

std::string side_text(const std::optional<record>& r) {
  if (!r) return "unknown";
  const std::string& commit = r->build.commit;
  return fmt::format("{}sources {:.12}, {}", commit.empty() ? "" : fmt::format("commit {:.12}, ", commit),
                     r->build.source_hash, r->device_name);
}

finding finding_of(const unmatched_case& c, const gate_request& request, const gate_command& command) {
  if (const accepted_change* accepted = acceptance(request, c))
    return plain_finding(c.name, "ACCEPTED", weight::noted, c.reason + ", accepted: " + accepted->reason);
  const weight w = c.is_gone() ? weight::failed : c.is_missing() ? weight_of_doubt(command) : weight::noted;
  return plain_finding(c.name, std::string(name_of(c.kind)), w, c.reason, c.is_missing() ? command.text : "");
}

std::vector<finding> findings_of_missing(const gate_outcome& o, const gate_request& request,
                                         const gate_command& command) {
  std::vector<finding> out;
  const weight missing = weight_of_doubt(command);
  for (const unmatched_case& c : o.unmatched)
    if (!o.failed.contains(c.name) && !o.wrong.contains(c.name))
      out.push_back(finding_of(c, request, command));
  if (o.baseline && !o.is_checked)
    out.push_back(
        plain_finding("the outputs", "UNCHECKED", missing,
                      "the launches did not compare them, and there is no check among the records"));
  if (judged_cases(o.decision) > 0)
    if (const auto why = why_counters_are_missing(o, request))
      out.push_back(
          plain_finding("the counters", "UNMEASURED", missing, *why + "; --no-counters does without"));
  for (const uncompared_counter& c : o.counters.left_out)
    if (c.kind != uncompared_counter::why::varying) {
      finding f = plain_finding(c.name, std::string(name_of(c.kind)),
                                c.is_missing() ? missing : weight::noted, c.counter + ": " + c.reason);
      f.quantity = c.counter;
      out.push_back(std::move(f));
    }
  return out;
}

/// Accepted changes that have expired or that no finding needed. Not reported for a filtered run, which says
/// nothing about them.
std::vector<finding> findings_of_unused(const gate_outcome& o, const gate_request& request) {
  std::vector<finding> out;
  if (!request.filter.empty() || request.changed || judged_cases(o.decision) == 0) return out;
  std::set<const accepted_change*> used;
  for (const case_decision& d : o.decision.cases) used.insert(acceptance(request, d));
  for (const unmatched_case& c : o.unmatched) used.insert(acceptance(request, c));
  for (const counter_change& c : o.counters.changes)
    if (c.is_worse) used.insert(acceptance(request, c.name, c.counter, c.change_pct));
  for (const accepted_change& a : request.accepted)
    if (!used.contains(&a)) {
      const char* why = a.has_ended(day_of_now()) ? "has ended" : "matches no change here";
      out.push_back(
          plain_finding(a.where, "UNUSED", weight::noted, std::string("the accepted change ") + why));
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
  if (const auto why = why_open(o, request)) return *why;
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
      if (failed == 0) return {"FAIL", inconclusive_text(o, request)};
      return {"FAIL", reports::counted_noun(failed, "finding")};
    case 75:
      return {"FAILED", fmt::format("{} cases did not finish", o.failed.size())};
    case 4:
      if (o.decision.invalid_run) return {"INVALID", *o.decision.invalid_run};
      if (count(o.decision, verdict::invalid) > 0)
        return {"INVALID", fmt::format("{} cases could not be judged", count(o.decision, verdict::invalid))};
      return {"INCONCLUSIVE", inconclusive_text(o, request)};
    default:
      return {"PASS", o.why_passed ? *o.why_passed : counts_text(o)};
  }
}

}  // namespace

std::size_t count_varying(const gate_outcome& o) {
  using why = uncompared_counter::why;
  const auto& all = o.counters.left_out;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const uncompared_counter& c) {
    return c.kind == why::varying || c.kind == why::unsteady;
  }));
}

gate_report report_of(const gate_outcome& o, const gate_request& request, const gate_command& command) {
  gate_report r;
  r.gate = "timing";
  r.exit_code = exit_code_of(o, request, command.strict);
  for (const auto& [name, why] : o.wrong)
    r.findings.push_back(
        plain_finding(name, "WRONG", weight::failed, why, command_for(name, request, command)));
  for (const auto& [name, why] : o.failed)
    r.findings.push_back(
        plain_finding(name, "FAILED", weight::failed, why, command_for(name, request, command)));
  if (o.refusal)
    r.findings.push_back(plain_finding("the gate", "BAD_INPUT", weight::failed, *o.refusal, command.text));
  if (o.tool_failure)
    r.findings.push_back(plain_finding("the gate", "FAILED", weight::failed, *o.tool_failure, command.text));
  if (o.decision.invalid_run)
    r.findings.push_back(
        plain_finding("the whole run", "INVALID", weight::failed, *o.decision.invalid_run, command.text));
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
  print_verdict(r, command.text);
  return r;
}

}  // namespace ablate::gate
