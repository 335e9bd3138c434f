#include "reports/claims/claims_ledger.h"

#include <gmock/gmock.h>

#include "reports/claims/claims_words.h"
#include "tests/reports/made_claims.h"

namespace ablate::reports::claims_ledger_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using evidences = std::vector<claim_evidence>;

claim_evidence record_of(const std::vector<ordered_json>& cases, const std::string& suite,
                         const std::string& date = "2026-01-02T03:04:05+00:00",
                         const std::string& device = "Imaginary GPU") {
  return evidence_of(cases, {"h200", device, suite, date});
}

std::vector<ordered_json> rows_alone() {
  const std::vector<ordered_json> all = made_cases();
  return {all.begin(), all.begin() + 3};
}

std::vector<claim> ratio_below(double bound) {
  return read_made({made_claim(made_ratio, R"("expectation": {"at_most": )" + std::to_string(bound) + "}")});
}

/// The suite of the record that the ledger's only claim is judged on.
std::string chosen(const evidences& records) {
  const std::vector<claim> claims = ratio_below(3);
  const auto ledgers = ledgers_of(claims, records, any_effect);
  return ledgers.at(0).entries.at(0).record->facts.suite_name;
}

TEST(ClaimLedger, OfTheRecordsOfADeviceTheOneWithTheMostWorkloadsCounts) {
  EXPECT_EQ(chosen({record_of(made_cases(), "whole"), record_of(rows_alone(), "quick", "2027-01-01")}),
            "whole");
  EXPECT_EQ(chosen({record_of(rows_alone(), "quick", "2027-01-01"), record_of(made_cases(), "whole")}),
            "whole");
}

TEST(ClaimLedger, OfEqualOnesTheOneWithMoreCasesOrElseTheLastCounts) {
  const std::string best =
      R"({"value": "time_us.median", "of": {"operation": "scatter", "switches": {"merge": "on"},
    "best": "lowest"}, "over": {"variants": "direct"}})";
  std::vector<ordered_json> fewer = made_cases();
  fewer.erase(fewer.begin() + 2);
  const evidences records = {record_of(made_cases(), "all_variants"),
                             record_of(fewer, "some_variants", "2027-01-01")};
  const auto claims = read_made({made_claim(best, R"("expectation": {"at_most": 3})")});
  EXPECT_EQ(ledgers_of(claims, records, any_effect)[0].entries[0].record->facts.suite_name, "all_variants");

  EXPECT_EQ(chosen({record_of(made_cases(), "later", "2026-01-03T00:00:00+00:00"),
                    record_of(made_cases(), "earlier", "2026-01-02T00:00:00+00:00")}),
            "later");
}

TEST(ClaimLedger, OtherRecordsThatAnswerAreNamedWithTheirVerdicts) {
  const evidences records = {record_of(made_cases(), "whole"), record_of(rows_alone(), "quick"),
                             record_of({}, "nothing")};
  const auto claims = ratio_below(1);
  const auto ledgers = ledgers_of(claims, records, any_effect);
  const claim_ledger::entry& grouped = ledgers[0].entries[0];
  EXPECT_EQ(grouped.result.verdict, claim_verdict::inconclusive);
  ASSERT_EQ(grouped.others.size(), 1u);
  EXPECT_EQ(grouped.others[0].record->facts.suite_name, "quick");
  EXPECT_EQ(grouped.others[0].result.verdict, claim_verdict::reproduced);
  EXPECT_THAT(figures_markdown(ledgers).at(0).text,
              HasSubstr("- suite quick too: reproduced, 0.5 [0.375, 0.625] (1 of 1 within; one launch)"));
  EXPECT_EQ(ledger_json(ledgers, any_effect)["devices"][0]["claims"][0]["other_records"][0]["verdict"],
            "reproduced");
}

TEST(ClaimLedger, NoFigureHoldsCasesOfTwoRecords) {
  std::vector<ordered_json> merged, direct;
  for (const ordered_json& entry : made_cases())
    (entry["variant"] == "direct" ? direct : merged).push_back(entry);
  const evidences records = {record_of(merged, "merged_alone"), record_of(direct, "direct_alone")};
  const auto claims = ratio_below(3);
  const claim_ledger::entry grouped = ledgers_of(claims, records, any_effect)[0].entries[0];
  EXPECT_EQ(grouped.result.verdict, claim_verdict::not_measured);
  EXPECT_EQ(grouped.result.why,
            "no case to divide it by has a figure at otherwise equal settings (and 1 more)");
  EXPECT_EQ(grouped.record->facts.suite_name, "merged_alone") << "the reason is of this one";
}

