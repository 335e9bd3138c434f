#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "reports/gate/affected.h"
#include "reports/plots/render.h"
#include "tests/harness/gate/made_launches.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::gate_test {
namespace {

using nlohmann::ordered_json;
using test_support::made_case;
using test_support::made_launches;
using test_support::program_result;
using test_support::slurp;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder with a baseline's launches, and the gate of candidates' launches against them.
class RecordedGate : public ::testing::Test {
 protected:
  RecordedGate() { test_support::write_launches(files.path() / "baseline", made_launches{}); }

  program_result gate(made_launches candidate, std::vector<std::string> more = {},
                      ordered_json policy = test_support::made_policy()) {
    candidate.seed = 2;
    test_support::write_launches(files.path() / "candidate", candidate);
    return gate_again(std::move(more), std::move(policy));
  }

  program_result gate_again(std::vector<std::string> more = {},
                            ordered_json policy = test_support::made_policy()) {
    std::vector<std::string> words = words_with(policy);
    words.insert(words.end(), more.begin(), more.end());
    return test_support::run_ablate(words);
  }

  /// With another value of one option, or with another suite.
  program_result gate_with(const std::string& option, const std::string& value) {
    std::vector<std::string> words = words_with(test_support::made_policy());
    const auto place = std::find(words.begin(), words.end(), option.empty() ? suite : option);
    if (option.empty())
      *place = value;
    else if (place == words.end())
      words.insert(words.end(), {option, value});
    else
      *std::next(place) = value;
    return test_support::run_ablate(words);
  }

  std::vector<std::string> words_with(const ordered_json& policy) const {
    return {
        "gate",          "--baseline",   at("baseline"), "--candidate",
        at("candidate"), suite,          "--policy",     files.write("policy.json", policy.dump()).string(),
        "--out",         at("out"),      "--json",       at("gate.json"),
        "--junit",       at("gate.xml"), "--markdown",   at("gate.md")};
  }

  program_result check_schema() const {
    return test_support::run_program(
        {"node", (reports::renderer_directory() / "validate.mjs").string(),
         (reports::renderer_directory() / "schema" / "gate.schema.json").string(), at("gate.json")});
  }

  program_result calibrate(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"dev",
                                      "calibrate",
                                      at("baseline"),
                                      at("candidate"),
                                      suite,
                                      "--policy",
                                      files.write("policy.json", test_support::made_policy().dump()).string(),
                                      "--launches",
                                      at("calibrate"),
                                      "--out",
                                      at("floors.json")};
    words.insert(words.end(), more.begin(), more.end());
    return test_support::run_ablate(words);
  }

  /// Of the last gate.
  std::string unmatched_verdict_of(const std::string& name) const {
    const ordered_json whole = json();
    for (const auto& c : whole.at("unmatched"))
      if (c.at("name") == name) return c.at("verdict");
    return "";
  }

  /// Gates launches that were changed after they were made, with --strict and without.
  void expect_told_and_failing_if_strict(const std::string& verdict, const std::string& name) {
    const program_result told = gate_again({"--no-counters"});
    EXPECT_EQ(told.exit_code, 0) << told.out << told.error;
    EXPECT_THAT(told.out, HasSubstr(verdict + ": " + name));
    EXPECT_THAT(slurp(at("gate.md")), HasSubstr("| " + verdict + " | `" + name + "`"));
    EXPECT_THAT(slurp(at("gate.xml")), AllOf(HasSubstr("failures=\"0\""), HasSubstr("skipped=\"1\"")));
    const program_result failed = gate_again({"--strict", "--no-counters"});
    EXPECT_EQ(failed.exit_code, 4) << failed.out;
    EXPECT_THAT(failed.out, HasSubstr(verdict + ": " + name));
    EXPECT_EQ(json().at("verdict"), "INCONCLUSIVE");
    EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
  }

  /// Gates launches that lack a case of the baseline, with --strict and without.
  void expect_told_and_never_passing(const std::string& verdict, const std::string& name) {
    for (const bool strict : {false, true}) {
      const program_result told =
          gate_again(strict ? std::vector<std::string>{"--strict", "--no-counters", "--annotations"}
                            : std::vector<std::string>{"--no-counters", "--annotations"});
      EXPECT_EQ(told.exit_code, 4) << told.out << told.error;
      EXPECT_EQ(json().at("verdict"), "INCONCLUSIVE");
      EXPECT_THAT(told.out, AllOf(HasSubstr(verdict + ": " + name), HasSubstr("::error title=timing gate")));
      EXPECT_THAT(slurp(at("gate.md")), HasSubstr("| **" + verdict + "** | `" + name + "`"));
      EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
    }
  }

