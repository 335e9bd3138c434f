#include "reports/claims/claims_limits.h"

#include <gmock/gmock.h>

#include "base/record/identity.h"
#include "base/text/bad_input.h"
#include "reports/ablation/limits.h"
#include "reports/claims/claims_chips.h"
#include "reports/claims/claims_ledger.h"
#include "reports/claims/claims_words.h"
#include "reports/views/speed_up.h"
#include "tests/reports/made_claims.h"

namespace ablate::reports::claims_limits_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double minimum_pct = 2, one_launch_pct = 5;
const claim_limits usual{minimum_pct, one_launch_pct, 0.95, {}};
const std::string longer = R"("expectation": {"at_least": 1})";

/// `direct` takes 8 us, `merged` so many times as long, both within a thousandth.
std::vector<ordered_json> launch_of(double ratio) {
  const auto near = [](double us) { return made_time{us, us * 0.999, us * 1.001}; };
  return {made_case("direct", "rows", near(8)), made_case("merged", "rows", near(8 * ratio))};
}

claim_evidence launches_of(const std::vector<double>& ratios) {
  claim_evidence out = evidence_of(launch_of(ratios.front()));
  for (std::size_t i = 1; i < ratios.size(); ++i) out.further.push_back(evidence_of(launch_of(ratios[i])));
  return out;
}

claim_result judged(const claim_evidence& evidence, const claim_limits& limits,
                    const std::string& rest = longer) {
  return judge(read_made({made_claim(made_ratio, rest)}).front(), evidence, limits);
}

TEST(ClaimLimits, ByTheShippedPolicyTheyAreThoseOfTheGateAndOfComparisons) {
  const gate::gate_policy policy = shipped_policy();
  const claim_limits limits = limits_of_claims(policy);
  EXPECT_EQ(limits.minimum_pct, policy.delta.minimum_pct);
  EXPECT_EQ(limits.one_launch_pct, policy.compare.one_launch_delta_pct);
}

TEST(ClaimLimits, AnIntervalOfOneLaunchDecidesNothingBelowWhatLaunchesDifferBy) {
  const claim_evidence above = launches_of({1.005}), below = launches_of({0.995});
  EXPECT_EQ(judged(above, any_effect).verdict, claim_verdict::reproduced)
      << "what the launch alone would say";
  EXPECT_EQ(judged(below, any_effect).verdict, claim_verdict::refuted);
  for (const claim_evidence& evidence : {above, below}) {
    const claim_result r = judged(evidence, usual);
    EXPECT_EQ(r.verdict, claim_verdict::inconclusive);
    EXPECT_EQ(r.why, "0 of 1 within, 1 with an interval across the bound; one launch");
    EXPECT_EQ(r.launches, 1u);
  }
  EXPECT_EQ(judged(launches_of({1.06}), usual).verdict, claim_verdict::reproduced);
  EXPECT_EQ(judged(launches_of({0.94}), usual).verdict, claim_verdict::refuted);
}

TEST(ClaimLimits, ARatioOfSeveralLaunchesIsThatOfTables) {
  const claim_evidence evidence = launches_of({1.10, 1.12, 1.11, 1.13});
  std::vector<const record*> more;
  for (const claim_evidence& launch : evidence.further) more.push_back(&launch.facts);
  const auto& cases = evidence.facts.cases;
  // The tables' speed-up is of the second case over the first, so the claim's ratio the other way round.
  const speed_up shown = speed_up_between(case_launches(evidence.facts, more), cases[1], cases[0]);
  const claim_result r = judged(evidence, any_effect);
  ASSERT_EQ(r.pieces.size(), 1u);
  EXPECT_NEAR(r.pieces[0].figure.value, shown.ratio, 1e-12);
  EXPECT_NEAR(r.pieces[0].figure.low, shown.low, 1e-12);
  EXPECT_NEAR(r.pieces[0].figure.high, shown.high, 1e-12);
  EXPECT_EQ(r.launches, 4u);
  EXPECT_THAT(r.why, HasSubstr("; 4 launches"));
  EXPECT_EQ(judged(evidence, usual).verdict, claim_verdict::reproduced);
}

