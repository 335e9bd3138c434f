#include "reports/claims/claims.h"

#include <gmock/gmock.h>

#include "base/text/bad_input.h"
#include "reports/claims/claims_figure.h"
#include "reports/claims/claims_judge.h"
#include "tests/reports/made_claims.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::reports::claims_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

claim_result judged(const std::string& quantity, const std::string& rest, const claim_evidence& evidence) {
  return judge(read_made({made_claim(quantity, rest)}).front(), evidence, any_effect);
}
claim_result judged(const std::string& quantity, const std::string& rest) {
  return judged(quantity, rest, evidence_of(made_cases()));
}

std::vector<double> values(const claim_result& r) {
  std::vector<double> out;
  for (const auto& piece : r.pieces) out.push_back(piece.figure.value);
  return out;
}

TEST(Claims, ARatioPairsCasesThatDifferInTheVariantAlone) {
  const claim_result r = judged(made_ratio, R"("expectation": {"at_least": 0.1})");
  EXPECT_THAT(values(r), ElementsAre(0.5, 2));
  EXPECT_THAT(r.pieces[1].cases, ElementsAre("scatter/merged/items=1000/layout=columns/@cold-clean",
                                             "scatter/direct/items=1000/layout=columns/@cold-clean"));
  EXPECT_EQ(r.pieces[0].figure.low, 3.0 / 8);
  EXPECT_EQ(r.pieces[0].figure.high, 5.0 / 8);
  EXPECT_EQ(r.pieces[1].figure.low, 1.5);
  EXPECT_EQ(r.pieces[1].figure.high, 20 / 7.5);
  EXPECT_EQ(r.figure->value, 1.25) << "the median";
  EXPECT_EQ(r.figure->low, 0.375);
  EXPECT_EQ(r.figure->high, 20 / 7.5);
}

/// The rows measured by one GPU and the columns by another, on which a calibration of 100 us takes `slower`
/// times as long.
claim_evidence of_two_gpus(double slower) {
  std::vector<ordered_json> cases = made_cases();
  for (ordered_json& entry : cases) entry["specimen"] = entry["axes"]["layout"] == "rows" ? "GPU-1" : "GPU-2";
  claim_evidence out = evidence_of(cases);
  out.facts.parts.resize(2);
  out.facts.parts[0].specimen = "GPU-1";
  out.facts.parts[0].calibrations = {{"ceilings/read", 100}, {"ceilings/empty", 2}};
  out.facts.parts[1].specimen = "GPU-2";
  out.facts.parts[1].calibrations = {{"ceilings/read", 100 * slower}, {"ceilings/empty", 3}};
  return out;
}

TEST(Claims, ARatioOfTwoGpusIsAsUncertainAsTheseDiffer) {
  const std::string columns_over_rows = R"({"value": "time_us.median",
    "of": {"operation": "scatter", "variants": "direct", "axes": {"layout": "columns"}},
    "over": {"axes": {"layout": "rows"}}})";
  const std::string at_least = R"("expectation": {"at_least": 0.92})";
  const claim_result near = judged(columns_over_rows, at_least, of_two_gpus(1.01));
  ASSERT_EQ(near.pieces.size(), 1u);
  EXPECT_DOUBLE_EQ(near.pieces[0].figure.value, 1);
  EXPECT_DOUBLE_EQ(near.pieces[0].figure.low, 7.5 / (8 * 1.01));
  EXPECT_DOUBLE_EQ(near.pieces[0].figure.high, 10 / (8 / 1.01));
  EXPECT_EQ(near.verdict, claim_verdict::reproduced);
  EXPECT_EQ(judged(columns_over_rows, at_least, of_two_gpus(1.12)).verdict, claim_verdict::inconclusive);
  // Ratios of one GPU are as certain as before.
  EXPECT_EQ(judged(made_ratio, R"("expectation": {"at_least": 0.1})", of_two_gpus(1.12)).pieces[0].figure.low,
            3.0 / 8);
  claim_evidence unknown = of_two_gpus(1);
  unknown.facts.parts[1].calibrations.clear();
  const claim_result r = judged(columns_over_rows, at_least, unknown);
  EXPECT_EQ(r.verdict, claim_verdict::not_measured);
  EXPECT_THAT(r.why, HasSubstr("no calibration says by how much they differ"));
}