  /// One line on the terminal, and the same in every result.
  void expect_told_as_bad_input(const program_result& refused, const std::string& said) {
    EXPECT_EQ(refused.exit_code, 2) << refused.out << refused.error;
    EXPECT_THAT(refused.error, HasSubstr(said));
    EXPECT_EQ(std::count(refused.error.begin(), refused.error.end(), '\n'), 1) << refused.error;
    ASSERT_NE(slurp(at("gate.json")), "") << said;
    EXPECT_EQ(json().at("verdict"), "BAD_INPUT");
    EXPECT_EQ(json().at("exit_code"), 2);
    EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr(said));
    EXPECT_THAT(slurp(at("gate.xml")), AllOf(HasSubstr("failures=\"1\""), HasSubstr("name=\"the gate\"")));
    EXPECT_THAT(slurp(at("gate.md")), HasSubstr("BAD_INPUT"));
  }

  /// Gates candidates' launches whose records with this label were changed; both sides are named.
  void expect_refused(const std::function<void(ordered_json&)>& change, const std::string& label_end,
                      const std::string& said) {
    test_support::write_launches(files.path() / "candidate", {.seed = 2});
    test_support::change_launches(files.path() / "candidate", change, label_end);
    const program_result refused = gate_again();
    expect_told_as_bad_input(refused, said);
    EXPECT_THAT(refused.error, AllOf(HasSubstr(at("baseline")), HasSubstr(at("candidate"))));
  }

  std::string accept(const std::string& pattern, const std::string& quantity, double up_to_pct) {
    const ordered_json change = {
        {"case", pattern}, {"quantity", quantity}, {"reason", "exact now"}, {"up_to", up_to_pct}};
    ordered_json all;
    all["accepted"] = ordered_json::array({change});
    return files.write("accepted.json", all.dump()).string();
  }

  /// A list as `static diff` writes it: cases with whether they are affected; the others are controls.
  std::string affected_list(const std::vector<std::pair<std::string, bool>>& cases,
                            const std::string& only_in = "", std::string of_suite = "") const {
    const std::string text = slurp(suite);
    if (of_suite.empty()) of_suite = hash_hex(text.data(), text.size());
    gate::affected list{"a", "b", "h100", of_suite, {}, {}, 0};
    bool any = false;
    for (const auto& [id, is_in] : cases) any |= is_in;
    for (const auto& [id, is_in] : cases) list.cases.push_back({id, is_in, any && !is_in, "why", only_in});
    return files.write("affected.json", to_json(list).dump()).string();
  }

  std::string at(const char* name) const { return (files.path() / name).string(); }
  ordered_json json() const { return ordered_json::parse(slurp(at("gate.json"))); }
  std::string verdict_of(const std::string& name) const {
    const ordered_json whole = json();
    for (const auto& c : whole.at("cases"))
      if (c.at("name") == name) return c.at("verdict");
    return "";
  }

  test_support::temporary_directory files;
  const std::string suite = test_support::made_suite;
};

