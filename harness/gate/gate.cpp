#include "harness/gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <regex>

#include "base/process/interrupt_watch.h"
#include "base/text/bad_input.h"
#include "harness/gate/alternated_pairs.h"
#include "harness/gate/findings.h"
#include "harness/gate/interruptible.h"
#include "harness/gate/sides.h"
#include "harness/gate/tool_failure.h"
#include "reports/compare/agreement.h"
#include "reports/gate/exit_code.h"

namespace ablate::gate {
namespace {

constexpr const char* presence = "presence";  // the quantity of a case that is gone
constexpr const char* not_reached = "the gate did not get to them";

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

/// Records the wrong and failed cases of the candidate's latest check.
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

void apply_floors(const gate_request& request, const two_sides& sides, std::vector<gated_case>& cases,
                  gate_outcome& to) {
  if (!to.floors) {
    to.notes.push_back(
        fmt::format("No noise floors were given: delta is the policy's minimum everywhere, and counters that "
                    "vary are not compared. `ablate dev calibrate` makes them."));
    return;
  }
  for (std::string& note : check_floors(*to.floors, sides.first(), request.policy, names_of(cases)))
    to.notes.push_back(std::move(note));
  for (gated_case& c : cases) c.floor_pct = to.floors->floor_pct(c.name);
}

/// Runs decide() on real launches.
gate_decision decide_by_launches(const gate_request& request, const two_sides& sides,
                                 const std::vector<gated_case>& cases, alternated_pairs& pairs,
                                 const time_budget& budget) {
  const std::vector<std::string> names = names_of(cases);
  gate_policy policy = request.policy;
  // What one header changed may well move together; unaffected cases tell whether the machine did it.
  if (request.changed && !request.changed->controls().empty())
    policy.whole_run.minimum_cases = std::numeric_limits<std::size_t>::max();
  return decide(cases, policy, [&](phase in, const std::vector<std::size_t>& places, std::size_t count) {
    const double wait = request.policy.confirm.wait_seconds;
    if (in == phase::confirm && !sides.are_recorded() && !pairs.next_is_known() && budget.allows(wait))
      sleep_for(wait);
    std::vector<std::string> of;
    for (const std::size_t place : places) of.push_back(names[place]);
    return pairs.take(word_of(in), of, count);
  });
}

/// Cases for which at least one side has no SM clock.
std::size_t cases_without_clocks(const two_sides& sides, const std::vector<gated_case>& cases) {
  const launch a = launch_of(sides.first()), b = launch_of(sides.candidate_checks.front());
  return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [&](const gated_case& c) {
    return !a.cases.at(c.name).environment.sm_clock_mhz || !b.cases.at(c.name).environment.sm_clock_mhz;
  }));
}

void note_facts(const two_sides& sides, const gate_request& request, const std::vector<gated_case>& cases,
                gate_outcome& to) {
  for (std::string& note : compare::notes_of(sides.first(), sides.candidate_checks.front()))
    to.notes.push_back(std::move(note));
  if (const std::size_t blind = cases_without_clocks(sides, cases); sides.first().on_gpu && blind > 0)
    to.notes.push_back(
        fmt::format("The clocks of {} of {} cases could not be read: their pairs may differ in them.", blind,
                    cases.size()));
  if (std::none_of(cases.begin(), cases.end(), [](const gated_case& c) { return c.is_control; }))
    to.notes.push_back("No control was measured: the run as a whole is watched by its cases alone.");
  if (!request.inject_delay.empty() && !sides.are_recorded())
    to.notes.push_back(
        fmt::format("The candidate was slowed by {} % on purpose{}.", request.inject_delay,
                    request.inject_into.empty() ? "" : ", where '" + request.inject_into + "' matches"));
}

std::optional<std::string> why_nothing_to_judge(const two_sides& sides, const gate_request& request,
                                                const std::vector<gated_case>& cases) {
  if (!sides.first().on_gpu && request.device != "host")
    return "no GPU was used, and host references say nothing of its kernels; --device host judges them";
  if (std::all_of(cases.begin(), cases.end(), [](const gated_case& c) { return c.is_control; }))
    return "no case was measured by both sides";
  return std::nullopt;
}

void note_findings(const std::filesystem::path& path, const gate_request& request, const two_sides& sides,
                   gate_outcome& to) {
  append_findings(path, to.decision, sides.candidate_checks.front().date);
  const known_findings known = read_findings(path);
  if (known.set_aside) to.notes.push_back(*known.set_aside);
  to.decision.invalid_run = why_findings_are_suspect(known.runs, request.policy);
}

/// Without the cases that somebody has accepted as gone.
std::vector<unmatched_case> still_unmatched(const gate_outcome& of, const gate_request& request) {
  std::vector<unmatched_case> out = of.unmatched;
  std::erase_if(out, [&](const unmatched_case& c) { return acceptance(request, c) != nullptr; });
  return out;
}

/// The decision, with accepted slow-downs as SAME.
gate_decision counted(const gate_outcome& outcome, const gate_request& request) {
  gate_decision out = outcome.decision;
  for (case_decision& c : out.cases)
    if (acceptance(request, c)) c.word = verdict::same;
  return out;
}

gate_failures failures_of(const gate_outcome& of, const gate_request& request) {
  const std::vector<unmatched_case> left = still_unmatched(of, request);
  std::vector<std::string> decided;
  for (const case_decision& c : of.decision.cases) decided.push_back(c.name);
  return {of.wrong.size(), of.failed.size(), gone_cases(left), unjudged_cases(left, decided),
          missing_comparisons(of, request)};
}

