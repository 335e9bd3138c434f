#include "harness/gate/alternated_pairs.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/statistics/rank_sum.h"
#include "harness/gate/tool_failure.h"
#include "harness/inputs/random.h"
#include "harness/timing/stopwatch.h"

namespace ablate::gate {
namespace {

/// Whether a case left the phase early.
bool is_closed(const taken_pairs& of) { return !of.unfit.empty() || !of.cut_short.empty(); }

void cut_short(std::vector<taken_pairs>& all, const std::string& why) {
  for (taken_pairs& of : all)
    if (!is_closed(of)) of.cut_short = why;
}

std::map<std::string, double> p_values_of(const launch& baseline, const launch& candidate) {
  std::map<std::string, double> out;
  for (const auto& [name, a] : baseline.cases)
    if (const auto b = candidate.cases.find(name);
        b != candidate.cases.end() && !a.samples_us.empty() && !b->second.samples_us.empty())
      out[name] = mann_whitney_p(a.samples_us, b->second.samples_us);
  return out;
}

}  // namespace

std::vector<taken_pairs> alternated_pairs::take(const std::string& phase,
                                                const std::vector<std::string>& cases, std::size_t pairs) {
  std::vector<taken_pairs> out(cases.size());
  for (std::size_t round = 0; round < pairs; ++round) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (!is_closed(out[i])) open.push_back(i);
    for (std::size_t attempt = 0; !open.empty(); ++attempt) {
      if (!next_is_known() && !with_.budget.allows(last_seconds_)) {
        cut_short(out, fmt::format("the budget of {:g} s is spent", with_.budget.seconds()));
        return out;
      }
      std::vector<std::string> names;
      for (const std::size_t i : open) names.push_back(cases[i]);
      launched_pair pair;
      try {
        pair = next_pair(phase, names);
      } catch (const no_more_launches& none) {
        cut_short(out, none.what());
        return out;
      }
      std::vector<std::size_t> again;
      for (const std::size_t i : open) {
        const auto why_not = enter(pair, cases[i], out[i]);
        if (!why_not) continue;
        ++broken_;
        if (attempt == with_.policy.environment.repeats)
          out[i].unfit = fmt::format("{} (in {} pairs in a row)", *why_not, attempt + 1);
        else
          again.push_back(i);
      }
      open = std::move(again);
    }
    if (!with_.baseline.is_recorded())
      fmt::print(stderr, "{}: pair {} of {}, {:.1f} s each, {:.0f} s so far\n", phase, round + 1, pairs,
                 last_seconds_, with_.budget.spent());
  }
  return out;
}

launched_pair alternated_pairs::next_pair(const std::string& phase, const std::vector<std::string>& cases) {
  const std::string label = fmt::format("{:04}-{}", number_ + 1, phase);
  launched_pair pair;
  if (const launched_pair* known = with_.journal ? with_.journal->find(number_ + 1) : nullptr) {
    if (known->label != label)
      throw tool_failure(fmt::format("the journal has '{}' where '{}' was expected", known->label, label));
    pair = *known;
    ++number_;
  } else {
    pair = launched(label, cases);
    if (with_.journal) with_.journal->add(pair);
  }
  last_seconds_ = pair.seconds;
  for (const auto& [name, p] : pair.single_launch_p) single_launch_p_[name].push_back(p);
  return pair;
}

launched_pair alternated_pairs::launched(const std::string& label, const std::vector<std::string>& cases) {
  launched_pair pair;
  const stopwatch watch;
  pair.number = number_ + 1;
  pair.label = label;
  pair.baseline_first = pair.number % 2 == 1;
  random_stream random(with_.seed, label);
  const launch_order order{label, random.next(), cases};
  if (pair.baseline_first) {
    pair.baseline = with_.baseline.take(order);
    pair.candidate = with_.candidate.take(order);
  } else {
    pair.candidate = with_.candidate.take(order);
    pair.baseline = with_.baseline.take(order);
  }
  pair.seconds = watch.seconds();
  pair.single_launch_p = p_values_of(pair.baseline, pair.candidate);
  ++number_;
  return pair;
}

std::optional<std::string> alternated_pairs::enter(const launched_pair& pair, const std::string& name,
                                                   taken_pairs& to) {
  const auto a = pair.baseline.cases.find(name), b = pair.candidate.cases.find(name);
  if (a != pair.baseline.cases.end() && b != pair.candidate.cases.end()) {
    auto why_not = why_broken(a->second.environment, b->second.environment, with_.policy);
    if (!why_not) to.pairs.push_back({a->second.median_us, b->second.median_us, pair.baseline_first});
    return why_not;
  }
  for (const auto& [side, of] :
       {std::pair("baseline", &pair.baseline), std::pair("candidate", &pair.candidate)}) {
    const auto failure = of->failures.find(name);
    if (failure == of->failures.end()) {
      if (!of->cases.contains(name)) to.cut_short = fmt::format("launch {} lacks it", pair.label);
      continue;
    }
    const auto& [status, reason] = failure->second;
    to.cut_short.clear();
    to.unfit = fmt::format("{} in a launch of the {}: {}", status, side, reason);
    if (status == "wrong" && of == &pair.candidate)
      wrong_[name] = reason;
    else
      failed_[name] = to.unfit;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ablate::gate
