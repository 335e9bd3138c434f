#include "reports/gate/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reports/gate/exit_code.h"
#include "tests/support/paths.h"

namespace ablate::gate::decide_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

gate_policy shipped() { return read_policy(test_support::source_path("suites/gates/default.json")); }

int code_of(const gate_decision& d, const gate_failures& failures, bool strict) {
  return exit_code_of(d, shipped().pass, failures, strict);
}

/// Pairs around a ratio that is `pct` percent above one, swinging by `swing` percent.
taken_pairs pairs_at(double pct, std::size_t pairs, double swing = 0.2) {
  taken_pairs out;
  for (std::size_t i = 0; i < pairs; ++i) {
    // Symmetric around zero, no two alike.
    const double place = pairs == 1 ? 0 : 2.0 * static_cast<double>(i) / static_cast<double>(pairs - 1) - 1;
    out.pairs.push_back({100, 100 * (1 + pct / 100) * std::exp(swing / 100 * place), i % 2 == 0});
  }
  return out;
}

/// What each case shows in each phase, in percent, and what was asked for.
struct made_source {
  std::map<phase, std::vector<double>> effects;
  double swing = 0.2;
  std::vector<std::pair<phase, std::vector<std::size_t>>> asked = {};

  take_pairs source() {
    return [this](phase p, const std::vector<std::size_t>& cases, std::size_t pairs) {
      asked.emplace_back(p, cases);
      std::vector<taken_pairs> out;
      for (std::size_t i : cases) out.push_back(pairs_at(effects.at(p).at(i), pairs, swing));
      return out;
    };
  }
};

std::vector<gated_case> cases_named(std::initializer_list<const char*> names) {
  std::vector<gated_case> out;
  for (const char* name : names) out.push_back({name, 0.5, false});
  return out;
}

TEST(Gate, EqualCasesAreScreenedAndNothingMore) {
  made_source made{{{phase::screen, {0, 0.3, -0.4}}}};
  const gate_decision d = decide(cases_named({"a", "b", "c"}), shipped(), made.source());
  EXPECT_EQ(made.asked.size(), 1u);
  EXPECT_EQ(d.flagged, 0u);
  for (const case_decision& c : d.cases) {
    EXPECT_EQ(c.word, verdict::same) << c.name;
    EXPECT_EQ(c.pairs, 8u);
    EXPECT_EQ(c.limit.delta_pct, 2);
  }
  EXPECT_EQ(code_of(d, {}, true), 0);
}

TEST(Gate, ASlowDownIsFlaggedAndConfirmedWithPairsOfItsOwn) {
  made_source made{{{phase::screen, {0, 3, 0}}, {phase::confirm, {0, 3.5, 0}}}};
  const gate_decision d = decide(cases_named({"a", "b", "c"}), shipped(), made.source());
  ASSERT_EQ(made.asked.size(), 2u);
  EXPECT_THAT(made.asked[1].second, ElementsAre(1));
  EXPECT_EQ(d.cases[1].word, verdict::slower);
  EXPECT_EQ(d.cases[1].pairs, 16u) << "only the new pairs count";
  EXPECT_NEAR(percent_of_log(d.cases[1].ratio.estimate), 3.5, 1e-6);
  EXPECT_EQ(*d.cases[1].p, smallest_crossover_p(16));
  EXPECT_EQ(code_of(d, {}, false), 1);
}

TEST(Gate, WhatDoesNotComeBackIsTheSame) {
  made_source made{{{phase::screen, {4}}, {phase::confirm, {0.1}}}};
  const gate_decision d = decide(cases_named({"a"}), shipped(), made.source());
  EXPECT_EQ(d.flagged, 1u);
  EXPECT_EQ(d.cases[0].word, verdict::same);
  EXPECT_EQ(code_of(d, {}, true), 0);
}

TEST(Gate, AnEffectBelowDeltaIsTheSameHoweverSure) {
  made_source made{{{phase::screen, {1.5}}, {phase::confirm, {1.5}}}, 0.01};
  const gate_decision d = decide(cases_named({"a"}), shipped(), made.source());
  EXPECT_EQ(d.cases[0].word, verdict::same);
  EXPECT_EQ(made.asked.size(), 2u) << "no more pairs are needed";
}