/// An axis that ids leave out at its default came later than what does not name it.
TEST(Claims, AnAxisThatIsSilentAtItsDefaultHasThatUnlessItIsNamed) {
  const std::string at_least = R"("expectation": {"at_least": 0.1})";
  claim_evidence evidence = evidence_of(made_cases());
  evidence.facts.operations = {
      {"scatter", "", "direct", {}, {}, {{"layout", "rows"}, {"pass", "inference"}}}};
  EXPECT_THAT(values(judged(made_ratio, at_least, evidence)), ElementsAre(0.5));
  const std::string of_columns = R"({"value": "time_us.median",
    "of": {"operation": "scatter", "variants": "merged", "axes": {"layout": "columns"}}, "over": {"variants": "direct"}})";
  EXPECT_THAT(values(judged(of_columns, at_least, evidence)), ElementsAre(2));
  const std::string columns_over_rows = R"({"value": "time_us.median",
    "of": {"operation": "scatter", "variants": "direct", "axes": {"layout": "columns"}},
    "over": {"axes": {"layout": "rows"}}})";
  EXPECT_THAT(values(judged(columns_over_rows, at_least, evidence)), ElementsAre(1));
}

/// They agree in the axes that both operations have; of what one has alone, silent axes are at their default.
TEST(Claims, ACaseOfAnotherOperationAgreesInWhatBothHave) {
  std::vector<ordered_json> cases = made_cases();
  const auto add = [&](const std::string& layout, const std::string& pass, double us) {
    ordered_json& of = cases.emplace_back(reports::made_case("direct", layout, {us, us, us}));
    of["operation"] = "gather";
    of["axes"] = {{"layout", layout}, {"pass", pass}};
    of["name"] = "gather/direct/layout=" + layout + "/pass=" + pass + "/@cold-clean";
  };
  add("rows", "inference", 2);
  add("rows", "training", 32);
  add("columns", "inference", 4);
  claim_evidence evidence = evidence_of(cases);
  evidence.facts.operations = {{"gather", "", "direct", {}, {}, {{"pass", "inference"}}}};
  const std::string at_least = R"("expectation": {"at_least": 0.1})";
  const std::string over =
      R"({"value": "time_us.median", "of": {"operation": "scatter", "variants": "direct"},
    "over": {"operation": "gather", "variants": "direct")";
  EXPECT_THAT(values(judged(over + "}}", at_least, evidence)), ElementsAre(4, 2));
  EXPECT_THAT(values(judged(over + R"(, "axes": {"pass": "training"}}})", at_least, evidence)),
              ElementsAre(0.25));
}

TEST(Claims, ADifferencePairsCasesThatDifferInTheVariantAlone) {
  const std::string times =
      R"({"value": "time_us.median", "unit": "us", "of": {"operation": "scatter", "variants": ["merged", "direct"]}, "minus": {"variants": "direct"}})";
  const claim_result r = judged(times, R"("expectation": {"at_least": -100})");
  std::vector<double> found = values(r);
  std::sort(found.begin(), found.end());
  EXPECT_THAT(found, ElementsAre(-4, 0, 0, 8)) << "a case less itself is nothing";
  const auto apart =
      std::ranges::find_if(r.pieces, [](const auto& piece) { return piece.figure.value == 8; });
  ASSERT_NE(apart, r.pieces.end());
  EXPECT_EQ(apart->figure.low, 15 - 10);
  EXPECT_EQ(apart->figure.high, 20 - 7.5);

  std::vector<ordered_json> cases = made_cases();
  for (ordered_json& entry : cases)
    entry["memory"] = {{"bytes", entry["variant"] == "direct" ? 4096 : 5120},
                       {"buffers", {{"in", entry["variant"] == "direct" ? 4096 : 5120}}}};
  const claim_result memory = judged(
      R"({"value": "memory.bytes", "unit": "bytes", "of": {"operation": "scatter", "variants": "merged"}, "minus": {"variants": "direct"}})",
      R"("expectation": {"at_least": 1024, "at_most": 1024})", evidence_of(cases));
  EXPECT_EQ(memory.verdict, claim_verdict::reproduced);
  EXPECT_THAT(values(memory), ElementsAre(1024, 1024));
  EXPECT_EQ(
      judged(
          R"({"value": "memory.bytes", "unit": "bytes", "of": {"operation": "scatter"}, "minus": {"variants": "direct"}})",
          R"("expectation": {"at_most": 1})")
          .verdict,
      claim_verdict::not_measured)
      << "records before 1.4 do not tell it";
}

