#include "harness/gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "harness/gate/alternated_pairs.h"
#include "harness/gate/child_process.h"
#include "harness/gate/findings.h"
#include "harness/gate/sides.h"
#include "reports/bad_input.h"
#include "reports/compare/agreement.h"
#include "reports/gate/exit_code.h"

namespace ablate::gate {
namespace {

const char* word_of(phase in) {
  switch (in) {
    case phase::screen:
      return "screen";
    case phase::confirm:
      return "confirm";
    case phase::extend:
      break;
  }
  return "extend";
}

bool is_failure(const std::string& status) {
  return status == "failed" || status == "out_of_memory" || status == "timeout" || status == "interrupted";
}

/// Wrong and failed cases of the candidate's newest check.
void enter_failures(const two_sides& sides, gate_outcome& to) {
  for (const unmeasured_case& c : sides.candidate_checks.back().unmeasured) {
    if (c.status == "wrong") to.wrong[c.name] = c.reason;
    if (is_failure(c.status)) to.failed[c.name] = fmt::format("{}: {}", c.status, c.reason);
  }
}

std::vector<std::string> names_of(const std::vector<gated_case>& cases) {
  std::vector<std::string> out;
  for (const gated_case& c : cases) out.push_back(c.name);
  return out;
}

void read_floors_into(const gate_request& request, const two_sides& sides, std::vector<gated_case>& cases,
                      gate_outcome& to) {
  if (!request.floors) {
    to.notes.push_back(
        fmt::format("No noise floors were given: delta is the policy's minimum everywhere, and counters that "
                    "vary are not compared. `ablate calibrate` makes them."));
    return;
  }
  to.floors = read_floors(*request.floors);
  for (std::string& note : check_floors(*to.floors, sides.first(), request.policy, names_of(cases)))
    to.notes.push_back(std::move(note));
  for (gated_case& c : cases) c.floor_pct = to.floors->floor_pct(c.name);
}

/// decide() with launches.
gate_decision decide_by_launches(const gate_request& request, const two_sides& sides,
                                 const std::vector<gated_case>& cases, alternated_pairs& pairs,
                                 const time_budget& budget) {
  const std::vector<std::string> names = names_of(cases);
  return decide(
      cases, request.policy, [&](phase in, const std::vector<std::size_t>& places, std::size_t count) {
        const double wait = request.policy.confirm.wait_seconds;
        if (in == phase::confirm && !sides.are_recorded() && !pairs.next_is_known() && budget.allows(wait))
          sleep_for(wait);
        std::vector<std::string> of;
        for (const std::size_t place : places) of.push_back(names[place]);
        return pairs.take(word_of(in), of, count);
      });
}

void note_facts(const two_sides& sides, const gate_request& request, const std::vector<gated_case>& cases,
                gate_outcome& to) {
  for (std::string& note : compare::notes_of(sides.first(), sides.candidate_checks.front()))
    to.notes.push_back(std::move(note));
  if (!sides.is_checked)
    to.notes.push_back(
        "The records are of launches whose outputs were not compared, and no check is among them.");
  if (std::none_of(cases.begin(), cases.end(), [](const gated_case& c) { return c.is_control; }))
    to.notes.push_back("No control was measured: the run as a whole is watched by its cases alone.");
  if (!request.inject_delay.empty() && !sides.are_recorded())
    to.notes.push_back(
        fmt::format("The candidate was slowed by {} % on purpose{}.", request.inject_delay,
                    request.inject_into.empty() ? "" : ", where '" + request.inject_into + "' matches"));
}

void time_sides(const gate_request& request, two_sides& sides, time_budget& budget, gate_outcome& to) {
  std::vector<gated_case> cases = matched_cases(sides, request, to.unmatched);
  if (cases.empty() || std::all_of(cases.begin(), cases.end(), [](const auto& c) { return c.is_control; })) {
    if (!to.failed.empty()) return;
    throw bad_input(request.suite.string(), "", "no case was measured by both builds");
  }
  read_floors_into(request, sides, cases, to);
  note_facts(sides, request, cases, to);
  std::optional<pair_journal> journal;
  if (!sides.are_recorded()) {
    journal.emplace(request.out / "pairs.jsonl", identity_of(sides, request), request.resume);
    budget.add_earlier(journal->seconds());
  }
  budget.set_aside(sides.check_seconds);
  alternated_pairs pairs({*sides.baseline, *sides.candidate, request.policy, budget,
                          journal ? &*journal : nullptr, sides.first().seed});
  to.decision = decide_by_launches(request, sides, cases, pairs, budget);
  to.wrong.insert(pairs.wrong().begin(), pairs.wrong().end());
  to.failed.insert(pairs.failed().begin(), pairs.failed().end());
  to.pairs_launched = pairs.pairs_launched();
  to.broken = pairs.broken();
  to.single_launch_p = pairs.single_launch_p();
  if (!to.wrong.empty()) return;
  if (request.findings && !to.decision.invalid_run) {
    append_findings(*request.findings, to.decision, sides.candidate_checks.front().date);
    to.decision.invalid_run = why_findings_are_suspect(*request.findings, request.policy);
  }

  const std::vector<std::string> names = names_of(cases);
  check_again(sides, names, request.counters);
  enter_failures(sides, to);
  if (request.counters)
    to.counters = compare_counters(sides.baseline_checks, sides.candidate_checks, names, request.policy,
                                   to.floors ? &*to.floors : nullptr);
}

}  // namespace

gate_outcome run_gate(const gate_request& request) {
  const interrupt_watch watch;
  time_budget budget(request.budget_seconds);
  gate_outcome out;
  out.counters.why_none = request.counters ? "the gate did not get to them" : "--no-counters was given";
  try {
    two_sides sides = open_sides(request);
    out.is_checked = sides.is_checked;
    enter_failures(sides, out);
    if (out.wrong.empty()) time_sides(request, sides, budget, out);
    out.baseline = sides.baseline_checks.front();
    out.candidate = sides.candidate_checks.front();
  } catch (const tool_failure& failure) {
    out.tool_failure = failure.what();
  }
  out.seconds = budget.spent();
  return out;
}

const accepted_change* acceptance(const gate_request& request, const std::string& name,
                                  const std::string& quantity, double change_pct) {
  const std::string today = day_of_now();
  for (const accepted_change& a : request.accepted)
    if (a.quantity == quantity && std::regex_search(name, a.pattern) && !a.has_ended(today) &&
        (!a.up_to || change_pct <= *a.up_to))
      return &a;
  return nullptr;
}

int exit_code_of(const gate_outcome& outcome, const gate_request& request, bool strict) {
  constexpr int wrong_result = 3, tool_failed = 75;
  if (outcome.tool_failure) return tool_failed;
  gate_decision counted = outcome.decision;
  for (case_decision& c : counted.cases)
    if (c.word == verdict::slower && acceptance(request, c.name, "time", percent_of_log(c.ratio.estimate)))
      c.word = verdict::same;
  const int code = exit_code_of(counted, {outcome.wrong.size(), outcome.failed.size()}, strict);
  if (code == wrong_result) return code;
  for (const counter_change& c : outcome.counters.changes)
    if (c.is_worse && !acceptance(request, c.name, c.counter, c.change_pct)) return 1;
  return code;
}

}  // namespace ablate::gate