TEST(ClaimLedger, EachDeviceHasALedgerOfItsOwn) {
  std::vector<ordered_json> slower = made_cases();
  slower[1]["time_us"]["median"] = 32;
  slower[1]["time_us"]["ci95_low"] = slower[1]["time_us"]["ci95_high"] = 32;
  slower.resize(3);
  const evidences records = {record_of(rows_alone(), "one"),
                             record_of(slower, "two", "2026-01-01", "Other GPU"), record_of({}, "three")};
  const auto claims = ratio_below(1);
  const auto ledgers = ledgers_of(claims, records, any_effect);
  ASSERT_EQ(ledgers.size(), 2u);
  EXPECT_EQ(ledgers[0].records.size(), 2u);
  EXPECT_EQ(ledgers[0].entries[0].result.verdict, claim_verdict::reproduced);
  EXPECT_EQ(ledgers[1].entries[0].result.verdict, claim_verdict::refuted);
  EXPECT_EQ(ledgers[1].entries[0].result.pieces[0].figure.value, 4);
  EXPECT_THAT(ledgers[1].entries[0].others, IsEmpty());
  const std::string markdown = ledger_markdown(ledgers, any_effect);
  EXPECT_THAT(markdown, HasSubstr("## Imaginary GPU (h200)\n\n1 claims: 1 reproduced, 0 refuted"));
  EXPECT_THAT(markdown, HasSubstr("## Other GPU (h200)\n\n1 claims: 0 reproduced, 1 refuted"));
}

TEST(ClaimLedger, EachListHasAPageOfItsFiguresWithEveryDevice) {
  std::vector<claim> claims = ratio_below(1);
  claims.push_back(claims.front());
  claims.back().list = "Other list";
  claims.back().id = "other-0.5";
  const evidences records = {record_of(made_cases(), "one"),
                             record_of(made_cases(), "two", "2026-01-01", "Other GPU")};
  const auto ledgers = ledgers_of(claims, records, any_effect);
  const auto pages = figures_markdown(ledgers);
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_EQ(pages[1].file, "claims/other-list.md");
  for (const claim_figures_page& page : pages)
    for (const char* device : {"## Imaginary GPU (h200)", "## Other GPU (h200)"})
      EXPECT_THAT(page.text, HasSubstr(device)) << page.file;
  EXPECT_THAT(pages[0].text, Not(HasSubstr("### other-0.5")));
  const std::string ledger = ledger_markdown(ledgers, any_effect);
  EXPECT_THAT(ledger, HasSubstr("| [other-0.5](claims/other-list.md#other-05) |"));
  EXPECT_THAT(ledger, HasSubstr("| [other-0.5](claims/other-list.md#other-05-1) |"))
      << "the second heading of that text";
}

TEST(ClaimLedger, AVerdictOnOneCloudSaysWhich) {
  const std::vector<ordered_json> one = rows_alone(), two = made_cases();
  const auto on = [](std::vector<ordered_json> cases, const char* first, const char* second) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::string cloud = i < 3 ? first : second;
      cases[i]["axes"]["distribution"] = cloud;
      std::string name = cases[i]["name"];
      cases[i]["name"] = name.insert(name.find("/@"), "/distribution=" + cloud);
    }
    return cases;
  };
  const auto claims = ratio_below(3);
  const auto verdict = [&](const std::vector<ordered_json>& cases) {
    const evidences records = {record_of(cases, "made")};
    return verdict_text(ledgers_of(claims, records, any_effect)[0].entries[0].result);
  };
  EXPECT_EQ(verdict(on(one, "lidar", "")), "reproduced, one launch, one cloud (lidar)");
  EXPECT_EQ(verdict(on(two, "lidar", "uniform")), "reproduced, one launch");
  EXPECT_EQ(verdict(on(two, "lidar_5cm", "lidar_10cm_moved")), "reproduced, one launch, one cloud (lidar)")
      << "sizes and frames of one scan";
  EXPECT_EQ(verdict(on(two, "kitti", "kitti_drive")), "reproduced, one launch") << "a scan and a drive";
  EXPECT_EQ(verdict(rows_alone()), "reproduced, one launch") << "no cloud";
}

TEST(ClaimLedger, CountsWhatWasPublishedApartFromOurOwn) {
  std::vector<ordered_json> claims;
  for (const char* document : {"Ablate", "first", "second"}) {
    claims.push_back(made_claim(made_ratio, R"("expectation": {"at_most": 3})"));
    claims.back()["id"] = document;
    claims.back()["source"]["document"] = document;
  }
  const evidences records = {record_of(made_cases(), "made")};
  const auto all = read_made(claims);
  EXPECT_THAT(ledger_markdown(ledgers_of(all, records, any_effect), any_effect),
              HasSubstr("| published | 2 | 2 | 0 | 0 | 0 |"));
  claims.erase(claims.begin());
  const auto others = read_made(claims);
  EXPECT_THAT(ledger_markdown(ledgers_of(others, records, any_effect), any_effect),
              testing::Not(HasSubstr("| published |")));
}