TEST_F(RecordedGate, PassesIdenticalBuilds) {
  const program_result passed = gate({}, {"--all"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  EXPECT_THAT(passed.out, AllOf(HasSubstr("timing gate: PASS"), HasSubstr("control")));
  EXPECT_EQ(json().at("verdict"), "PASS");
  EXPECT_EQ(json().at("cost").at("pairs"), 8);
}

TEST_F(RecordedGate, FailsThreePercentAndTenPercentAndSaysHowToCompareAgain) {
  for (const double pct : {3.0, 10.0}) {
    made_launches slow;
    slow.slower_pct[made_case] = pct;
    const program_result failed = gate(slow);
    EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.error;
    EXPECT_EQ(verdict_of(made_case), "SLOWER");
    EXPECT_EQ(verdict_of("scatter/merged/items=2048/layout=rows/@cold-clean"), "SAME");
    EXPECT_THAT(failed.out, HasSubstr("--filter '^scatter/direct/items=1024/layout=rows/@cold-clean$'"));
    EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
    EXPECT_THAT(slurp(at("gate.md")), AllOf(HasSubstr("SLOWER"), HasSubstr("All cases, by effect")));
  }
}

TEST_F(RecordedGate, TheCommandThatComparesAgainJudgesThatCaseAlone) {
  made_launches slow;
  slow.slower_pct[made_case] = 10;
  gate(slow);
  const program_result again = gate_again({"--filter", "^" + made_case + "$"});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.error;
  EXPECT_EQ(json().at("cases").size(), 2);  // and the control
}

TEST_F(RecordedGate, ItsJsonIsWhatTheSchemaSays) {
  if (const std::string why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  made_launches slow;
  slow.slower_pct[made_case] = 10;
  slow.counters["smsp__inst_executed.sum"] = 5;
  gate(slow);
  const program_result checked = check_schema();
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.error;
}

const std::string unaffected_case = "scatter/merged/items=2048/layout=rows/@cold-clean";

TEST_F(RecordedGate, OfAChangeOnlyWhatItAffectsIsJudgedBesideControls) {
  const std::string list = affected_list({{made_case, true}, {unaffected_case, false}});
  made_launches slow;
  slow.slower_pct[made_case] = 10;
  const program_result failed = gate(slow, {"--affected", list});
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.error;
  EXPECT_EQ(verdict_of(made_case), "SLOWER");
  EXPECT_EQ(verdict_of(unaffected_case), "SAME");
  EXPECT_EQ(json().at("cases").size(), 3) << "the case, its control, and the policy's";

  made_launches elsewhere;
  elsewhere.slower_pct["scatter/direct/items=2048"] = 10;
  const program_result passed = gate(elsewhere, {"--affected", list});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
}

TEST_F(RecordedGate, AnUnaffectedCaseThatMovesMakesTheMachineSuspect) {
  made_launches moved;
  moved.slower_pct[made_case] = 10;
  moved.slower_pct[unaffected_case] = 10;
  const program_result invalid =
      gate(moved, {"--affected", affected_list({{made_case, true}, {unaffected_case, false}})});
  EXPECT_EQ(invalid.exit_code, 4) << invalid.out << invalid.error;
  EXPECT_EQ(json().at("verdict"), "INVALID");
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr(unaffected_case));
}

TEST_F(RecordedGate, WhatOneHeaderSlowsEverywhereIsARegressionWhileControlsStand) {
  made_launches slow;
  slow.slower_pct["items=1024"] = 10;
  std::vector<std::pair<std::string, bool>> cases = {{unaffected_case, false}};
  const ordered_json made = reports::made_record();
  for (const auto& entry : made.at("benchmarks"))
    if (const std::string name = entry.at("name"); name.find("items=1024") != std::string::npos)
      cases.emplace_back(name, true);
  const program_result failed = gate(slow, {"--affected", affected_list(cases)});
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.error;
}

TEST_F(RecordedGate, AChangeThatReachesNoLaunchPassesWithoutOne) {
  std::filesystem::remove_all(files.path() / "baseline");
  const program_result passed =
      gate_again({"--affected", affected_list({{made_case, false}, {unaffected_case, false}})});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  EXPECT_EQ(json().at("verdict"), "PASS");
  EXPECT_THAT(passed.out, HasSubstr("Nothing that runs changed"));
  if (const std::string why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const program_result checked = check_schema();
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.error;
}

TEST_F(RecordedGate, ACaseThatTheCandidateLacksFailsWithoutALaunch) {
  const program_result gone = gate_again({"--affected", affected_list({{made_case, true}}, "baseline")});
  EXPECT_EQ(gone.exit_code, 4) << gone.out << gone.error;
  EXPECT_EQ(unmatched_verdict_of(made_case), "GONE");
}

TEST_F(RecordedGate, AListForAnotherSuiteIsRefused) {
  expect_told_as_bad_input(gate_again({"--affected", affected_list({{made_case, true}}, "", "another")}),
                           "found one for another suite");
}

TEST_F(RecordedGate, ARegressionInASuspectRunIsNoFailureOfTheCase) {
  made_launches control;
  control.slower_pct["ceilings/copy"] = 4;
  control.slower_pct[made_case] = 10;
  EXPECT_EQ(gate(control).exit_code, 4);
  const std::string junit = slurp(at("gate.xml"));
  EXPECT_THAT(junit, AllOf(HasSubstr("failures=\"1\""), HasSubstr("name=\"the whole run\"")));
}

TEST_F(RecordedGate, AGateThatJudgedNothingHasNotPassed) {
  made_launches few;
  few.count = 2;
  const program_result none = gate(few);
  EXPECT_EQ(none.exit_code, 4) << none.error;
  EXPECT_EQ(json().at("verdict"), "INCONCLUSIVE");
  EXPECT_EQ(json().at("exit_code"), 4);
  EXPECT_THAT(slurp(at("gate.xml")), AllOf(HasSubstr("failures=\"1\""), HasSubstr("name=\"the gate\"")));
  EXPECT_THAT(slurp(at("gate.md")), HasSubstr("INCONCLUSIVE: no case could be judged"));
}

TEST_F(RecordedGate, WithoutACaseInCommonNothingIsJudged) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  test_support::change_launches(files.path() / "candidate", [](ordered_json& made) {
    for (const ordered_json cases = made["benchmarks"]; const auto& entry : cases)
      if (!entry.contains("ceiling")) test_support::unmeasure(made, entry["name"], "");
  });
  const program_result none = gate_again();
  EXPECT_EQ(none.exit_code, 4) << none.out << none.error;
  EXPECT_EQ(json().at("unmatched").size(), 6);
  EXPECT_EQ(json().at("reason"), "no case was measured by both sides");
}

TEST_F(RecordedGate, HostReferencesAreJudgedOnlyWhereTheHostIsAskedFor) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  for (const char* side : {"baseline", "candidate"})
    test_support::change_launches(files.path() / side, [](ordered_json& made) {
      made["context"]["ablate"]["device"]["kind"] = "host";
    });
  const program_result none = gate_again();
  EXPECT_EQ(none.exit_code, 4) << none.out << none.error;
  EXPECT_EQ(json().at("verdict"), "INCONCLUSIVE");
  EXPECT_THAT(none.out, HasSubstr("no GPU was used"));
  EXPECT_TRUE(json().at("cases").empty());
  EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
  EXPECT_EQ(gate_again({"--device", "host"}).exit_code, 0);
}

TEST_F(RecordedGate, ACaseThatVanishedNeverPasses) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  test_support::change_launches(files.path() / "candidate",
                                [](ordered_json& made) { test_support::unmeasure(made, made_case, ""); });
  expect_told_and_never_passing("GONE", made_case);
}

TEST_F(RecordedGate, ACaseThatTheCandidateDidNotMeasureNeverPasses) {
  for (const char* status : {"input_missing", "not_applicable"}) {
    test_support::write_launches(files.path() / "candidate", {.seed = 2, .status = status});
    expect_told_and_never_passing("GONE", made_case);
  }
}

TEST_F(RecordedGate, ACaseWithAnotherInputNeverPasses) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  test_support::change_launches(files.path() / "candidate", [](ordered_json& made) {
    test_support::entry_named(made, made_case)["input"]["hash"] = "00000000000000bb";
  });
  expect_told_and_never_passing("DIFFERENT", made_case);
}

TEST_F(RecordedGate, ACaseThatIsGoneOnPurposeIsAccepted) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  test_support::change_launches(files.path() / "candidate",
                                [](ordered_json& made) { test_support::unmeasure(made, made_case, ""); });
  const program_result passed = gate_again(
      {"--accepted", accept("^scatter/direct/items=1024", "presence", 0), "--strict", "--no-counters"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  EXPECT_EQ(json().at("verdict"), "PASS");
  EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"0\""));
  EXPECT_THAT(passed.out,
              AllOf(HasSubstr("ACCEPTED: " + made_case), Not(HasSubstr("matches no change here"))));
}