TEST(Claims, VerdictsFollowTheIntervalsOfTheFigures) {
  const auto verdict = [](const std::string& rest) { return judged(made_ratio, rest).verdict; };
  EXPECT_EQ(verdict(R"("expectation": {"at_least": 0.375, "at_most": 3})"), claim_verdict::reproduced);
  EXPECT_EQ(verdict(R"("expectation": {"at_least": 3})"), claim_verdict::refuted);
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 2})"), claim_verdict::inconclusive)
      << "one interval lies across 2";
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 1})"), claim_verdict::inconclusive) << "the cases disagree";
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 1}, "holds_for": "every")"), claim_verdict::refuted);
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 2}, "holds_for": "every")"), claim_verdict::inconclusive);
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 1}, "holds_for": "some")"), claim_verdict::reproduced);
  EXPECT_EQ(verdict(R"("expectation": {"at_least": 3}, "holds_for": "some")"), claim_verdict::refuted);
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 1}, "holds_for": 0.5)"), claim_verdict::reproduced);
  EXPECT_EQ(verdict(R"("expectation": {"at_most": 1}, "holds_for": 0.6)"), claim_verdict::refuted);
}

TEST(Claims, EachFigureSaysWhereItLies) {
  const claim_result r = judged(made_ratio, R"("expectation": {"at_most": 2})");
  EXPECT_EQ(r.pieces[0].place, claim_place::inside);
  EXPECT_EQ(r.pieces[1].place, claim_place::straddles);
  EXPECT_EQ(r.why, "1 of 2 within, 1 with an interval across the bound; one launch");
}

TEST(Claims, APathMayLeadToQualityAndToWhatWasCounted) {
  std::vector<ordered_json> cases = made_cases();
  for (ordered_json& entry : cases) {
    entry["quality"] = {{"spread_m", entry["variant"] == "direct" ? 4.0 : 9.0}, {"bin_share", nullptr}};
    entry["instrumented"]["overflow_share"] = 0.25;
  }
  const claim_evidence evidence = evidence_of(cases);
  const claim_result wider = judged(
      R"({"value": "quality.spread_m", "of": {"operation": "scatter", "variants": "merged"}, "over": {"variants": "direct"}})",
      R"("expectation": {"at_least": 2})", evidence);
  EXPECT_EQ(wider.verdict, claim_verdict::reproduced);
  EXPECT_THAT(values(wider), ElementsAre(2.25, 2.25));
  const claim_result share = judged(
      R"({"value": "instrumented.overflow_share", "of": {"operation": "scatter", "variants": "direct"}})",
      R"("expectation": {"at_most": 0.25})", evidence);
  EXPECT_EQ(share.verdict, claim_verdict::reproduced);
  EXPECT_EQ(share.figure->low, share.figure->high) << "a count has no interval";
}

TEST(Claims, QualityThatIsNotThereIsNotMeasuredAndSaysWhy) {
  std::vector<ordered_json> cases = made_cases();
  const auto judged_bin = [&] {
    return judged(R"({"value": "quality.bin_share", "of": {"operation": "scatter", "variants": "merged"}})",
                  R"("expectation": {"at_most": 1})", evidence_of(cases));
  };
  for (ordered_json& entry : cases) entry["quality"] = {{"bin_share", nullptr}};
  EXPECT_EQ(judged_bin().verdict, claim_verdict::not_measured);
  EXPECT_EQ(judged_bin().why, "quality.bin_share is null (and 1 more)");
  for (ordered_json& entry : cases) entry["quality"] = nullptr;
  EXPECT_EQ(judged_bin().why, "no quality.bin_share (and 1 more)");
  for (ordered_json& entry : cases) entry.erase("quality");
  EXPECT_EQ(judged_bin().verdict, claim_verdict::not_measured);
  EXPECT_EQ(judged_bin().why, "no quality.bin_share (and 1 more)");
}

