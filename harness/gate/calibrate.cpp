#include "harness/gate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/process/interrupt_watch.h"
#include "base/record/facts.h"
#include "base/record/identity.h"
#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "base/text/text.h"
#include "harness/gate/alternated_pairs.h"
#include "harness/gate/several_builds.h"
#include "harness/gate/sides.h"
#include "harness/gate/tool_failure.h"
#include "reports/gate/aa_floors.h"

namespace ablate::gate {
namespace {

/// What the runs measured for one case.
struct observed {
  std::vector<double> effects, baseline_us;  ///< nothing from a run whose pairs were all broken
};

std::string source_hash(const record& r) { return r.build.sources(); }

/// With two different sources, the floors would absorb a real change.
void require_one_source(const record& a, const record& b) {
  if (source_hash(a) != source_hash(b))
    throw bad_input(b.path.string(), "/context/ablate/build/source_hash",
                    fmt::format("expected a build of the baseline's source, {:.12}, found {:.12}",
                                source_hash(a), source_hash(b)));
}

void require_right(const record& r) {
  for (const unmeasured_case& c : r.unmeasured)
    if (c.status == "wrong" || c.status == "failed" || c.status == "timeout")
      throw tool_failure(fmt::format("{} is {}: {}", c.name, c.status, c.reason));
}

void require_measured(const record& r, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!find_case(r, name))
      throw tool_failure(fmt::format("{}: expected {}, which the first two builds measured, found none",
                                     r.path.string(), name));
}

/// The builds after the first two.
std::vector<further_build> open_all_further(const two_sides& sides, const calibration_request& request,
                                            const std::vector<std::string>& names) {
  std::vector<further_build> out;
  for (const std::filesystem::path& build : request.further) {
    out.push_back(open_further(sides, request.gate, build, fmt::format("build-{}", out.size() + 3)));
    const record& check = out.back().checks.front();
    require_one_source(sides.first(), check);
    require_right(check);
    require_measured(check, names);
  }
  return out;
}

/// What distinguishes a calibration's journal: all of its builds.
nlohmann::ordered_json identity_of(const two_sides& sides, const calibration_request& request) {
  nlohmann::ordered_json out = identity_of(sides, request.gate);
  for (const std::filesystem::path& build : request.further) out["further"].push_back(build.string());
  return out;
}

std::size_t too_noisy_cases(const noise_floors& of, const gate_policy& policy) {
  return static_cast<std::size_t>(std::count_if(of.cases.begin(), of.cases.end(), [&](const auto& c) {
    return c.second.floor_pct > policy.delta.too_noisy_pct;
  }));
}

/// Whether so many cases are too noisy that a gate of all of them judges too few.
bool cannot_pass(const noise_floors& of, const gate_policy& policy) {
  const double all = static_cast<double>(of.cases.size());
  return all - static_cast<double>(too_noisy_cases(of, policy)) < policy.pass.minimum_judged_share * all;
}

/// Adds a run; false if it was cut short.
bool enter(const std::vector<taken_pairs>& run, const gate_policy& policy, std::vector<observed>& to,
           std::string& cut_short) {
  for (const taken_pairs& of : run)
    if (!of.cut_short.empty()) {
      cut_short = of.cut_short;
      return false;
    }
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (!run[i].unfit.empty() || run[i].pairs.empty()) continue;
    to[i].effects.push_back(
        crossover_shift(log_ratios(run[i].pairs), policy.confirm.interval_confidence).estimate);
    for (const paired_time& p : run[i].pairs) to[i].baseline_us.push_back(p.baseline_us);
  }
  return true;
}

std::map<std::string, std::map<std::string, double>> bands_of(const two_sides& sides,
                                                              const gate_policy& policy) {
  std::vector<record> all = sides.baseline_checks;
  all.insert(all.end(), sides.candidate_checks.begin(), sides.candidate_checks.end());
  return counter_bands(all, policy);
}

/// Reads the counters, with a separate check for each reading.
void read_counters(two_sides& sides, std::size_t readings) {
  for (std::size_t i = 1; i < readings; ++i) {
    const std::string label = fmt::format("{:04}-check", 9000 + i);
    if (auto made = sides.baseline->check(label, {})) sides.baseline_checks.push_back(std::move(*made));
    if (auto made = sides.candidate->check(label, {})) sides.candidate_checks.push_back(std::move(*made));
  }
}

}  // namespace