TEST(ClaimLimits, LaunchesThatDisagreeDecideNothing) {
  EXPECT_EQ(judged(launches_of({1.2}), usual).verdict, claim_verdict::reproduced);
  EXPECT_EQ(judged(launches_of({1.2, 0.9, 1.1}), usual).verdict, claim_verdict::inconclusive);
}

TEST(ClaimLimits, OfSeveralLaunchesASmallerEffectCountsAndNotTheLeast) {
  EXPECT_EQ(judged(launches_of({1.03}), usual).verdict, claim_verdict::inconclusive);
  EXPECT_EQ(judged(launches_of({1.03, 1.031, 1.03, 1.029}), usual).verdict, claim_verdict::reproduced);
  EXPECT_EQ(judged(launches_of({1.01, 1.011, 1.01, 1.009}), usual).verdict, claim_verdict::inconclusive);
}

TEST(ClaimLimits, TheNoiseFloorOfSuchCasesOnThisMachineCountsWhereItIsHigher) {
  const claim_evidence evidence = launches_of({1.06});
  const auto with = [&](const std::string& name, const std::string& fingerprint) {
    gate::noise_floors floors;
    floors.fingerprint = fingerprint;
    floors.cases[name] = {8, 100, {}};
    floors.cases["scatter/packed/items=7/@cold-clean"] = {1, 100, {}};
    return limits_of_claims(shipped_policy(), {floors});
  };
  const std::string here = history::device_fingerprint(evidence.facts);
  EXPECT_EQ(judged(evidence, with("scatter/packed/items=5/@cold-clean", here)).verdict,
            claim_verdict::inconclusive);
  EXPECT_EQ(judged(evidence, with("scatter/packed/items=5/@hot", here)).verdict, claim_verdict::reproduced);
  EXPECT_EQ(judged(evidence, with("gather/packed/items=5/@cold-clean", here)).verdict,
            claim_verdict::reproduced);
  EXPECT_EQ(judged(evidence, with("scatter/packed/items=5/@cold-clean", "another GPU")).verdict,
            claim_verdict::reproduced);
}

TEST(ClaimLimits, TimesThatAreNoRatiosAndCountedTimesHaveThemToo) {
  const std::string time = R"({"value": "time_us.median", "unit": "us",
    "of": {"operation": "scatter", "variants": "direct"}})";
  const auto of_time = [&](const claim_evidence& evidence) {
    return judge(read_made({made_claim(time, R"("expectation": {"at_most": 8.2})")}).front(), evidence,
                 usual);
  };
  EXPECT_EQ(of_time(launches_of({1})).verdict, claim_verdict::inconclusive);
  EXPECT_EQ(of_time(launches_of({1, 1, 1})).verdict, claim_verdict::reproduced);

  const auto counted = [](double cycles) {
    std::vector<ordered_json> cases = launch_of(1);
    for (ordered_json& entry : cases)
      entry["counters"]["values"] = {
          {"sm__cycles_elapsed.max", entry["variant"] == "direct" ? 1000.0 : 1000 * cycles}};
    return evidence_of(cases);
  };
  const std::string in_cycles = R"({"value": "counters.values.sm__cycles_elapsed.max",
    "of": {"operation": "scatter", "variants": "merged"}, "over": {"variants": "direct"}})";
  const auto of_cycles = [&](const claim_evidence& evidence) {
    return judge(read_made({made_claim(in_cycles, longer)}).front(), evidence, usual);
  };
  EXPECT_EQ(of_cycles(counted(1.03)).verdict, claim_verdict::inconclusive);
  EXPECT_EQ(of_cycles(counted(1.06)).verdict, claim_verdict::reproduced);
  claim_evidence launched = counted(1.03);
  launched.further = {counted(1.03), counted(1.03)};
  EXPECT_EQ(of_cycles(launched).launches, 1u) << "later launches count nothing";
}