TEST(Claims, APredictionIsJudgedApart) {
  const claim_result r =
      judged(made_ratio, R"("expectation": {"at_least": 3}, "prediction": {"at_most": 3})");
  EXPECT_EQ(r.verdict, claim_verdict::refuted);
  EXPECT_EQ(r.prediction, claim_verdict::reproduced);
  EXPECT_EQ(judged(made_ratio, R"("expectation": {"at_least": 3})").prediction, std::nullopt);
}

TEST(Claims, TheBestOfTheVariantsIsTakenForEachWorkload) {
  const std::string best = R"({"value": "time_us.median",
    "of": {"operation": "scatter", "switches": {"merge": "on"}, "best": "lowest"}, "over": {"variants": "direct"}})";
  EXPECT_THAT(values(judged(best, R"("expectation": {"at_most": 1})")), ElementsAre(0.25, 2));
  const std::string worst =
      R"({"value": "time_us.median", "of": {"operation": "scatter", "variants": "direct"},
    "over": {"switches": {"merge": "on"}, "best": "highest"}})";
  EXPECT_THAT(values(judged(worst, R"("expectation": {"at_most": 1})")), ElementsAre(2, 0.25));
}

TEST(Claims, ACaseOverItselfIsExactlyOne) {
  const std::string best =
      R"({"value": "time_us.median", "of": {"operation": "scatter", "axes": {"layout": "columns"}, "best": "lowest"},
    "over": {"variants": "direct"}})";
  const claim_result r = judged(best, R"("expectation": {"at_least": 1})");
  EXPECT_EQ(r.verdict, claim_verdict::reproduced);
  EXPECT_EQ(r.pieces.front().figure.high, 1);
}

TEST(Claims, WhatOverNamesIsTheOnlyDifference) {
  const std::string layouts =
      R"({"value": "time_us.median", "of": {"operation": "scatter", "axes": {"layout": "columns"}},
    "over": {"axes": {"layout": "rows"}}})";
  EXPECT_THAT(values(judged(layouts, R"("expectation": {"at_least": 1})")), ElementsAre(1, 4, 16));

  auto cases = made_cases();
  cases[0]["axes"]["items"] = "2000";
  cases[3]["cache_state"] = "hot";
  const claim_result r = judged(made_ratio, R"("expectation": {"at_least": 1})", evidence_of(cases));
  EXPECT_EQ(r.verdict, claim_verdict::not_measured);
  EXPECT_THAT(r.why, HasSubstr("no case to divide it by"));
}

TEST(Claims, TimesOfTwoMethodsAreNotDividedByEachOther) {
  auto cases = made_cases();
  cases[0]["time_us"]["method"] = "graph";
  EXPECT_THAT(values(judged(made_ratio, R"("expectation": {"at_least": 1})", evidence_of(cases))),
              ElementsAre(2));
}

TEST(Claims, ValuesAreSumsOverSumsOfOneCase) {
  const std::string of =
      R"("of": {"operation": "scatter", "variants": "direct", "axes": {"layout": "rows", "items": 1000}})";
  const auto value = [&](const std::string& measure) {
    return values(
               judged("{" + measure + R"(, "unit": "u", )" + of + "}", R"("expectation": {"at_least": 0})"))
        .at(0);
  };
  EXPECT_EQ(value(R"("value": "instrumented.hits", "per": "instrumented.valid")"), 0.25);
  EXPECT_EQ(
      value(
          R"("value": ["instrumented.hits", "instrumented.misses"], "per": ["instrumented.valid"], "scale": 100)"),
      100);
  EXPECT_EQ(value(R"("value": "instrumented.valid", "per": "time_us.median")"), 125);
}