TEST_F(RecordedGate, ADoublingThatNobodyConfirmedFailsInEveryOutput) {
  made_launches few{.count = 8};  // screened, and not confirmed
  few.slower_pct[made_case] = 100;
  const program_result open = gate(few, {"--no-counters", "--annotations"});
  EXPECT_EQ(open.exit_code, 4) << open.out << open.error;
  EXPECT_EQ(verdict_of(made_case), "INCONCLUSIVE");
  EXPECT_EQ(json().at("verdict"), "INCONCLUSIVE");
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("1 case looked slower and is not settled"));
  EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("<failure type=\"INCONCLUSIVE\""));
  EXPECT_THAT(slurp(at("gate.md")),
              AllOf(HasSubstr("## timing gate: INCONCLUSIVE"), HasSubstr("**INCONCLUSIVE**")));
  EXPECT_THAT(open.out, HasSubstr("::error title=timing gate"));

  ordered_json policy = test_support::made_policy();
  policy["pass"]["otherwise_exit_code"] = 1;
  EXPECT_EQ(gate_again({"--no-counters"}, policy).exit_code, 1);
  EXPECT_EQ(json().at("verdict"), "FAIL");
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("looked slower"));
  EXPECT_EQ(gate_again({"--no-counters", "--accepted", accept("scatter/direct", "time", 110)}).exit_code, 0);
}

TEST_F(RecordedGate, TooFewJudgedCasesAreNoPass) {
  for (const char* side : {"baseline", "candidate"}) {
    test_support::write_launches(files.path() / side, {.seed = side == std::string("baseline") ? 1u : 2u});
    test_support::change_launches(files.path() / side, [](ordered_json& made) {
      const ordered_json cases = made["benchmarks"];
      for (const auto& entry : cases)
        if (!entry.contains("ceiling") && entry["name"] != made_case)
          test_support::unmeasure(made, entry["name"], "input_missing");
    });
  }
  const program_result open = gate_again({"--no-counters"});
  EXPECT_EQ(open.exit_code, 4) << open.out << open.error;
  EXPECT_THAT(json().at("reason").get<std::string>(),
              HasSubstr("1 of 6 cases were judged, and a pass needs 80 %"));
  EXPECT_THAT(slurp(at("gate.xml")), AllOf(HasSubstr("failures=\"1\""), HasSubstr("name=\"the gate\"")));
}

TEST_F(RecordedGate, ACaseThatWasNeverMeasuredIsToldAndFailsIfStrict) {
  test_support::write_launches(files.path() / "baseline", {.status = "input_missing"});
  test_support::write_launches(files.path() / "candidate", {.seed = 2, .status = "input_missing"});
  expect_told_and_failing_if_strict("UNMEASURED", made_case);
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  expect_told_and_failing_if_strict("UNMEASURED", made_case);
  for (const char* status : {"failed", "wrong", "out_of_memory"}) {
    test_support::write_launches(files.path() / "baseline", {.status = status});
    expect_told_and_failing_if_strict("UNMEASURED", made_case);
  }
}

TEST_F(RecordedGate, WhatIsNewOrNotApplicableIsToldAndNeverFails) {
  test_support::write_launches(files.path() / "baseline", {.status = "not_applicable"});
  EXPECT_EQ(gate({.status = "not_applicable"}, {"--strict", "--no-counters"}).exit_code, 0);
  EXPECT_EQ(unmatched_verdict_of(made_case), "NOT_APPLICABLE");
  EXPECT_EQ(gate({}, {"--strict", "--no-counters"}).exit_code, 0);
  EXPECT_EQ(unmatched_verdict_of(made_case), "NEW");
  EXPECT_THAT(slurp(at("gate.md")), HasSubstr("| NEW | `" + made_case + "`"));
}

TEST_F(RecordedGate, AControlOfThePolicyThatNobodyMeasuredIsToldAndFailsIfStrict) {
  ordered_json policy = test_support::made_policy();
  policy["whole_run"]["controls"].push_back("tensor_bf16_flops");
  EXPECT_EQ(gate({}, {}, policy).exit_code, 0);
  EXPECT_EQ(unmatched_verdict_of("control tensor_bf16_flops"), "UNMEASURED");
  EXPECT_EQ(gate_again({"--strict", "--no-counters"}, policy).exit_code, 4);
}

TEST_F(RecordedGate, ACaseThatTheLastCheckLacksNeverPasses) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  test_support::change_launches(
      files.path() / "candidate",
      [](ordered_json& made) { test_support::unmeasure(made, made_case, "input_missing"); }, "9999-check");
  expect_told_and_never_passing("GONE", made_case);
}

TEST_F(RecordedGate, OutputsThatNobodyComparedAreToldAndFailIfStrict) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  for (const char* check : {"0000-check", "9999-check"})
    std::filesystem::remove_all(files.path() / "candidate" / check);
  EXPECT_EQ(gate_again({"--no-counters"}).exit_code, 0);
  EXPECT_FALSE(json().at("outputs_compared").get<bool>());
  EXPECT_EQ(gate_again({"--no-counters", "--strict"}).exit_code, 4);
}

TEST_F(RecordedGate, CountersThatWereAskedForAndNotReadFailIfStrict) {
  EXPECT_EQ(gate({}, {"--strict", "--no-counters"}).exit_code, 0);
  const program_result missing = gate_again({"--strict"});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.out, HasSubstr("UNMEASURED: the counters"));
}