calibration_outcome calibrate(const calibration_request& request) {
  const process::interrupt_watch watch;
  time_budget budget(request.gate.budget_seconds);
  two_sides sides = open_sides(request.gate);
  require_one_source(sides.first(), sides.candidate_checks.front());
  require_right(sides.first());
  require_right(sides.candidate_checks.front());
  calibration_outcome out;
  std::vector<std::string> names;
  for (const gated_case& c : matched_cases(sides, request.gate, out.unmatched)) names.push_back(c.name);
  if (names.empty()) throw bad_input(request.gate.suite.string(), "", "no case was measured by both builds");
  const std::vector<further_build> further = open_all_further(sides, request, names);
  if (request.gate.counters && !sides.are_recorded()) read_counters(sides, request.counter_readings);

  std::optional<pair_journal> journal;
  if (!sides.are_recorded()) {
    journal.emplace(request.gate.out / "pairs.jsonl", identity_of(sides, request), request.gate.resume);
    // Each call has its own budget: a calibration may be run in parts.
  }
  std::vector<launch_source*> builds = {sides.baseline.get(), sides.candidate.get()};
  for (const further_build& more : further) builds.push_back(more.launches.get());
  const std::vector<pair_of_builds> order = pairs_of_builds(builds.size());
  chosen_launches first_of_run(builds), second_of_run(builds);
  alternated_pairs pairs({first_of_run, second_of_run, request.gate.policy, budget,
                          journal ? &*journal : nullptr, sides.first().seed});
  std::vector<observed> seen(names.size());
  std::size_t runs = 0;
  std::set<std::size_t> builds_seen;
  for (; runs < request.runs; ++runs) {
    const auto& [a, b] = order[runs % order.size()];
    first_of_run.choose(a);
    second_of_run.choose(b);
    if (!enter(pairs.take("calibrate", names, request.pairs), request.gate.policy, seen, out.cut_short))
      break;
    builds_seen.insert({a, b});
  }
  if (runs == 0) throw tool_failure("no run finished: " + out.cut_short);

  const record& first = sides.first();
  noise_floors& floors = out.floors;
  floors.date = first.date;
  floors.policy = request.gate.policy.name;
  floors.suite = first.suite_name;
  floors.suite_hash = first.suite_hash;
  floors.fingerprint = history::device_fingerprint(first);
  floors.device = first.device;
  floors.sources = {source_hash(first), source_hash(sides.candidate_checks.front())};
  floors.builds = builds_seen.size();
  floors.runs = runs;
  floors.pairs = request.pairs;
  std::vector<std::vector<double>> effects;
  for (const observed& of : seen)
    if (!of.effects.empty()) effects.push_back(of.effects);
  const std::vector<double> found = floors_pct_of(request.gate.policy, effects, floors.builds);
  for (std::size_t i = 0, next = 0; i < names.size(); ++i)
    if (seen[i].effects.empty())
      out.without_floor.push_back(names[i]);
    else
      floors.cases[names[i]] = {found[next++], median(seen[i].baseline_us), seen[i].effects};
  floors.counter_bands_pct = bands_of(sides, request.gate.policy);
  out.pairs_launched = pairs.pairs_launched();
  out.seconds = budget.spent();
  return out;
}

std::string calibration_text(const calibration_outcome& of, const gate_policy& policy) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, c] : of.floors.cases) sorted.emplace_back(c.floor_pct, name);
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<std::vector<std::string>> rows = {{"FLOOR", "DELTA", "TIME", "RUNS", "CASE"}};
  for (const auto& [floor, name] : sorted) {
    const double us = of.floors.cases.at(name).baseline_us;
    const effect_limit limit = limit_of(policy, us, floor);
    rows.push_back({fmt::format("{:.3f} %", floor), fmt::format("{:.2f} %", limit.delta_pct),
                    reports::significant(us) + " us", std::to_string(of.floors.cases.at(name).effects.size()),
                    name + (limit.too_noisy ? " (too noisy to gate)" : "")});
  }
  std::string out = reports::columns(rows);
  for (const std::string& name : of.without_floor)
    out += name + " has no floor: the environment broke its pairs in every run\n";
  for (const unmatched_case& c : of.unmatched)
    out += fmt::format("{} has no floor: {}: {}\n", c.name, name_of(c.kind), c.reason);
  out += fmt::format("\n{} builds, {} runs of {} pairs, {} pairs of launches, {:.0f} s\n", of.floors.builds,
                     of.floors.runs, of.floors.pairs, of.pairs_launched, of.seconds);
  const gate_policy::calibration_rules& wanted = policy.calibration;
  if (of.floors.builds < wanted.builds || of.floors.runs < wanted.runs || of.floors.pairs < wanted.pairs)
    out += fmt::format("the policy requires {} builds, {} runs of {} pairs\n", wanted.builds, wanted.runs,
                       wanted.pairs);
  if (const std::size_t noisy = too_noisy_cases(of.floors, policy); noisy > 0)
    out +=
        fmt::format("{} of {} cases are too noisy to gate on this machine{}\n", noisy, of.floors.cases.size(),
                    cannot_pass(of.floors, policy) ? ": no gate of them passes" : "");
  if (!of.cut_short.empty())
    out += "fewer runs than requested: " + of.cut_short + "; continue with --resume\n";
  return out;
}

}  // namespace ablate::gate