TEST(Gate, FasterIsSaidAndNeverFails) {
  made_source made{{{phase::screen, {-4, 0}}, {phase::confirm, {-4, 0}}}};
  const gate_decision d = decide(cases_named({"a", "b"}), shipped(), made.source());
  EXPECT_EQ(d.cases[0].word, verdict::faster);
  EXPECT_EQ(code_of(d, {}, true), 0);
}

TEST(Gate, WhatIsInconclusiveGetsMorePairsOnce) {
  made_source made{{{phase::screen, {3, 0}}, {phase::confirm, {3, 0}}, {phase::extend, {3, 0}}}, 12};
  const gate_decision d = decide(cases_named({"a", "b"}), shipped(), made.source());
  ASSERT_EQ(made.asked.size(), 3u);
  EXPECT_EQ(made.asked[2].first, phase::extend);
  EXPECT_EQ(d.cases[0].pairs, 32u);
  EXPECT_EQ(d.cases[0].word, verdict::inconclusive);
  EXPECT_EQ(d.cases[0].reason, "32 pairs cannot tell an effect from none");
  EXPECT_TRUE(d.cases[0].is_suspect());
  EXPECT_EQ(code_of(d, {}, false), 4) << "it looks slower";
}

TEST(Gate, MorePairsMaySettleIt) {
  made_source made{{{phase::screen, {3}}, {phase::confirm, {3}}, {phase::extend, {3}}}, 5};
  const gate_decision d = decide(cases_named({"a"}), shipped(), made.source());
  EXPECT_EQ(made.asked.size(), 3u);
  EXPECT_EQ(d.cases[0].word, verdict::slower);
}

TEST(Gate, ManyFlaggedCasesRaiseTheBar) {
  // 16 pairs, one far below: even the smallest p, 1 of 12 870, is above 0.005 by Holm over 200
  // cases.
  const auto noisy = [](phase, const std::vector<std::size_t>& cases, std::size_t pairs) {
    taken_pairs one = pairs_at(3, pairs);
    one.pairs[0].candidate_us = 100.5;
    return std::vector<taken_pairs>(cases.size(), one);
  };
  std::vector<gated_case> many(200, {"a", 0.5, false});
  gate_policy policy = shipped();
  policy.confirm.extra_pairs = 0;
  EXPECT_EQ(decide({many[0]}, policy, noisy).cases[0].word, verdict::slower);
  const gate_decision d = decide(many, policy, noisy);
  EXPECT_EQ(d.cases[0].word, verdict::inconclusive);
  EXPECT_GT(*d.cases[0].p, 0.005);
}

TEST(Gate, TheFloorOfACaseIsItsDelta) {
  made_source made{{{phase::screen, {3.5}}, {phase::confirm, {3.5}}}};
  std::vector<gated_case> cases = {{"a", 4, false}};
  EXPECT_EQ(decide(cases, shipped(), made.source()).cases[0].word, verdict::same);
  cases[0].floor_pct = 3;
  EXPECT_EQ(decide(cases, shipped(), made.source()).cases[0].word, verdict::slower);
  cases[0].floor_pct = std::nullopt;
  const gate_decision d = decide(cases, shipped(), made.source());
  EXPECT_EQ(d.cases[0].word, verdict::slower);
  EXPECT_FALSE(d.cases[0].limit.calibrated);
}

TEST(Gate, ACaseThatIsTooNoisyIsListedAndNotJudged) {
  made_source made{{{phase::screen, {20, 0}}}};
  const gate_decision d = decide({{"a", 6, false}, {"b", 0.5, false}}, shipped(), made.source());
  EXPECT_EQ(made.asked.size(), 1u) << "nothing to confirm";
  EXPECT_EQ(d.cases[0].word, verdict::inconclusive);
  EXPECT_EQ(d.cases[0].reason, "too noisy to gate: the A/A floor of 6 % is above 5 %");
  EXPECT_EQ(code_of(d, {}, true), 4) << "half of the cases are too few for a pass";
}

TEST(Gate, ADedicatedGpuTellsLessOfLongCases) {
  gate_policy policy = shipped();
  EXPECT_EQ(limit_of(policy, 500, 0.2).delta_pct, 2);
  policy.delta.dedicated_gpu = true;
  EXPECT_EQ(limit_of(policy, 500, 0.2).delta_pct, 1);
  EXPECT_EQ(limit_of(policy, 100, 0.2).delta_pct, 2) << "long is longer than 100 us";
  EXPECT_EQ(limit_of(policy, 500, 1.5).delta_pct, 1.5);
}