TEST(Claims, AggregatesMakeOneFigureOfAll) {
  const auto aggregated = [](const std::string& how) {
    const std::string quantity =
        R"({"value": "time_us.median", "unit": "us", "of": {"operation": "scatter", "switches": {"merge": "on"}}, )" +
        how + "}";
    const claim_result r = judged(quantity, R"("expectation": {"at_least": 0})");
    EXPECT_EQ(r.pieces.size(), 1u);
    EXPECT_EQ(r.pieces.front().cases.size(), 4u);
    return r.pieces.front().figure;
  };
  const auto expect = [](const claim_figure& f, double value, double low, double high) {
    EXPECT_EQ(f.value, value);
    EXPECT_EQ(f.low, low);
    EXPECT_EQ(f.high, high);
  };
  expect(aggregated(R"("aggregate": "min")"), 2, 2, 2);
  expect(aggregated(R"("aggregate": "max")"), 32, 32, 32);
  expect(aggregated(R"("aggregate": "median")"), 10, 9, 12.5);
  expect(aggregated(R"("aggregate": "count", "within": {"at_most": 4})"), 2, 1, 2);
  expect(aggregated(R"("aggregate": "share", "within": {"at_least": 4})"), 0.75, 0.5, 0.75);
}

TEST(Claims, ConditionsLeaveCasesOut) {
  const std::string quantity =
      R"({"value": "time_us.median", "unit": "us", "of": {"operation": "scatter", "variants": "merged"},
    "where": [{"value": "instrumented.hits", "per": "instrumented.valid", "at_least": 0.5}]})";
  auto cases = made_cases();
  cases[4]["instrumented"]["hits"] = 500;
  EXPECT_THAT(values(judged(quantity, R"("expectation": {"at_least": 1})", evidence_of(cases))),
              ElementsAre(16));
  EXPECT_EQ(judged(quantity, R"("expectation": {"at_least": 1})").verdict, claim_verdict::not_measured);
  cases[4]["instrumented"].erase("hits");
  EXPECT_EQ(judged(quantity, R"("expectation": {"at_least": 1})", evidence_of(cases)).why,
            "no instrumented.hits");
}

TEST(Claims, WhatIsMissingIsNamedWithTheRecordsReason) {
  const std::string quantity =
      R"({"value": "counters.values.dram__bytes_read.sum", "unit": "bytes", "of": {"operation": "scatter", "variants": "merged"}})";
  const std::string rest = R"("expectation": {"at_least": 1})";
  auto cases = made_cases();
  cases[1]["counters"] = {{"set", "core"},
                          {"reason", nullptr},
                          {"values", {{"dram__bytes_read.sum", nullptr}}},
                          {"missing", {{"dram__bytes_read.sum", "the pass was lost"}}}};
  cases[4]["counters"] = {{"set", "none"}, {"reason", "no permission"}, {"values", ordered_json::object()}};
  const claim_result none = judged(quantity, rest, evidence_of(cases));
  EXPECT_EQ(none.verdict, claim_verdict::not_measured);
  EXPECT_EQ(none.why, "counters.values.dram__bytes_read.sum is null: the pass was lost (and 1 more)");
  EXPECT_EQ(none.missing.at(1).second, "no counters.values.dram__bytes_read.sum: no permission");

  cases[4]["counters"]["values"]["dram__bytes_read.sum"] = 64;
  const claim_result one = judged(quantity, rest, evidence_of(cases));
  EXPECT_EQ(one.verdict, claim_verdict::reproduced);
  EXPECT_EQ(one.why, "1 of 1 within; without a figure: 1");

  EXPECT_THAT(
      judged(
          R"({"value": "time_us.median", "unit": "us", "of": {"operation": "scatter", "variants": "none_such"}})",
          rest)
          .why,
      HasSubstr("no case of 'scatter'"));
}

TEST(Claims, CasesThatCameToNothingAreNamedToo) {
  ordered_json record = made_record();
  record["benchmarks"] = ordered_json::array();
  const claim_evidence evidence = read_claim_evidence(written("record.json", record.dump()));
  ASSERT_FALSE(evidence.facts.unmeasured.empty());
  const unmeasured_case& first = evidence.facts.unmeasured.front();
  const claim_result r = judged(
      R"({"value": "time_us.median", "unit": "us", "of": {"operation": ")" + first.operation + R"("}})",
      R"("expectation": {"at_least": 1})", evidence);
  EXPECT_EQ(r.verdict, claim_verdict::not_measured);
  EXPECT_THAT(r.why, HasSubstr(first.status + ": " + first.reason));
}