TEST_F(RecordedGate, BadInputIsToldInTheResultsToo) {
  EXPECT_EQ(gate({}).exit_code, 0);
  const std::string broken = files.write("broken.json", "{").string();
  for (const auto& [option, value, said] : std::vector<std::array<std::string, 3>>{
           {"--floors", at("nowhere.json"), "nowhere.json"},
           {"--policy", broken, "ends before its JSON does"},
           {"--accepted", broken, "ends before its JSON does"},
           {"--filter", "(", "not a regular expression"},
           {"--findings", at("no/such/folder.jsonl"), "cannot be written"},
           {"--baseline", at("nowhere"), "expected a program or a folder of records"},
           {"--candidate", test_support::program_path(), "expected two programs or two folders"}}) {
    SCOPED_TRACE(option);
    expect_told_as_bad_input(gate_with(option, value), said);
  }
  expect_told_as_bad_input(gate_with("", at("nowhere.json")), "expected a suite");
}

TEST_F(RecordedGate, TheJsonOfARefusalIsWhatTheSchemaSays) {
  if (const std::string why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  expect_told_as_bad_input(gate_with("--policy", at("nowhere.json")), "expected a readable file");
  const program_result checked = check_schema();
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.error;
}

TEST_F(RecordedGate, AResultThatCannotBeWrittenIsOneLine) {
  EXPECT_EQ(gate({}).exit_code, 0);
  const program_result refused = gate_with("--markdown", at("no/such/folder.md"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.error,
            "ablate: " + at("no/such/folder.md") + ": cannot be written: No such file or directory\n");
  EXPECT_EQ(slurp(at("gate.json")), "") << "an earlier gate's result must not pass for this one's";
}

TEST_F(RecordedGate, RefusesSidesOfTwoSuites) {
  expect_refused([](ordered_json& made) { made["context"]["ablate"]["suite"]["hash"] = "00000000000000cc"; },
                 "", "of hash 00000000000000cc");
}

TEST_F(RecordedGate, RefusesASuiteThatTheLaunchesAreNotOf) {
  const auto other = [](ordered_json& made) {
    made["context"]["ablate"]["suite"]["hash"] = "00000000000000cc";
  };
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  for (const char* side : {"baseline", "candidate"})
    test_support::change_launches(files.path() / side, other);
  expect_told_as_bad_input(gate_again(),
                           "quick.json: expected the suite made_by_hand of hash 00000000000000cc");
}

TEST_F(RecordedGate, RefusesSidesThatWereAskedForOtherCasesOrByOtherPolicies) {
  const auto asked = [](const char* option) {
    return [=](ordered_json& made) {
      auto& command = made["context"]["ablate"]["command"];
      command = command.get<std::string>() + option;
    };
  };
  expect_refused(asked(" --filter '^voxelize a'"), "-check",
                 "expected no --filter as in " + at("baseline") +
                     "/0000-check/record.json, found --filter "
                     "'^voxelize a'");
  expect_refused(asked(" --samples=10"), "-launch", "expected no --samples");
  expect_refused(asked(" --ceilings dram_bytes launch --only x"), "-check",
                 "found --ceilings dram_bytes launch");
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  test_support::change_launches(files.path() / "candidate", asked(" --samples 10"), "0003-launch");
  expect_told_as_bad_input(gate_again(), "0003-launch/record.json: /context/ablate/command: expected no");
}

TEST_F(RecordedGate, RefusesAPolicyWithACounterThatNoGroupReads) {
  test_support::write_launches(files.path() / "candidate", {.seed = 2});
  ordered_json policy = test_support::made_policy();
  policy["counters"]["smsp__inst_execute.sum"] = {{"tolerance_pct", 1}, {"slack", 0}};
  const program_result refused = test_support::run_ablate(
      {"gate", "--baseline", test_support::program_path(), "--candidate", test_support::program_path(), suite,
       "--policy", files.write("policy.json", policy.dump()).string(), "--out", at("out")});
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.error, HasSubstr("smsp__inst_execute.sum"));
}

TEST_F(RecordedGate, SaysWhatTheSidesHaveInCommonAndWhatWasNotRead) {
  const program_result passed = gate({}, {"--no-counters"});
  EXPECT_THAT(passed.out, AllOf(HasSubstr("Both sides were built from the same sources."),
                                HasSubstr("counters: not compared: --no-counters was given")));
}

TEST_F(RecordedGate, TheCommandIsOneThatAShellTakes) {
  made_launches slow;
  slow.slower_pct[made_case] = 10;
  test_support::write_launches(files.path() / "it's slow", slow);
  const program_result failed = test_support::run_ablate(
      {"gate", "--baseline", at("baseline"), "--candidate", at("it's slow"), suite, "--policy",
       files.write("policy.json", test_support::made_policy().dump()).string(), "--out", at("out")});
  ASSERT_EQ(failed.exit_code, 1) << failed.out << failed.error;
  const auto start = failed.out.find("ablate gate", failed.out.find("to compare the failures again"));
  std::string command = failed.out.substr(start, failed.out.find('\n', start) - start);
  command.replace(0, std::string("ablate").size(), test_support::program_path());
  const program_result again = test_support::run_program({"sh", "-c", command});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.error;
  EXPECT_THAT(again.out, HasSubstr("cases: 1 and 1 controls"));
}

TEST_F(RecordedGate, RefusesAFolderOfTwoBuilds) {
  test_support::write_launches(files.path() / "candidate", made_launches{});
  const auto path = files.path() / "candidate" / "0003-launch" / "record.json";
  ordered_json other = ordered_json::parse(slurp(path));
  other["context"]["ablate"]["build"]["source_hash"] = std::string(64, '7');
  std::ofstream(path) << other.dump();
  const program_result refused = gate_again();
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.error, AllOf(HasSubstr("0003-launch"), HasSubstr("source_hash")));
}

