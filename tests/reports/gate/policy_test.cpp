#include "reports/gate/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::gate::policy_test {
namespace {

using nlohmann::ordered_json;
using reports::text_of;
using reports::why_no_node;
using reports::written;
using ::testing::HasSubstr;

const std::filesystem::path gates = test_support::source_path("suites/gates");

ordered_json shipped() { return ordered_json::parse(text_of(gates / "default.json")); }

std::string refusal(const ordered_json& policy) {
  try {
    read_policy(written("policy.json", policy.dump()));
  } catch (const bad_input& e) {
    const std::string said = e.what();
    return said.substr(said.find("policy.json: ") + 13);
  }
  return "";
}

TEST(GatePolicy, TheShippedOneIsTheDesign) {
  const gate_policy p = read_policy(gates / "default.json");
  EXPECT_EQ(p.launch.samples, 30u);
  EXPECT_EQ(p.screen.pairs, 8u);
  EXPECT_EQ(p.confirm.pairs, 16u);
  EXPECT_EQ(p.confirm.extra_pairs, 16u);
  EXPECT_EQ(p.confirm.level, 0.005);
  EXPECT_EQ(p.confirm.wait_seconds, 30);
  EXPECT_EQ(p.delta.minimum_pct, 2);
  EXPECT_EQ(p.delta.too_noisy_pct, 5);
  EXPECT_EQ(p.environment.sm_clock_tolerance_pct, 1);
  EXPECT_EQ(p.environment.repeats, 3u);
  EXPECT_EQ(p.whole_run.share, 0.8);
  EXPECT_EQ(p.whole_run.shift_pct, 0.5);
  EXPECT_EQ(p.pass.minimum_judged_share, 0.8);
  EXPECT_EQ(p.pass.otherwise_exit_code, 4);
  EXPECT_EQ(p.calibration.builds, 4u);
  EXPECT_EQ(p.calibration.runs, 20u);
  EXPECT_EQ(p.calibration.quantile, 0.99);
  ASSERT_FALSE(p.counters.empty());
  EXPECT_EQ(p.counters.front().counter, "smsp__inst_executed.sum");
  EXPECT_EQ(p.counters.front().tolerance_pct, 0.5);
  EXPECT_EQ(p.counters.front().slack, 0);
}

TEST(GatePolicy, ThePublishedSchemaHoldsAndHasTheKeysThatTheReaderTakes) {
  const auto schema = ordered_json::parse(text_of(gates / "schema.json"));
  const ordered_json policy = shipped();
  for (const auto& [key, rule] : schema["properties"].items()) {
    EXPECT_TRUE(policy.contains(key)) << key;
    if (!rule.contains("properties")) continue;
    for (const auto& [inner, ignored] : rule["properties"].items()) {
      ordered_json without = policy;
      without[key].erase(inner);
      EXPECT_EQ(refusal(without), "/" + key + ": expected a key '" + inner + "', found none");
    }
  }
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const auto result = process::run({"node", (reports::renderer_directory() / "validate.mjs").string(),
                                    (gates / "schema.json").string(), (gates / "default.json").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(GatePolicy, EveryKeyIsNeededAndNoOtherIsKnown) {
  const ordered_json whole = shipped();
  for (const auto& [key, value] : whole.items()) {
    if (key == "$schema") continue;
    ordered_json without = whole;
    without.erase(key);
    EXPECT_THAT(refusal(without), HasSubstr("'" + key + "', found none"));
  }
  ordered_json more = shipped();
  more["screen"]["pears"] = 6;
  EXPECT_EQ(refusal(more),
            "/screen/pears: no key 'pears' (did you mean 'pairs'?); expected one of 'pairs', "
            "'flag_share_of_delta'");
  more = shipped();
  more["timebudget_seconds"] = 6;
  EXPECT_THAT(refusal(more), HasSubstr("did you mean 'time_budget_seconds'?"));
}

TEST(GatePolicy, NumbersOutOfRangeAreRefusedWhereTheyStand) {
  const auto with = [](const char* group, const char* key, const ordered_json& value) {
    ordered_json policy = shipped();
    policy[group][key] = value;
    return refusal(policy);
  };
  EXPECT_EQ(with("screen", "pairs", 0), "/screen/pairs: expected a count from 1 to 128, found 0");
  EXPECT_EQ(with("screen", "pairs", 6.5), "/screen/pairs: expected a count, found 6.5");
  EXPECT_EQ(with("screen", "pairs", "6"), "/screen/pairs: expected a number, found \"6\"");
  EXPECT_EQ(with("confirm", "level", 1), "/confirm/level: expected a number between 0 and 1, found 1");
  EXPECT_EQ(with("delta", "minimum_pct", 0),
            "/delta/minimum_pct: expected a percentage above 0 and up to 100, found 0");
  EXPECT_EQ(with("delta", "too_noisy_pct", 1),
            "/delta/too_noisy_pct: expected at least minimum_pct, 2, found 1");
  EXPECT_EQ(with("whole_run", "share", 1.5),
            "/whole_run/share: expected a share above 0 and up to 1, found 1.5");
  EXPECT_EQ(with("confirm", "wait_seconds", -1),
            "/confirm/wait_seconds: expected a number of at least 0, found -1");
  EXPECT_EQ(with("pass", "otherwise_exit_code", 0),
            "/pass/otherwise_exit_code: expected 4 (inconclusive) or 1 (a failure), found 0");
  EXPECT_EQ(with("calibration", "runs", 2),
            "/calibration/runs: expected at least 3, so that each of 4 builds is in a run, found 2");
  EXPECT_EQ(with("counters", "x", {{"tolerance_pct", -1}, {"slack", 0}}),
            "/counters/x/tolerance_pct: expected a number of at least 0, found -1");
  EXPECT_EQ(with("counters", "x", {{"tolerance_pct", 1}, {"slack", -1}}),
            "/counters/x/slack: expected a number of at least 0, found -1");
}

TEST(GatePolicy, APolicyThatCouldNeverFindAnythingIsRefused) {
  ordered_json policy = shipped();
  policy["confirm"]["pairs"] = 9;
  EXPECT_EQ(
      refusal(policy),
      "/confirm/pairs: expected enough pairs for the level 0.005: the smallest p of 9 pairs is 0.007937");
  policy["confirm"]["pairs"] = 10;
  EXPECT_EQ(refusal(policy), "");
}

TEST(GatePolicy, AFileThatIsNoPolicyIsRefused) {
  EXPECT_THAT(refusal("text"), HasSubstr("expected an object"));
  EXPECT_THROW(read_policy(gates / "none.json"), bad_input);
  EXPECT_THROW(read_policy(written("half.json", "{\"name\": ")), bad_input);
}

}  // namespace
}  // namespace ablate::gate::policy_test