TEST(Claims, FiguresWithAUnitAreNotJudgedOnAnotherChip) {
  const std::string time =
      R"({"value": "time_us.median", "unit": "us", "of": {"operation": "scatter", "variants": "direct"}})";
  const std::string rest = R"("chip": "h100", "expectation": {"at_least": 1})";
  const claim_result elsewhere = judged(time, rest);
  EXPECT_EQ(elsewhere.verdict, claim_verdict::not_measured);
  EXPECT_EQ(elsewhere.figure->value, 8);
  EXPECT_THAT(elsewhere.why, HasSubstr("about h100 in us; on h200"));
  EXPECT_EQ(judged(time, rest, evidence_of(made_cases(), {"h100"})).verdict, claim_verdict::reproduced);

  const claim_result by_ratio = judged(made_ratio, R"("chip": "h100", "expectation": {"at_most": 3})");
  EXPECT_EQ(by_ratio.verdict, claim_verdict::reproduced);
  EXPECT_THAT(by_ratio.why, HasSubstr("about h100, judged by ratio only"));
}

TEST(Claims, AClaimThatWaitsIsNotMeasured) {
  const auto judged_waiting = [](const ordered_json& claim) {
    return judge(read_made({claim}).front(), evidence_of(made_cases()), any_effect);
  };
  const claim_result of_operation = judged_waiting(waiting_claim(R"({"operation": "matmul"})"));
  EXPECT_EQ(of_operation.verdict, claim_verdict::not_measured);
  EXPECT_EQ(of_operation.why, "waits for operation matmul");
  const claim_result of_variant =
      judged_waiting(waiting_claim(R"({"operation": "scatter", "lacks": "a sorting variant"})"));
  EXPECT_EQ(of_variant.why, "waits for a sorting variant of operation scatter");

  ordered_json complete = made_claim(made_ratio, R"("expectation": {"at_least": 0.1})");
  EXPECT_EQ(judged_waiting(complete).verdict, claim_verdict::reproduced);
  complete["waits_for"] = {{"operation", "scatter"}, {"lacks", "a sorting variant"}};
  EXPECT_EQ(judged_waiting(complete).verdict, claim_verdict::not_measured) << "as long as it waits";
  EXPECT_TRUE(judged_waiting(complete).pieces.empty());
}

TEST(Claims, AKernelHasWhatTheCompilerSaysOfIt) {
  const claim_result registers = judged(
      R"({"value": "kernels[-1].compiled.{architecture}.registers", "of": {"operation": "scatter", "variants": "merged"}})",
      R"("expectation": {"at_most": 40})");
  EXPECT_EQ(registers.verdict, claim_verdict::reproduced);
  EXPECT_THAT(values(registers), ElementsAre(40, 40));
}

TEST(ClaimFigure, PathsLeadThroughMembersElementsAndNamesWithDots) {
  const auto entry = ordered_json::parse(
      R"({"a": {"b.c": 1, "b": {"d": 2}}, "k": [{"x": {"sm_90a": 3}}, {"x": {"sm_90a": 4}}],
    "grid": [5, 6], "t": {"median": 8, "ci95_low": 7, "ci95_high": 9}, "words": "w", "nothing": null, "n": {"v.sum": {"w.avg": 10}}})");
  const auto at = [&](const char* path) { return std::get<claim_figure>(figure_at(entry, path, "sm_90a")); };
  EXPECT_EQ(at("a.b.c").value, 1);
  EXPECT_EQ(at("a.b.d").value, 2);
  EXPECT_EQ(at("k[0].x.{architecture}").value, 3);
  EXPECT_EQ(at("k[-1].x.sm_90a").value, 4);
  EXPECT_EQ(at("grid[1]").value, 6);
  EXPECT_EQ(at("n.v.sum.w.avg").value, 10);
  EXPECT_EQ(at("t.median").low, 7);
  EXPECT_EQ(at("t.median").high, 9);
  EXPECT_EQ(at("t.ci95_low").high, 7);
  for (const char* path :
       {"", "a", "a.", "a.b.", "a.x", "k[2].x.sm_90a", "k[-3].x", "k[", "k[]", "k[x]", "grid[0", "grid[0]x",
        "words", "words.x", "nothing", ".", "[0]", "a..b", "grid[99999999999999999999]"})
    EXPECT_TRUE(std::holds_alternative<std::string>(figure_at(entry, path, "sm_90a"))) << path;
}