TEST_F(RecordedGate, NeverFailsWhatGotFaster) {
  made_launches quick;
  quick.slower_pct[made_case] = -10;
  EXPECT_EQ(gate(quick).exit_code, 0);
  EXPECT_EQ(verdict_of(made_case), "FASTER");
}

TEST_F(RecordedGate, ShowsNoTimeOfAWrongCandidate) {
  made_launches wrong;
  wrong.status = "wrong";
  const program_result refused = gate(wrong);
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_THAT(refused.out, AllOf(HasSubstr("WRONG"), HasSubstr("element 17"), Not(HasSubstr("SAME"))));
  EXPECT_TRUE(json().at("cases").empty());
}

TEST_F(RecordedGate, TellsACaseThatFailedFromARegression) {
  made_launches failing;
  failing.status = "failed";
  const program_result failed = gate(failing);
  EXPECT_EQ(failed.exit_code, 75) << failed.out;
  EXPECT_THAT(failed.out, HasSubstr("FAILED"));
}

TEST_F(RecordedGate, JudgesNoPairWhoseClocksDiffer) {
  made_launches throttled;
  throttled.sm_clock_mhz = 1700;
  throttled.slower_pct[""] = 15;
  const program_result invalid = gate(throttled);
  EXPECT_EQ(invalid.exit_code, 4) << invalid.out;
  EXPECT_EQ(verdict_of(made_case), "INVALID");
  EXPECT_THAT(invalid.out, HasSubstr("SM clock"));
}

TEST_F(RecordedGate, JudgesNoPairWhoseClockWasHeldDown) {
  made_launches hot;
  hot.event_reasons = {"hw_thermal_slowdown"};
  EXPECT_EQ(gate(hot).exit_code, 4);
  EXPECT_EQ(verdict_of(made_case), "INVALID");
}

TEST_F(RecordedGate, SuspectsTheEnvironmentWhenAllCasesMoveOrAControlDoes) {
  made_launches all;
  all.slower_pct["scatter"] = 4;
  EXPECT_EQ(gate(all).exit_code, 4);
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("environment is suspect"));

  made_launches control;
  control.slower_pct["ceilings/copy"] = 4;
  control.slower_pct[made_case] = 10;
  EXPECT_EQ(gate(control).exit_code, 4);
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("the control"));
}

TEST_F(RecordedGate, SuspectsTheEnvironmentWhenAllFindingsOfManyRunsHaveOneSign) {
  made_launches slow;
  slow.slower_pct[made_case] = 10;
  EXPECT_EQ(gate(slow, {"--findings", at("findings.jsonl")}).exit_code, 1);
  for (int run = 2; run < 10; ++run) EXPECT_EQ(gate_again({"--findings", at("findings.jsonl")}).exit_code, 1);
  EXPECT_EQ(gate_again({"--findings", at("findings.jsonl")}).exit_code, 4);
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("the last 10 runs"));

  made_launches quick;
  quick.slower_pct[made_case] = -10;
  gate(quick, {"--findings", at("findings.jsonl")});
  EXPECT_EQ(gate(slow, {"--findings", at("findings.jsonl")}).exit_code, 1);
}

TEST_F(RecordedGate, ATornFindingsFileEndsNoGate) {
  made_launches slow;
  slow.slower_pct[made_case] = 10;
  EXPECT_EQ(gate(slow, {"--findings", at("findings.jsonl")}).exit_code, 1);
  const std::string whole = slurp(at("findings.jsonl"));
  std::string nine;
  for (int run = 0; run < 9; ++run) nine += whole;
  files.write("findings.jsonl", nine + whole.substr(0, whole.size() / 2));
  const program_result torn = gate_again({"--findings", at("findings.jsonl")});
  EXPECT_EQ(torn.exit_code, 4) << "this run's findings are the tenth of one sign";
  EXPECT_THAT(torn.out, HasSubstr("line 10 has no findings, as after a kill, and does not count."));
  EXPECT_EQ(slurp(at("findings.jsonl")), nine + whole.substr(0, whole.size() / 2) + "\n" + whole);

  EXPECT_EQ(gate_again({"--findings", at("no/such/folder")}).exit_code, 2);
}

TEST_F(RecordedGate, TooFewLaunchesAreInconclusive) {
  made_launches few;
  few.count = 4;
  EXPECT_EQ(gate(few).exit_code, 4) << "of no case anything is known";
  EXPECT_EQ(verdict_of(made_case), "INCONCLUSIVE");

  few.count = 8;  // screened, and not confirmed
  few.slower_pct[made_case] = -10;
  EXPECT_EQ(gate(few).exit_code, 0) << "nothing looked slower";
  EXPECT_EQ(gate_again({"--strict", "--no-counters"}).exit_code, 4);
  EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
}

TEST_F(RecordedGate, RefusesAProgramBesideAFolderAndRecordsOfTwoDevices) {
  test_support::write_launches(files.path() / "candidate", made_launches{});
  EXPECT_EQ(test_support::run_ablate({"gate", "--baseline", at("baseline"), "--candidate",
                                      test_support::program_path(), suite, "--out", at("out")})
                .exit_code,
            2);
  const auto path = files.path() / "candidate" / "0000-check" / "record.json";
  ordered_json other = ordered_json::parse(slurp(path));
  other["context"]["ablate"]["device"]["name"] = "Another GPU";
  std::ofstream(path) << other.dump();
  const program_result refused = gate_again();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("Another GPU"));
}