TEST(Gate, BrokenPairsMakeACaseInvalid) {
  const auto broken = [](phase, const std::vector<std::size_t>& cases, std::size_t pairs) {
    std::vector<taken_pairs> out(cases.size(), pairs_at(0, pairs));
    out[0].unfit = "the SM clock was 1980 MHz for the baseline and 1200 MHz for the candidate";
    return out;
  };
  const gate_decision d = decide(cases_named({"a", "b"}), shipped(), broken);
  EXPECT_EQ(d.cases[0].word, verdict::invalid);
  EXPECT_THAT(d.cases[0].reason, HasSubstr("1200 MHz"));
  EXPECT_EQ(d.cases[1].word, verdict::same);
  EXPECT_EQ(code_of(d, {}, false), 4);
}

TEST(Gate, ATimeThatIsNoneIsInvalidToo) {
  for (double time :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto bad = [&](phase, const std::vector<std::size_t>&, std::size_t pairs) {
      std::vector<taken_pairs> out = {pairs_at(0, pairs)};
      out[0].pairs[2].candidate_us = time;
      return out;
    };
    const gate_decision d = decide(cases_named({"a"}), shipped(), bad);
    EXPECT_EQ(d.cases[0].word, verdict::invalid) << time;
    EXPECT_EQ(d.cases[0].reason, "a time is not a positive number");
  }
}

TEST(Gate, WhatTheBudgetCutsShortIsInconclusive) {
  const auto cut = [](phase p, const std::vector<std::size_t>& cases, std::size_t pairs) {
    std::vector<taken_pairs> out(cases.size(), pairs_at(1.5, p == phase::screen ? pairs : 4, 8));
    if (p != phase::screen) out[0].cut_short = "the time budget is spent";
    return out;
  };
  const gate_decision d = decide(cases_named({"a"}), shipped(), cut);
  EXPECT_EQ(d.cases[0].word, verdict::inconclusive);
  EXPECT_EQ(d.cases[0].reason, "confirmed with 4 of 16 pairs: the time budget is spent");
  const auto none = [](phase, const std::vector<std::size_t>& cases, std::size_t) {
    return std::vector<taken_pairs>(cases.size(), {{}, "", "the time budget is spent"});
  };
  EXPECT_EQ(decide(cases_named({"a"}), shipped(), none).cases[0].reason, "the time budget is spent");
}

TEST(Gate, AControlThatChangesMakesTheRunInvalid) {
  made_source made{{{phase::screen, {3, 3, 0}}, {phase::confirm, {3, 3, 0}}}};
  std::vector<gated_case> cases = cases_named({"a", "control", "b"});
  cases[1].is_control = true;
  const gate_decision d = decide(cases, shipped(), made.source());
  EXPECT_EQ(d.cases[0].word, verdict::slower);
  EXPECT_THAT(made.asked[1].second, ElementsAre(0, 1)) << "the control runs in every round";
  ASSERT_TRUE(d.invalid_run);
  EXPECT_THAT(*d.invalid_run, HasSubstr("the control control changed by +3.00 %"));
  EXPECT_EQ(code_of(d, {}, false), 4) << "the finding may be the environment's";
}

TEST(Gate, AControlAloneIsNoFinding) {
  made_source made{{{phase::screen, {3}}}};
  std::vector<gated_case> cases = cases_named({"control"});
  cases[0].is_control = true;
  const gate_decision d = decide(cases, shipped(), made.source());
  EXPECT_EQ(d.flagged, 0u);
  EXPECT_EQ(code_of(d, {}, false), 4) << "nothing was judged";
}

TEST(Gate, CasesThatAllMoveOneWayAreTheEnvironments) {
  made_source made{{{phase::screen, {0.6, 0.7, 0.8, 0.9, 0}}}};
  const gate_decision d = decide(cases_named({"a", "b", "c", "d", "e"}), shipped(), made.source());
  ASSERT_TRUE(d.invalid_run);
  EXPECT_EQ(*d.invalid_run, "4 of 5 cases are slower by more than 0.5 %: the environment is suspect");
  EXPECT_EQ(code_of(d, {}, false), 4);
  EXPECT_EQ(why_all_moved({0.01, 0.01, 0.01, 0.01}, shipped()), std::nullopt) << "too few to tell";
  EXPECT_EQ(why_all_moved({0.01, 0.01, 0.01, -0.01, 0}, shipped()), std::nullopt);
  EXPECT_TRUE(why_all_moved({-0.01, -0.01, -0.01, -0.01, -0.01}, shipped()));
}