TEST(ClaimFigure, NothingIsDividedByZero) {
  EXPECT_TRUE(std::holds_alternative<std::string>(quotient({1, 1, 1}, {0, 0, 0})));
  EXPECT_TRUE(std::holds_alternative<std::string>(quotient({1, 1, 1}, {1, 0, 2})));
}

TEST(ClaimFigure, NothingIsBeyondWhatANumberHolds) {
  EXPECT_EQ(std::get<std::string>(quotient({1e300, 1e300, 1e300}, {1e-300, 1e-300, 1e-300})),
            "inf [inf, inf] is no finite figure");
  EXPECT_TRUE(std::holds_alternative<std::string>(difference({1e308, -1e308, 1e308}, {0, -1e308, 1e308})));
}

struct broken {
  std::string pointer, replacement, place, said;
};

TEST(Claims, ABrokenFileIsOneLineThatNamesThePlace) {
  const ordered_json good = {{"name", "n"},
                             {"description", "d"},
                             {"claims", {made_claim(made_ratio, R"("expectation": {"at_most": 1})")}}};
  for (const broken& b : std::vector<broken>{
           {"/claim", "[]", "/claim", "no key 'claim' (did you mean 'claims'?)"},
           {"/claims", "7", "/claims", "expected an array"},
           {"/name", '"' + std::string(201, 'n') + '"', "/name", "at most 200 bytes, found 201"},
           {"/claims/0/id", "\"\"", "/claims/0/id", "not empty"},
           {"/claims/0/registered", "\"20 November\"", "/claims/0/registered",
            "expected a day, YYYY-MM-DD, found \"20 November\""},
           {"/claims/0/registered", "20261120", "/claims/0/registered", "expected a string"},
           {"/claims/0/source", "\"d\"", "/claims/0/source", "expected an object"},
           {"/claims/0/expectaton", "{}", "/claims/0/expectaton", "did you mean 'expectation'?"},
           {"/claims/0/expectation", "{}", "/claims/0/expectation", "expected at_least, at_most or both"},
           {"/claims/0/expectation", R"({"at_least": 2, "at_most": 1})", "/claims/0/expectation",
            "at_least <= at_most"},
           {"/claims/0/expectation", R"({"at_lest": 2})", "/claims/0/expectation/at_lest",
            "did you mean 'at_least'?"},
           {"/claims/0/holds_for", "\"ever\"", "/claims/0/holds_for", "did you mean 'every'?"},
           {"/claims/0/holds_for", "1.5", "/claims/0/holds_for", "a share above 0 and up to 1"},
           {"/claims/0/waits_for", "\"operation matmul\"", "/claims/0/waits_for", "expected an object"},
           {"/claims/0/waits_for", "{}", "/claims/0/waits_for", "expected a key 'operation'"},
           {"/claims/0/waits_for", R"({"operation": "matmul", "lack": "x"})", "/claims/0/waits_for/lack",
            "did you mean 'lacks'?"},
           {"/claims/0/quantity", R"({"value": "time_us.median", "of": {"operation": "scatter"}})",
            "/claims/0/quantity", "expected a unit: 'time_us.median' makes the figure no pure number"},
           {"/claims/0/quantity",
            R"({"value": "input.points", "per": "time_us.median", "of": {"operation": "scatter"}})",
            "/claims/0/quantity", "expected a unit: 'time_us.median'"},
           {"/claims/0/quantity",
            R"({"value": "memory.bytes", "of": {"operation": "scatter"}, "minus": {"variants": "direct"}})",
            "/claims/0/quantity", "expected a unit: 'memory.bytes'"},
           {"/claims/0/quantity/of", R"({"operatoin": "scatter"})", "/claims/0/quantity/of/operatoin",
            "did you mean 'operation'?"},
           {"/claims/0/quantity/of", "{}", "/claims/0/quantity/of", "expected a key 'operation'"},
           {"/claims/0/quantity/of/best", "\"lowst\"", "/claims/0/quantity/of/best",
            "did you mean 'lowest'?"},
           {"/claims/0/quantity/over", "{}", "/claims/0/quantity/over", "what the other case differs in"},
           {"/claims/0/quantity/minus", R"({"variants": "direct"})", "/claims/0/quantity/minus",
            "over or minus, found both"},
           {"/claims/0/quantity/over/operations", "\"x\"", "/claims/0/quantity/over/operations",
            "did you mean 'operation'?"},
           {"/claims/0/quantity/value", "[]", "/claims/0/quantity/value",
            "expected an array of at least one value"},
           {"/claims/0/quantity/value", "1", "/claims/0/quantity/value", "expected a string"},
           {"/claims/0/quantity/scale", "0", "/claims/0/quantity/scale", "a number above 0"},
           {"/claims/0/quantity/aggregate", "\"mean\"", "/claims/0/quantity/aggregate",
            "no aggregate 'mean'"},
           {"/claims/0/quantity/aggregate", "\"share\"", "/claims/0/quantity", "expected a key 'within'"},
           {"/claims/0/quantity/within", R"({"at_most": 1})", "/claims/0/quantity/within",
            "only beside the aggregate"},
           {"/claims/0/quantity/where", R"([{"value": "x"}])", "/claims/0/quantity/where/0",
            "expected at_least"},
           {"/claims/1", good["claims"][0].dump(), "/claims/1/id", "'made' of /claims/0 again"}}) {
    ordered_json json = good;
    json[ordered_json::json_pointer(b.pointer)] = ordered_json::parse(b.replacement);
    const auto path = written("broken.json", json.dump());
    try {
      read_claims(path);
      ADD_FAILURE() << "was read: " << json.dump();
    } catch (const bad_input& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.find(path.string() + ": " + b.place + ": "), 0u) << what;
      EXPECT_THAT(what, HasSubstr(b.said));
      EXPECT_EQ(what.find('\n'), what.npos);
    }
  }
  ordered_json unregistered = good;
  unregistered["claims"][0].erase("registered");
  try {
    read_claims(written("unregistered.json", unregistered.dump()));
    ADD_FAILURE() << "nobody knows whether it was written down before it was measured";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("/claims/0: expected the day on which the claim was written down: add "
                                    "\"registered\": \"YYYY-MM-DD\""));
  }
  ordered_json without = good;
  without["claims"][0].erase("quantity");
  try {
    read_claims(written("without.json", without.dump()));
    ADD_FAILURE() << "nothing to judge it by, and nothing to wait for";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("/claims/0: expected a quantity, or waits_for"));
  }
  EXPECT_THROW(read_claims(written("cut.json", good.dump().substr(0, 60))), bad_input);
  EXPECT_THROW(read_claims(made_data() / "no_such_file.json"), bad_input);
}