std::vector<std::string> changed_cases(const counter_comparison& of) {
  std::vector<std::string> names;
  for (const counter_change& c : of.changes)
    if (names.empty() || names.back() != c.name) names.push_back(c.name);
  return names;
}

/// Two readings a side agree by chance where a counter has few values, so what seems changed is read again:
/// it has to stay so.
void judge_counters(two_sides& sides, const std::vector<std::string>& names, const gate_request& request,
                    gate_outcome& to) {
  constexpr int max_rounds = 3;
  const auto compare = [&] {
    to.counters = compare_counters(sides.baseline_checks, sides.candidate_checks, names, request.policy,
                                   to.floors ? &*to.floors : nullptr);
  };
  compare();
  for (int round = 1; round <= max_rounds && !to.counters.changes.empty(); ++round) {
    if (!read_again(sides, changed_cases(to.counters), round)) return;
    compare();
  }
}

void time_sides(const gate_request& request, two_sides& sides, std::vector<gated_case> cases,
                time_budget& budget, gate_outcome& to) {
  apply_floors(request, sides, cases, to);
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
  if (request.findings && !to.decision.invalid_run) note_findings(*request.findings, request, sides, to);

  const std::vector<std::string> names = names_of(cases);
  check_again(sides, names, request.counters, to.unmatched);
  enter_failures(sides, to);
  if (request.counters) judge_counters(sides, names, request, to);
}

/// What needs no launch: cases that the candidate lacks, and a change after which nothing is left to time.
/// Returns whether there is something to launch.
bool begin_with_changes(const affected& changed, gate_outcome& to) {
  for (const std::string& name : changed.gone())
    to.unmatched.push_back({name, mismatch::gone, "the candidate does not have it"});
  to.notes.push_back(summary(changed));
  if (!changed.to_time().empty()) return true;
  if (to.unmatched.empty()) to.why_passed = summary(changed);
  return false;
}

}  // namespace

gate_outcome run_gate(const gate_request& request) {
  const process::interrupt_watch watch;
  time_budget budget(request.budget_seconds);
  gate_outcome out;
  out.counters.why_none = request.counters ? not_reached : "--no-counters was given";
  if (request.changed && !begin_with_changes(*request.changed, out)) return out;
  // Read the user's files before hours are spent.
  if (request.floors) out.floors = read_floors(*request.floors);
  if (request.findings) expect_writable(*request.findings);
  try {
    two_sides sides = open_sides(request);
    out.baseline = sides.first();
    out.candidate = sides.candidate_checks.front();
    out.is_checked = sides.is_checked;
    enter_failures(sides, out);
    std::vector<gated_case> cases = matched_cases(sides, request, out.unmatched);
    out.why_nothing = why_nothing_to_judge(sides, request, cases);
    if (out.wrong.empty() && !out.why_nothing) time_sides(request, sides, std::move(cases), budget, out);
  } catch (const bad_input&) {
    throw;
  } catch (const interrupted&) {
    throw;
  } catch (const no_gpu& none) {
    out.why_nothing = none.what();
  } catch (const std::exception& failure) {
    out.tool_failure = failure.what();
  }
  out.seconds = budget.spent();
  return out;
}

gate_outcome refused_gate(const std::string& why) {
  gate_outcome out;
  out.refusal = why;
  out.counters.why_none = not_reached;
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

std::optional<std::string> why_counters_are_missing(const gate_outcome& of, const gate_request& request) {
  if (!request.counters || request.policy.counters.empty() || of.counters.why_none.empty())
    return std::nullopt;
  return of.counters.why_none;
}

const accepted_change* acceptance(const gate_request& request, const case_decision& c) {
  if (c.word != verdict::slower && !c.is_suspect()) return nullptr;
  return acceptance(request, c.name, "time", percent_of_log(c.ratio.estimate));
}

const accepted_change* acceptance(const gate_request& request, const unmatched_case& c) {
  return c.is_gone() ? acceptance(request, c.name, presence, 0) : nullptr;
}

std::size_t missing_comparisons(const gate_outcome& of, const gate_request& request) {
  const bool no_counters = why_counters_are_missing(of, request).has_value();
  const auto doubtful = std::count_if(of.counters.left_out.begin(), of.counters.left_out.end(),
                                      [](const uncompared_counter& c) { return c.is_missing(); });
  return missing_cases(still_unmatched(of, request)) + !of.is_checked + no_counters +
         static_cast<std::size_t>(doubtful);
}

std::optional<std::string> why_open(const gate_outcome& outcome, const gate_request& request) {
  return why_open(counted(outcome, request), request.policy.pass, failures_of(outcome, request));
}

int exit_code_of(const gate_outcome& outcome, const gate_request& request, bool strict) {
  constexpr int bad_usage = 2, wrong_result = 3, tool_failed = 75;
  if (outcome.refusal) return bad_usage;
  if (outcome.tool_failure) return tool_failed;
  if (outcome.why_passed) return 0;
  const int code =
      exit_code_of(counted(outcome, request), request.policy.pass, failures_of(outcome, request), strict);
  if (code == wrong_result) return code;
  for (const counter_change& c : outcome.counters.changes)
    if (c.is_worse && !acceptance(request, c.name, c.counter, c.change_pct)) return 1;
  return code;
}

}  // namespace ablate::gate
