#include "harness/runner/launch_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "harness/inputs/random.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/suite/case_words.h"

namespace ablate {

namespace {

/// Says which ceilings this build does not know. No error: a gate asks two builds for those of its policy.
void report_unknown_ceilings(const std::vector<std::string>& wanted) {
  std::vector<std::string> known = {"none"};
  for (const auto& of : operations())
    for (const calibration& c : of->calibrations)
      if (std::find(known.begin(), known.end(), c.ceiling) == known.end()) known.push_back(c.ceiling);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      fmt::print(stderr, "ablate: --ceilings: {}\n", no_such("ceiling", name, known));
}

/// Whether a word is meant as the id of a case, known or not.
bool is_id(const std::string& word) { return word.find("/@") != std::string::npos; }

/// Keeps what `only` selects. Reports an id unknown to this build: a gate asks two builds for the same cases,
/// and one may be newer.
void keep_only(std::vector<suite_case>& cases, const std::vector<std::string>& only) {
  const std::vector<case_words> all = case_words_of(cases);
  const auto is_unknown = [&](const std::string& word) {
    return is_id(word) && std::none_of(all.begin(), all.end(), [&](const auto& c) { return c.id == word; });
  };
  std::vector<std::string> words, unknown;
  for (const std::string& word : only) (is_unknown(word) ? unknown : words).push_back(word);
  if (words.empty())
    throw bad_input("--only", "", "the suite has none of these cases; `plan --json` shows the ids");
  for (const std::string& id : unknown)
    fmt::print(stderr, "ablate: --only: the suite has no case '{}' in this build\n", id);
  const selection chosen(words, all, "--only");
  std::erase_if(cases, [&](const suite_case& c) { return !chosen.selects(case_words_of(c)); });
  if (cases.empty()) throw bad_input("--only", "", chosen.why_none(all));
}

void keep_ceilings(std::vector<suite_case>& cases, const std::vector<std::string>& wanted) {
  report_unknown_ceilings(wanted);
  std::erase_if(cases, [&](const suite_case& c) {
    return !c.ceiling.empty() && std::find(wanted.begin(), wanted.end(), c.ceiling) == wanted.end();
  });
}

/// Shuffles groups of cases with equal axes, and the cases within each group, by the seed; calibrations are
/// mixed in.
void shuffle(std::vector<suite_case>& cases, std::uint64_t seed) {
  std::vector<std::vector<suite_case>> groups;
  std::map<std::string, std::size_t> place;
  for (suite_case& c : cases) {
    const auto [at, is_new] = place.emplace(case_id(c.operation->name, "", c.axes, ""), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(std::move(c));
  }
  random_stream random(seed, "order of cases");
  const auto shuffled = [&](auto& of) {
    for (std::size_t i = of.size(); i > 1; --i)
      std::swap(of[i - 1], of[random.below(static_cast<std::uint32_t>(i))]);
  };
  shuffled(groups);
  cases.clear();
  for (std::vector<suite_case>& group : groups) {
    shuffled(group);
    std::move(group.begin(), group.end(), std::back_inserter(cases));
  }
}

void inject(std::vector<suite_case>& cases, const injected_delay& delay) {
  if (!can_inject_delay())
    throw bad_input("--inject-delay", "", "this build cannot; expected one with -DABLATE_INJECT_DELAY=ON");
  const case_filter into(delay.into, case_words_of(cases), "--inject-into");
  for (suite_case& c : cases)
    if (c.ceiling.empty() && into.holds(case_words_of(c))) c.protocol.injected_delay_pct = delay.pct;
}

}  // namespace

void apply(const launch_settings& given, std::vector<suite_case>& to) {
  if (!given.ceilings.empty()) keep_ceilings(to, given.ceilings);
  if (!given.only.empty()) keep_only(to, given.only);
  if (given.order_seed) shuffle(to, *given.order_seed);
  for (suite_case& c : to) c.protocol.keeps_samples = given.keeps_samples;
  if (given.delay.pct > 0) inject(to, given.delay);
}

suite with_samples_of(const launch_settings& given, suite from) {
  if (!given.samples) return from;
  from.steady_clock = false;
  for (suite_block& block : from.blocks) block.steady_clock.reset();
  from.sampling = {*given.samples, *given.samples, 0, from.sampling.maximum_seconds};
  return from;
}

}  // namespace ablate