TEST_F(RecordedGate, CalibratesFloorsAndJudgesByThem) {
  test_support::write_launches(files.path() / "baseline", {.count = 60, .launch_pct = 0.1});
  test_support::write_launches(files.path() / "candidate", {.count = 60, .seed = 3, .launch_pct = 0.1});
  const program_result calibrated = calibrate({"--runs", "10", "--pairs", "6"});
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.out << calibrated.error;
  ordered_json floors = ordered_json::parse(slurp(at("floors.json")));
  EXPECT_EQ(floors.at("runs"), 10);
  EXPECT_EQ(floors.at("builds"), 2);
  EXPECT_LT(floors.at("cases").at(made_case).at("floor_pct"), 4);

  EXPECT_THAT(calibrated.out, HasSubstr("the policy requires 4 builds, 20 runs of 16 pairs"));

  made_launches slow;
  slow.slower_pct[made_case] = 10;
  const program_result failed = gate(slow, {"--floors", at("floors.json")});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, HasSubstr("rest on 10 runs of 6 pairs; the policy requires 20 of 16"));
  EXPECT_THAT(failed.out, HasSubstr("rest on 2 builds; the policy requires 4"));

  // A case whose floor is high is told, and cannot fail.
  floors["cases"][made_case]["floor_pct"] = 7.0;
  files.write("floors.json", floors.dump());
  EXPECT_EQ(gate_again({"--floors", at("floors.json"), "--strict", "--no-counters"}).exit_code, 0);
  EXPECT_EQ(verdict_of(made_case), "TOO_NOISY");
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("0 INCONCLUSIVE, 0 INVALID, 1 TOO_NOISY"));

  floors["cases"].erase(made_case);
  files.write("floors.json", floors.dump());
  EXPECT_THAT(gate_again({"--floors", at("floors.json")}).out, HasSubstr("cases have no noise floor"));

  floors["fingerprint"] = "kind=gpu, name=Another GPU";
  files.write("floors.json", floors.dump());
  const program_result refused = gate_again({"--floors", at("floors.json")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("another"));
}

TEST_F(RecordedGate, ACalibrationOfSeveralBuildsFindsWhatPlacementMoves) {
  std::vector<std::string> words = {"dev", "calibrate"};
  for (const char* build : {"a", "b", "c", "d"}) {
    made_launches placed{.count = 40, .seed = static_cast<std::uint64_t>(build[0]), .launch_pct = 0.05};
    if (build[0] == 'c') placed.slower_pct[made_case] = 4;
    test_support::write_launches(files.path() / build, placed);
    words.push_back(at(build));
  }
  words.insert(words.end(),
               {suite, "--policy", files.write("policy.json", test_support::made_policy().dump()).string(),
                "--out", at("floors.json"), "--runs", "6", "--pairs", "6"});
  const program_result calibrated = test_support::run_ablate(words);
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.out << calibrated.error;
  const ordered_json floors = ordered_json::parse(slurp(at("floors.json")));
  EXPECT_EQ(floors.at("builds"), 4);
  EXPECT_GT(floors.at("cases").at(made_case).at("floor_pct"), 5)
      << "the first two builds alone do not show it";
  EXPECT_THAT(calibrated.out, ContainsRegex("1 of [0-9] cases are too noisy to gate on this machine"));
  // With its build told apart from the others, a case moved that no code changed.
  made_launches moved;
  moved.slower_pct[made_case] = 4;
  EXPECT_EQ(gate(moved).exit_code, 1);
  EXPECT_EQ(gate(moved, {"--floors", at("floors.json")}).exit_code, 0);
  EXPECT_EQ(verdict_of(made_case), "TOO_NOISY");
}

