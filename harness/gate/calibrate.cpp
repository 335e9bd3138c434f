#include "harness/gate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/gate/alternated_pairs.h"
#include "harness/gate/sides.h"
#include "harness/gate/tool_failure.h"
#include "reports/process/interrupt_watch.h"
#include "reports/record/facts.h"
#include "reports/record/identity.h"
#include "reports/statistics/quantile.h"
#include "reports/text/bad_input.h"
#include "reports/text/text.h"

namespace ablate::gate {
namespace {

/// What the runs measured for one case.
struct observed {
  std::vector<double> effects, baseline_us;  ///< nothing from a run whose pairs were all broken
};

double effect_of(const std::vector<paired_time>& pairs, double confidence) {
  std::vector<double> differences;
  for (const paired_time& p : pairs) differences.push_back(std::log(p.candidate_us / p.baseline_us));
  return paired_shift(differences, confidence).estimate;
}

std::string source_hash(const record& r) { return reports::sources_fact(r.build).value_or(""); }

/// With two different sources, the floors would absorb a real change.
void require_one_source(const two_sides& sides) {
  const record &a = sides.first(), &b = sides.candidate_checks.front();
  if (source_hash(a) != source_hash(b))
    throw bad_input(b.path.string(), "/context/ablate/build/source_hash",
                    fmt::format("expected a build of the baseline's source, {:.12}, found {:.12}",
                                source_hash(a), source_hash(b)));
}

void require_right(const two_sides& sides) {
  for (const record* r : {&sides.baseline_checks.front(), &sides.candidate_checks.front()})
    for (const unmeasured_case& c : r->unmeasured)
      if (c.status == "wrong" || c.status == "failed" || c.status == "timeout")
        throw tool_failure(fmt::format("{} is {}: {}", c.name, c.status, c.reason));
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
    to[i].effects.push_back(effect_of(run[i].pairs, policy.confirm.interval_confidence));
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
  require_one_source(sides);
  require_right(sides);
  calibration_outcome out;
  std::vector<std::string> names;
  for (const gated_case& c : matched_cases(sides, request.gate, out.unmatched)) names.push_back(c.name);
  if (names.empty()) throw bad_input(request.gate.suite.string(), "", "no case was measured by both builds");
  if (request.gate.counters && !sides.are_recorded()) read_counters(sides, request.counter_readings);

  std::optional<pair_journal> journal;
  if (!sides.are_recorded()) {
    journal.emplace(request.gate.out / "pairs.jsonl", identity_of(sides, request.gate), request.gate.resume);
    // Each call has its own budget: a calibration may be run in parts.
  }
  alternated_pairs pairs({*sides.baseline, *sides.candidate, request.gate.policy, budget,
                          journal ? &*journal : nullptr, sides.first().seed});
  std::vector<observed> seen(names.size());
  std::size_t runs = 0;
  while (runs < request.runs &&
         enter(pairs.take("calibrate", names, request.pairs), request.gate.policy, seen, out.cut_short))
    ++runs;
  if (runs == 0) throw tool_failure("not one run got to its end: " + out.cut_short);

  const record& first = sides.first();
  noise_floors& floors = out.floors;
  floors.date = first.date;
  floors.policy = request.gate.policy.name;
  floors.suite = first.suite_name;
  floors.suite_hash = first.suite_hash;
  floors.fingerprint = history::device_fingerprint(first);
  floors.device = first.device;
  floors.sources = {source_hash(first), source_hash(sides.candidate_checks.front())};
  floors.runs = runs;
  floors.pairs = request.pairs;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (seen[i].effects.empty())
      out.without_floor.push_back(names[i]);
    else
      floors.cases[names[i]] = {floor_pct_of(request.gate.policy, seen[i].effects),
                                median(seen[i].baseline_us), seen[i].effects};
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
  out += fmt::format("\n{} runs of {} pairs, {} pairs of launches, {:.0f} s\n", of.floors.runs,
                     of.floors.pairs, of.pairs_launched, of.seconds);
  const gate_policy::calibration_rules& wanted = policy.calibration;
  if (of.floors.runs < wanted.runs || of.floors.pairs < wanted.pairs)
    out += fmt::format("the policy wants {} runs of {} pairs\n", wanted.runs, wanted.pairs);
  if (!of.cut_short.empty()) out += "fewer runs than asked for: " + of.cut_short + "; go on with --resume\n";
  return out;
}

}  // namespace ablate::gate