TEST(ClaimLedger, ReadingsOfOneSectionAreOneStatement) {
  std::vector<ordered_json> claims;
  for (const auto& [document, section] :
       {std::pair("first", "1"), std::pair("first", "1"), std::pair("first", "2"), std::pair("second", "1"),
        std::pair("Ablate", "3")}) {
    claims.push_back(made_claim(made_ratio, R"("expectation": {"at_most": 3})"));
    claims.back()["id"] = "c" + std::to_string(claims.size());
    claims.back()["source"] = {{"document", document}, {"section", section}};
  }
  const evidences records = {record_of(made_cases(), "made")};
  const auto all = read_made(claims);
  EXPECT_THAT(counts_text(ledgers_of(all, records, any_effect).front()),
              testing::StartsWith("5 claims: 4 on 3 published statements (4 reproduced, "));
}

TEST(ClaimLedger, CountsVerdictsByDocumentAndWaitsByOperation) {
  std::vector<ordered_json> claims;
  const auto add = [&](ordered_json claim, const std::string& document) {
    claim["id"] = "c" + std::to_string(claims.size());
    claim["source"]["document"] = document;
    claims.push_back(std::move(claim));
  };
  add(made_claim(made_ratio, R"("expectation": {"at_most": 3})"), "first");
  add(made_claim(made_ratio, R"("expectation": {"at_least": 3})"), "second");
  add(made_claim(made_ratio, R"("expectation": {"at_most": 1})"), "first");
  add(waiting_claim(R"({"operation": "matmul"})"), "second");
  add(waiting_claim(R"({"operation": "scatter", "lacks": "a sorting variant"})"), "second");
  const evidences records = {record_of(made_cases(), "made")};
  const auto read = read_made(claims);
  const auto ledgers = ledgers_of(read, records, any_effect);

  const std::string markdown = ledger_markdown(ledgers, any_effect);
  for (const char* said :
       {"5 claims: 1 reproduced, 1 refuted, 1 inconclusive, 2 not measured",
        "| source | claims | reproduced | refuted | inconclusive | not measured |",
        "| first | 2 | 1 | 0 | 1 | 0 |", "| second | 3 | 0 | 1 | 0 | 2 |", "| all | 5 | 1 | 1 | 1 | 2 |",
        "| matmul | c3 |", "| scatter | c4 |", "/made.json | 2026-01-02T03:04:05+00:00 | 3 |"})
    EXPECT_THAT(markdown, HasSubstr(said));
  const ordered_json json = ledger_json(ledgers, any_effect)["devices"][0];
  EXPECT_EQ(json["counts"]["not measured"], 2);
  EXPECT_EQ(json["documents"][1]["document"], "second");
  EXPECT_EQ(json["documents"][1]["counts"]["refuted"], 1);
  EXPECT_EQ(json["claims"][4]["waits_for"]["lacks"], "a sorting variant");
  EXPECT_TRUE(json["claims"][3]["record"].is_null());
}

TEST(ClaimLedger, TellsFigureIntervalCasesAndDevice) {
  const auto claims = read_made({made_claim(
      made_ratio, R"("chip": "h100", "expectation": {"at_least": 3}, "prediction": {"at_most": 1})")});
  const evidences records = {record_of(made_cases(), "made")};
  const auto ledgers = ledgers_of(claims, records, any_effect);

  const ordered_json json = ledger_json(ledgers, any_effect);
  const ordered_json& device = json["devices"][0];
  EXPECT_EQ(device["device"], "Imaginary GPU");
  EXPECT_EQ(device["counts"],
            (ordered_json{{"reproduced", 0}, {"refuted", 1}, {"inconclusive", 0}, {"not measured", 0}}));
  const ordered_json& grouped = device["claims"][0];
  EXPECT_EQ(grouped["verdict"], "refuted");
  EXPECT_EQ(grouped["about"], "h100");
  EXPECT_EQ(grouped["record"], device["records"][0]["record"]);
  EXPECT_EQ(grouped["prediction_outcome"], "in part");
  EXPECT_EQ(grouped["figure"]["value"], 1.25);
  EXPECT_EQ(grouped["figures"][1]["low"], 1.5);
  EXPECT_EQ(grouped["figures"][1]["place"], "outside");
  EXPECT_EQ(grouped["figures"][1]["cases"][1], "scatter/direct/items=1000/layout=columns/@cold-clean");

  const std::string text = ledger_text(ledgers, any_effect, false);
  for (const char* said :
       {"Imaginary GPU (h200)\n",
        "made   refuted, one launch  0.5 to 2, median 1.25  at least 3  at most 1: in part  made   0 of 2 "
        "within, 2 outside; one launch; about h100, judged by ratio only",
        "1 claims: 0 reproduced, 1 refuted, 0 inconclusive, 0 not measured",
        "what the confidence intervals of the medians within it allow",
        "No figure holds cases of two records."})
    EXPECT_THAT(text, HasSubstr(said));
  const std::string markdown = ledger_markdown(ledgers, any_effect);
  EXPECT_THAT(
      markdown,
      HasSubstr("| [made](claims/n.md#made) | t. | h100 | refuted, one launch | 0.5 to 2, median 1.25 "
                "| at least 3 | at most 1: in part | made | 2026-01-01 | 2026-01-02 |"));
  const auto pages = figures_markdown(ledgers);
  ASSERT_EQ(pages.size(), 1u);
  EXPECT_EQ(pages[0].file, "claims/n.md");
  for (
      const char* said :
      {"## Imaginary GPU (h200)\n\n### made\n\nt. d, s; about h100. Registered 2026-01-01.",
       "**refuted, one launch** by suite made of 2026-01-02: 0 of 2 within, 2 outside; one launch; about h100, "
       "judged by ratio only.",
       "`scatter/merged/items=1000/layout=*/@cold-clean`, each over direct\n",
       "| layout=rows | 0.5 | 0.375 to 0.625 | outside |"})
    EXPECT_THAT(pages[0].text, HasSubstr(said));
}