TEST(Gate, CasesThatAPairMovesTogetherAreNotTheEnvironments) {
  // All cases of the first three pairs are 4 % slower, of the others as fast: which buffers a process got.
  const auto by_process = [](phase, const std::vector<std::size_t>& cases, std::size_t pairs) {
    taken_pairs taken;
    for (std::size_t i = 0; i < pairs; ++i)
      taken.pairs.push_back({100,
                             i < 3        ? 104 + 0.1 * static_cast<double>(i)
                             : i % 2 == 0 ? 99.9
                                          : 100.1,
                             i % 2 == 0});
    return std::vector<taken_pairs>(cases.size(), taken);
  };
  const std::vector<gated_case> cases = cases_named({"a", "b", "c", "d", "e"});
  const gate_decision d = decide(cases, shipped(), by_process);
  EXPECT_GT(d.cases[0].screened->ratio.estimate, log_of_percent(shipped().whole_run.shift_pct));
  EXPECT_EQ(d.invalid_run, std::nullopt);
  // Nor are three pairs of eight, which no interval bounds.
  const auto cut = [&](phase p, const std::vector<std::size_t>& which, std::size_t pairs) {
    std::vector<taken_pairs> taken = by_process(p, which, std::min<std::size_t>(pairs, 3));
    for (taken_pairs& each : taken) each.cut_short = "the time budget is spent";
    return taken;
  };
  EXPECT_EQ(decide(cases, shipped(), cut).invalid_run, std::nullopt);
}

TEST(Gate, FindingsOfOneSignOverManyRunsAreSuspect) {
  using runs = std::vector<std::vector<double>>;
  EXPECT_EQ(why_findings_are_suspect(runs(9, {0.03}), shipped()), std::nullopt);
  EXPECT_THAT(why_findings_are_suspect(runs(10, {0.03}), shipped()).value_or(""),
              HasSubstr("all findings of the last 10 runs with any are SLOWER"));
  EXPECT_THAT(why_findings_are_suspect(runs(10, {-0.03, -0.1}), shipped()).value_or(""), HasSubstr("FASTER"));
  // One change that makes many cases slower is a finding, not the environment.
  EXPECT_EQ(why_findings_are_suspect({std::vector<double>(30, 0.03)}, shipped()), std::nullopt);
  runs mixed(30, {0.03});
  mixed[24].push_back(-0.03);
  EXPECT_EQ(why_findings_are_suspect(mixed, shipped()), std::nullopt);
  mixed.insert(mixed.end(), 6, {0.03});  // too long ago
  EXPECT_NE(why_findings_are_suspect(mixed, shipped()), std::nullopt);
}

TEST(Gate, TheExitCodeTellsWhatIsSureFirst) {
  made_source made{{{phase::screen, {3}}, {phase::confirm, {3}}}};
  gate_decision slower = decide(cases_named({"a"}), shipped(), made.source());
  EXPECT_EQ(code_of(slower, {1, 1}, false), 3);
  EXPECT_EQ(code_of(slower, {0, 1}, false), 1);
  made_source same{{{phase::screen, {0}}}};
  const gate_decision none = decide(cases_named({"a"}), shipped(), same.source());
  EXPECT_EQ(code_of(none, {0, 1}, false), 75);
  EXPECT_EQ(code_of(none, {0, 0}, false), 0);
  EXPECT_EQ(code_of(none, {0, 0, 0, 0, 1}, false), 0);
  EXPECT_EQ(code_of(none, {0, 0, 0, 0, 1}, true), 4) << "a comparison is missing";
  EXPECT_EQ(code_of(none, {0, 0, 1, 0, 1}, false), 4) << "a case is gone";
}

TEST(Gate, AGateThatJudgedNothingNeverPasses) {
  EXPECT_EQ(code_of(gate_decision{}, {}, false), 4);
  EXPECT_EQ(code_of(gate_decision{}, {}, true), 4);
  EXPECT_EQ(code_of(gate_decision{}, {0, 1}, false), 75) << "that a case failed says more";
  made_source noisy{{{phase::screen, {0, 0}}}};
  std::vector<gated_case> cases = cases_named({"a", "b"});
  for (gated_case& c : cases) c.floor_pct = 30;
  const gate_decision d = decide(cases, shipped(), noisy.source());
  EXPECT_EQ(judged_cases(d), 0u);
  EXPECT_EQ(code_of(d, {}, false), 4);
}