process::result validated(const std::filesystem::path& file) {
  return process::run({"node", (renderer_directory() / "validate.mjs").string(),
                       (renderer_directory() / "schema" / "claims.schema.json").string(), file.string()});
}

TEST(ClaimsSchema, HoldsForTheCommittedClaims) {
  const std::filesystem::path folder = test_support::source_path("suites/claims");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_FALSE(read_claims(entry.path()).empty());
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const process::result result = validated(entry.path());
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
}

TEST(ClaimsSchema, NamesThePlaceWhereItDoesNotHold) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  ordered_json claim = made_claim(made_ratio, R"("expectation": {"at_most": 1}, "holds_for": 2)");
  claim["quantity"]["aggregate"] = "share";
  claim["quantity"]["of"].erase("operation");
  const process::result result = validated(
      written("claims.json", ordered_json{{"name", "n"}, {"description", "d"}, {"claims", {claim}}}.dump()));
  EXPECT_EQ(result.exit_code, 2);
  for (const char* said :
       {"/claims/0/quantity/of: must have required property 'operation'",
        "/claims/0/quantity: must have required property 'within'", "/claims/0/holds_for: must"})
    EXPECT_THAT(result.output, HasSubstr(said));
}

}  // namespace
}  // namespace ablate::reports::claims_test