TEST(ClaimLimits, WhatIsCountedIsExact) {
  const claim_result r =
      judge(read_made({made_claim(R"({"value": "instrumented.hits", "of": {"operation": "scatter"}})",
                                  R"("expectation": {"at_most": 250})")})
                .front(),
            launches_of({1}), usual);
  EXPECT_EQ(r.verdict, claim_verdict::reproduced);
  EXPECT_EQ(r.launches, 0u);
  EXPECT_THAT(r.why, Not(HasSubstr("launch")));
}

TEST(ClaimLimits, ARecordOfAnotherBuildIsNoFurtherLaunch) {
  const auto folder = fresh_folder();
  ordered_json record = made_record();
  std::ofstream(folder / "record.json") << record.dump();
  std::ofstream(folder / "record-02.json") << record.dump();
  EXPECT_EQ(read_claim_evidence(folder / "record.json", {folder / "record-02.json"}).further.size(), 1u);
  ordered_json later = record;
  for (ordered_json& entry : later["benchmarks"])
    entry["check"]["before"] = entry["check"]["after"] = "not_checked";
  std::ofstream(folder / "record-02.json") << later.dump();
  EXPECT_EQ(read_claim_evidence(folder / "record.json", {folder / "record-02.json"}).further.size(), 1u)
      << "the first launch compared the outputs";
  EXPECT_THROW(read_claim_evidence(folder / "record-02.json"), bad_input);
  record["context"]["ablate"]["device"]["name"] = "Other GPU";
  std::ofstream(folder / "record-02.json") << record.dump();
  try {
    read_claim_evidence(folder / "record.json", {folder / "record-02.json"});
    ADD_FAILURE() << "a ratio over two devices";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("record-02.json: expected a launch of the suite and build of"));
  }
}

TEST(ClaimsByChip, TwoChipsWithOppositeVerdictsHaveOneEach) {
  const std::vector<claim_evidence> records = {
      evidence_of(launch_of(1.5), {"h100", "GPU of one kind", "one", "2026-01-02T03:04:05+00:00"}),
      evidence_of(launch_of(0.5), {"h200", "GPU of another", "two", "2025-12-31T03:04:05+00:00"})};
  std::vector<ordered_json> claims;
  for (const char* document : {"A paper", "Ablate"}) {
    claims.push_back(made_claim(made_ratio, longer));
    claims.back()["id"] = std::string("of ") + document;
    claims.back()["source"]["document"] = document;
  }
  claims.push_back(made_claim(R"({"value": "instrumented.hits", "of": {"operation": "gather"}})", longer));
  const auto read = read_made(claims);
  const auto ledgers = ledgers_of(read, records, usual);
  const std::string text = chips_markdown(
      ledgers, [](std::size_t device, const claim&) { return device == 0 ? "h100/a.md#b" : ""; });
  for (const char* said :
       {"| published | h100 | 2 | 1 | 0 | 0 | 1 |", "| published | h200 | 2 | 0 | 1 | 0 | 1 |",
        "| our own | h100 | 1 | 1 | 0 | 0 | 0 |", "| our own | h200 | 1 | 0 | 1 | 0 | 0 |",
        "| claim | source | registered | h100 | h200 | verdicts |",
        "| of A paper | A paper | 2026-01-01 | [reproduced](h100/a.md#b), one launch, 2026-01-02 | refuted, "
        "one launch, 2025-12-31 | opposite |"})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, Not(HasSubstr("| made |"))) << "no chip judges it";
  EXPECT_THAT(ledger_markdown(ledgers, usual), HasSubstr("## Verdicts by chip\n"));
  const std::vector<claim_evidence> alone = {records[0]};
  EXPECT_THAT(ledger_markdown(ledgers_of(read, alone, usual), usual), Not(HasSubstr("by chip")));
  EXPECT_THAT(ledger_markdown(ledgers, usual), HasSubstr("| 2025-12-31, before it was written down |"));
  EXPECT_EQ(
      counts_text(ledgers[0]),
      "3 claims: 2 on 2 published statements (1 reproduced, 0 refuted, 0 inconclusive, 1 not measured), 1 of "
      "our own (1 reproduced, 0 refuted, 0 inconclusive, 0 not measured)");
}

}  // namespace
}  // namespace ablate::reports::claims_limits_test