TEST(ClaimLedger, AFigureOfManyCasesTellsWhatTheyAre) {
  const auto claims = read_made({made_claim(
      R"({"value": "instrumented.hits", "of": {"operation": "scatter", "variants": "merged"}, "aggregate": "max"})",
      R"("expectation": {"at_least": 1})")});
  const evidences records = {record_of(made_cases(), "made")};
  EXPECT_THAT(figures_markdown(ledgers_of(claims, records, any_effect)).at(0).text,
              HasSubstr("2 cases `scatter/merged/items=1000/layout=*/@cold-clean`: layout=rows, columns\n"));
}

TEST(ClaimLedger, WhatTheRecordsCannotJudgeIsCountedAndListedIfAsked) {
  const auto claims =
      read_made({made_claim(R"({"value": "instrumented.hits", "of": {"operation": "scatter"}})",
                            R"("expectation": {"at_least": 1})"),
                 made_claim(R"({"value": "instrumented.hits", "of": {"operation": "gather"}})",
                            R"("id": "elsewhere", "expectation": {"at_least": 1})")});
  const evidences records = {record_of(made_cases(), "made")};
  const auto ledgers = ledgers_of(claims, records, any_effect);
  EXPECT_THAT(ledger_text(ledgers, any_effect, false),
              AllOf(HasSubstr("reproduced  250 in all 6"), ::testing::Not(HasSubstr("elsewhere")),
                    HasSubstr("2 claims: 1 reproduced, 0 refuted, 0 inconclusive, 1 not measured\n"
                              "1 claims are not measured here; --all lists them with what is missing\n")));
  EXPECT_THAT(
      ledger_text(ledgers, any_effect, true),
      AllOf(HasSubstr("elsewhere"), HasSubstr("not measured  "), ::testing::Not(HasSubstr("--all lists"))));
}

TEST(ClaimLedger, FiguresThatAreAllTheSameAreToldOnce) {
  const auto claims =
      read_made({made_claim(R"({"value": "instrumented.hits", "of": {"operation": "scatter"}})",
                            R"("expectation": {"at_least": 1})")});
  const evidences records = {record_of(made_cases(), "made")};
  EXPECT_THAT(ledger_text(ledgers_of(claims, records, any_effect), any_effect, false),
              HasSubstr("reproduced  250 in all 6  at least 1"));
}

TEST(ClaimLedger, WhatNoRecordHasIsNotMeasured) {
  const auto claims =
      read_made({made_claim(R"({"value": "instrumented.hits", "of": {"operation": "gather"}})",
                            R"("expectation": {"at_least": 1})")});
  const evidences records = {record_of(made_cases(), "one"), record_of(made_cases(), "two")};
  const auto ledgers = ledgers_of(claims, records, any_effect);
  EXPECT_EQ(ledgers[0].entries[0].record, nullptr);
  EXPECT_EQ(ledgers[0].entries[0].result.why, "there is no case of 'gather' that the claim selects");
  EXPECT_THAT(ledger_markdown(ledgers, any_effect),
              HasSubstr("| not measured | there is no case of 'gather' that the claim selects |"));
}

}  // namespace
}  // namespace ablate::reports::claims_ledger_test