TEST(Gate, ADoublingWhoseConfirmationIsCutShortDoesNotPass) {
  const auto cut = [](phase p, const std::vector<std::size_t>& cases, std::size_t pairs) {
    std::vector<taken_pairs> out;
    for (const std::size_t i : cases)
      out.push_back(pairs_at(i == 0 ? 100 : 0, p == phase::screen ? pairs : 0));
    if (p != phase::screen)
      for (taken_pairs& of : out) of.cut_short = "the time budget is spent";
    return out;
  };
  const std::vector<gated_case> cases = cases_named({"a", "b", "c", "d", "e", "f"});
  const gate_decision d = decide(cases, shipped(), cut);
  EXPECT_EQ(d.cases[0].word, verdict::inconclusive);
  EXPECT_EQ(code_of(d, {}, false), 4);
  EXPECT_THAT(why_open(d, shipped().pass, {}).value_or(""),
              HasSubstr("1 case looked slower and is not settled: a by +100 %"));
  gate_policy::pass_rules failing = shipped().pass;
  failing.otherwise_exit_code = 1;
  EXPECT_EQ(exit_code_of(d, failing, {}, false), 1);

  made_source faster{{{phase::screen, {-50, 0, 0, 0, 0, 0}}}};
  gate_decision quick =
      decide(cases, shipped(), [&](phase p, const std::vector<std::size_t>& which, std::size_t pairs) {
        if (p == phase::screen) return faster.source()(p, which, pairs);
        return std::vector<taken_pairs>(which.size(), {{}, "", "the time budget is spent"});
      });
  EXPECT_EQ(quick.cases[0].word, verdict::inconclusive);
  EXPECT_EQ(code_of(quick, {}, false), 0) << "what looks faster hides no slow-down";
  EXPECT_EQ(code_of(quick, {}, true), 4);
}

TEST(Gate, APassNeedsItsShareOfJudgedCases) {
  made_source same{{{phase::screen, std::vector<double>(10, 0)}}};
  std::vector<gated_case> cases(10, {"a", 0.5, false});
  cases[0].floor_pct = cases[1].floor_pct = 30;
  EXPECT_EQ(code_of(decide(cases, shipped(), same.source()), {}, false), 0) << "8 of 10";
  EXPECT_EQ(code_of(decide(cases, shipped(), same.source()), {0, 0, 0, 1, 1}, false), 4) << "8 of 11";
  cases[2].floor_pct = 30;
  const gate_decision d = decide(cases, shipped(), same.source());
  EXPECT_EQ(code_of(d, {}, false), 4);
  EXPECT_EQ(why_open(d, shipped().pass, {}), "7 of 10 cases were judged, and a pass needs 80 %");
}

TEST(Gate, WhatTheSecondLaunchOfAPairLosesIsNoFindingAndHidesNone) {
  const auto ordered = [](double pct) {
    return [pct](phase, const std::vector<std::size_t>& cases, std::size_t pairs) {
      taken_pairs out = pairs_at(pct, pairs);
      for (paired_time& pair : out.pairs)
        (pair.baseline_first ? pair.candidate_us : pair.baseline_us) *= 1.04;
      return std::vector<taken_pairs>(cases.size(), out);
    };
  };
  EXPECT_EQ(decide(cases_named({"a"}), shipped(), ordered(0)).cases[0].word, verdict::same);
  const gate_decision d = decide(cases_named({"a"}), shipped(), ordered(3));
  EXPECT_EQ(d.cases[0].word, verdict::slower);
  EXPECT_NEAR(percent_of_log(d.cases[0].ratio.estimate), 3, 0.05);
}

TEST(Gate, AFloorIsAHighQuantileOfWhatRunsOfTheSameCodeShow) {
  std::vector<double> effects(20, log_of_percent(0.1));
  effects[7] = -log_of_percent(0.9);
  EXPECT_NEAR(floor_pct_of(shipped(), effects), 0.9, 1e-9);
}

}  // namespace
}  // namespace ablate::gate::decide_test