TEST_F(RecordedGate, ACalibrationIsOfOneSourceAndTellsWhatHasNoFloor) {
  test_support::write_launches(files.path() / "candidate", {.seed = 3, .status = "input_missing"});
  const program_result calibrated = calibrate({"--runs", "2", "--pairs", "6"});
  EXPECT_EQ(calibrated.exit_code, 0) << calibrated.error;
  EXPECT_THAT(calibrated.out, HasSubstr(made_case + " has no floor: GONE"));
  test_support::change_launches(files.path() / "candidate", [](ordered_json& made) {
    made["context"]["ablate"]["build"]["source_hash"] = std::string(64, '7');
  });
  const program_result refused = calibrate({"--runs", "2", "--pairs", "6"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("expected a build of the baseline's source"));
}

TEST_F(RecordedGate, ACalibrationWithoutAWholeRunFails) {
  test_support::write_launches(files.path() / "candidate", {.count = 3});
  EXPECT_EQ(calibrate({"--runs", "2", "--pairs", "6"}).exit_code, 75);
}

TEST_F(RecordedGate, ACounterThatVariesOnTheCandidateAloneIsNotSkippedInSilence) {
  const std::string instructions = "smsp__inst_executed.sum";
  made_launches counted;
  counted.counters[instructions] = 1000000;
  test_support::write_launches(files.path() / "baseline", counted);
  made_launches unsteady = counted;
  unsteady.counter_scatter_pct = 0.1;
  const program_result quiet = gate(unsteady, {"--strict"});
  EXPECT_EQ(quiet.exit_code, 0) << "nothing rose beyond the tolerance: " << quiet.out << quiet.error;
  EXPECT_THAT(quiet.out, Not(HasSubstr("UNSTEADY")));
  unsteady.counter_scatter_pct = 2;
  const program_result told = gate(unsteady);
  EXPECT_EQ(told.exit_code, 0) << told.out << told.error;
  EXPECT_THAT(told.out, ContainsRegex("UNSTEADY: [^\n]*: " + instructions));
  EXPECT_EQ(gate_again({"--strict"}).exit_code, 4);

  // What doubles is worse, however it varies.
  unsteady.counters[instructions] = 2000000;
  EXPECT_EQ(gate(unsteady).exit_code, 1);
  EXPECT_EQ(json().at("counters").at("changes").at(0).at("verdict"), "WORSE");

  // What varied before is left out; each is in the JSON.
  test_support::write_launches(files.path() / "baseline", unsteady);
  EXPECT_EQ(gate(unsteady, {"--strict"}).exit_code, 4) << "not one counter could be compared";
  EXPECT_EQ(json().at("counters").at("left_out").at(0).at("verdict"), "VARYING");
}

TEST_F(RecordedGate, ACounterThatTheCandidateHasNotIsToldAndFailsIfStrict) {
  made_launches counted;
  counted.counters["smsp__inst_executed.sum"] = 1000000;
  test_support::write_launches(files.path() / "baseline", counted);
  test_support::write_launches(files.path() / "candidate", counted);
  test_support::change_launches(
      files.path() / "candidate",
      [](ordered_json& made) {
        test_support::entry_named(made, made_case)["counters"]["values"] = ordered_json::object();
      },
      "-check");
  const program_result told = gate_again();
  EXPECT_EQ(told.exit_code, 0) << told.out << told.error;
  EXPECT_THAT(told.out, HasSubstr("GONE: " + made_case + ": smsp__inst_executed.sum"));
  EXPECT_EQ(gate_again({"--strict"}).exit_code, 4);
}

TEST_F(RecordedGate, ACounterThatRoseByChanceIsReadAgain) {
  const std::string sectors = "lts__t_sectors_op_red.sum";
  made_launches low, high;
  low.counters[sectors] = 34798;
  high.counters[sectors] = 35204;
  const auto read_again = [&](const char* side, const made_launches& of, const char* label) {
    test_support::write_check(files.path() / side, of, label);
  };
  test_support::write_launches(files.path() / "baseline", low);
  test_support::write_launches(files.path() / "candidate", high);
  EXPECT_EQ(gate_again().exit_code, 1) << "nobody read it again";
  read_again("baseline", low, "99991-check");
  read_again("candidate", high, "99991-check");
  EXPECT_EQ(gate_again().exit_code, 1);
  EXPECT_EQ(json().at("counters").at("changes").at(0).at("verdict"), "WORSE");
  read_again("baseline", high, "99992-check");
  read_again("candidate", low, "99992-check");
  EXPECT_EQ(gate_again().exit_code, 0);
  EXPECT_TRUE(json().at("counters").at("changes").empty());
  EXPECT_EQ(json().at("counters").at("left_out").at(0).at("verdict"), "VARYING");
}

TEST_F(RecordedGate, ACounterThatRoseFailsUnlessItIsAccepted) {
  const std::string instructions = "smsp__inst_executed.sum";
  made_launches counted;
  counted.counters[instructions] = 1000000;
  test_support::write_launches(files.path() / "baseline", counted);
  made_launches more;
  more.counters[instructions] = 1010000;
  EXPECT_EQ(gate(more).exit_code, 1);
  EXPECT_EQ(json().at("counters").at("changes").at(0).at("verdict"), "WORSE");
  EXPECT_EQ(gate_again({"--accepted", accept("^(scatter|ceilings)", instructions, 2)}).exit_code, 0);
  EXPECT_EQ(gate_again({"--no-counters"}).exit_code, 0);

  more.counters[instructions] = 900000;
  EXPECT_EQ(gate(more).exit_code, 0);
  EXPECT_EQ(json().at("counters").at("changes").at(0).at("verdict"), "BETTER");
}

TEST_F(RecordedGate, AFewBytesMoreAreNoFindingHoweverManyPercentTheyAre) {
  const std::string bytes = "dram__bytes_read.sum";
  made_launches small;
  small.counters[bytes] = 600000;
  test_support::write_launches(files.path() / "baseline", small);
  made_launches more;
  more.counters[bytes] = 660000;
  EXPECT_EQ(gate(more).exit_code, 0);
  EXPECT_TRUE(json().at("counters").at("changes").empty());
  more.counters[bytes] = 670000;
  EXPECT_EQ(gate(more).exit_code, 1);
}

TEST_F(RecordedGate, AnAcceptedSlowdownPassesUpToItsLimit) {
  made_launches slow;
  slow.slower_pct[made_case] = 5;
  EXPECT_EQ(gate(slow, {"--accepted", accept("scatter/direct", "time", 8)}).exit_code, 0);
  EXPECT_EQ(verdict_of(made_case), "ACCEPTED");
  EXPECT_EQ(gate_again({"--accepted", accept("scatter/direct", "time", 2)}).exit_code, 1);
}

TEST_F(RecordedGate, AnAcceptedChangeThatNothingNeedsIsTold) {
  const program_result passed = gate({}, {"--accepted", accept("scatter/direct", "time", 8)});
  EXPECT_EQ(passed.exit_code, 0);
  EXPECT_THAT(passed.out,
              HasSubstr("accepted.json: /accepted/0: the accepted change matches no change here"));
}

}  // namespace
}  // namespace ablate::gate_test
