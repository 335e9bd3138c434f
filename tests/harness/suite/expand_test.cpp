#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "harness/suite/suite.h"
#include "tests/harness/suite/suite_in_text.h"
#include "tests/support/made_operations.h"
#include "tests/support/temporary_directory.h"

namespace ablate::expand_test {
namespace {

using test_support::temporary_directory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

suite made_suite(const std::string& blocks, const std::string& more = "") {
  return test_support::suite_in(R"({"name": "s", "description": "d", )" + more + R"("cases": [)" + blocks +
                                "]}");
}

std::vector<suite_case> expanded(const suite& s, const target& on, const std::string& filter = "") {
  return expand(s, on, input_library(s.seed, s.point_files, {}), filter);
}

std::vector<suite_case> without_calibrations(std::vector<suite_case> cases) {
  std::erase_if(cases, [](const suite_case& c) { return !c.operation->calibrations.empty(); });
  return cases;
}

std::vector<std::string> ids(const std::vector<suite_case>& cases) {
  std::vector<std::string> result;
  for (const suite_case& c : cases) result.push_back(c.id);
  return result;
}

std::string refusal(const suite& s, const target& on, const std::string& filter) {
  try {
    expanded(s, on, filter);
  } catch (const bad_input& e) {
    const std::string what = e.what(), prefix = s.path.string() + ": ";
    return what.starts_with(prefix) ? what.substr(prefix.size()) : what;
  }
  return "accepted";
}

TEST(Expand, CasesOfEqualAxesStandTogetherWhereverTheyAreNamed) {
  const suite s =
      made_suite(R"({"operation": "made_sum", "variants": ["plain", "staged"], "axes": {"points": [1, 2]}},
                                {"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}, "cache": "hot"})");
  EXPECT_THAT(ids(without_calibrations(expanded(s, {}))),
              ElementsAre("made_sum/plain/mode=int/points=1/shape=flat/@cold-clean",
                          "made_sum/staged/mode=int/points=1/shape=flat/@cold-clean",
                          "made_sum/plain/mode=int/points=1/shape=flat/@hot",
                          "made_sum/plain/mode=int/points=2/shape=flat/@cold-clean",
                          "made_sum/staged/mode=int/points=2/shape=flat/@cold-clean"));
}

TEST(Expand, ACaseNamedTwiceHasTheCountersOfMostGroups) {
  const suite s = made_suite(R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1, 2]}},
                                {"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}, "counters": "full"},
                                {"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1, 2]}, "counters": "none"})",
                             R"("counters": "core", )");
  const auto cases = without_calibrations(expanded(s, {}));
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].protocol.observed->counters, "full");
  EXPECT_EQ(cases[1].protocol.observed->counters, "core");
  for (const suite_case& c : expanded(s, {}))
    if (!c.operation->calibrations.empty()) {
      EXPECT_EQ(c.protocol.observed->counters, "core") << c.id;
    }
}

TEST(Expand, TheLastAxisTurnsFastest) {
  const suite s = made_suite(
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"shape": ["flat", "round"], "points": [1, 2]}})");
  EXPECT_THAT(ids(without_calibrations(expanded(s, {}))),
              ElementsAre("made_sum/plain/mode=int/points=1/shape=flat/@cold-clean",
                          "made_sum/plain/mode=int/points=1/shape=round/@cold-clean",
                          "made_sum/plain/mode=int/points=2/shape=flat/@cold-clean",
                          "made_sum/plain/mode=int/points=2/shape=round/@cold-clean"));
}

TEST(Expand, ACaseNamedTwiceAppearsOnce) {
  const std::string block = R"({"operation": "made_sum", "axes": {"points": [5, 6]}})";
  EXPECT_EQ(expanded(made_suite(block + "," + block), {}).size(), expanded(made_suite(block), {}).size());
}

TEST(Expand, CalibrationsComeFirstOnAGpu) {
  const std::vector<suite_case> cases = expanded(made_suite(R"({"operation": "made_sum"})"), {});
  std::vector<std::string> made, ceilings;
  bool in_calibrations = true;
  for (const suite_case& c : cases) {
    if (c.operation->name == "made_ceiling") {
      made.push_back(c.id);
      ceilings.push_back(c.ceiling);
    }
    in_calibrations &= !c.operation->calibrations.empty();
    EXPECT_EQ(in_calibrations, !c.operation->calibrations.empty()) << c.id << " stands after the suite's own";
  }
  EXPECT_THAT(made, ElementsAre("made_ceiling/wide/made_resource=width/@cold-clean",
                                "made_ceiling/high/made_resource=height/@hot"));
  EXPECT_THAT(ceilings, ElementsAre("width", "height"));
}

TEST(Expand, AFilterSelectsByIdAndKeepsTheCalibrations) {
  const suite s = made_suite(R"({"operation": "made_sum", "axes": {"points": [1, 21]}})");
  const std::vector<suite_case> cases = expanded(s, {}, "(plain|hopper).*points=1/");
  EXPECT_THAT(ids(without_calibrations(cases)),
              ElementsAre("made_sum/plain/mode=int/points=1/shape=flat/@cold-clean",
                          "made_sum/hopper/mode=int/points=1/shape=flat/@cold-clean"));
  EXPECT_GT(cases.size(), 2u);
}

TEST(Expand, AFilterOfTermsIsEqualAndNeverContained) {
  const suite s = made_suite(R"({"operation": "made_sum", "axes": {"points": [1, 21, 12]}})");
  EXPECT_THAT(ids(without_calibrations(expanded(s, {}, "points=1 variant=plain,hopper"))),
              ElementsAre("made_sum/plain/mode=int/points=1/shape=flat/@cold-clean",
                          "made_sum/hopper/mode=int/points=1/shape=flat/@cold-clean"));
  EXPECT_THAT(refusal(s, {}, "points=2"), HasSubstr("--filter: no value of axis 'points' '2'"));
  EXPECT_THAT(refusal(s, {}, "variant=plai"), HasSubstr("(did you mean 'plain'?)"));
  EXPECT_THAT(refusal(s, {}, "variant=plain operation=made_ceiling"),
              HasSubstr("no case has variant=plain and operation=made_ceiling"));
  EXPECT_THAT(refusal(s, {true}, "variant=reference cache=host points=1"), HasSubstr("accepted"));
}

TEST(Expand, CalibrationsMayBeFilteredToo) {
  const suite s = made_suite(R"({"operation": "made_sum"})");
  const input_library inputs(s.seed, s.point_files, {});
  for (const suite_case& c : expand(s, {}, inputs, "operation=made_sum", filtered::all))
    EXPECT_EQ(c.operation->name, "made_sum");
  EXPECT_FALSE(without_calibrations(expand(s, {}, inputs, "operation=made_sum", filtered::all)).empty());
}

TEST(Expand, AFilterThatIsBrokenOrSelectsNothingIsRefused) {
  const suite s = made_suite(R"({"operation": "made_sum"})");
  EXPECT_EQ(refusal(s, {}, "(plain"),
            "--filter: '(plain' is not a regular expression; expected ECMAScript syntax");
  EXPECT_EQ(refusal(s, {}, "nothing"),
            "no case has 'nothing' in its id; see `ablate plan --json` for the ids");
  EXPECT_EQ(
      refusal(s, {true}, "plain"),
      "no case has 'plain' in its id; see `ablate plan --json` for the ids (on the host the only variant is "
      "'reference')");
}

TEST(Expand, ExclusionsLeaveCasesOut) {
  const suite s =
      made_suite(R"({"operation": "made_sum", "variants": ["plain", "staged"], "axes": {"points": [1, 2, 3]},
    "exclude": [{"points": 1}, {"variant": ["staged"], "points": [2, 1]}]})");
  EXPECT_THAT(ids(without_calibrations(expanded(s, {}))),
              ElementsAre("made_sum/plain/mode=int/points=2/shape=flat/@cold-clean",
                          "made_sum/plain/mode=int/points=3/shape=flat/@cold-clean",
                          "made_sum/staged/mode=int/points=3/shape=flat/@cold-clean"));
  EXPECT_EQ(expanded(s, {true}).size(), 2u);
}

TEST(Expand, WhatCannotBeSaysWhy) {
  const suite s = made_suite(
      R"({"operation": "made_sum", "axes": {"mode": "float", "shape": "round", "points": [7, 8]}})");
  std::vector<std::string> reasons;
  for (const suite_case& c : without_calibrations(expanded(s, {false, 80})))
    reasons.push_back(c.not_applicable.value_or("-"));
  EXPECT_THAT(reasons,
              ElementsAre("seven points are never round", "seven points are never round",
                          "seven points are never round", "-",
                          "variant 'staged' is made for mode=int only, not for float",
                          "variant 'hopper' needs compute capability 9.0; this chip and build have 8.0"));
  for (const suite_case& c : without_calibrations(expanded(s, {false, 90})))
    if (c.variant_name() == "hopper" && c.axes.word("points") == "8") {
      EXPECT_FALSE(c.not_applicable);
    }
}

TEST(Expand, AVariantAppliesWhereEveryNamedAxisHasOneOfItsWords) {
  const suite s = made_suite(
      R"({"operation": "made_steps", "variants": ["fused"], "axes": {"part": ["all", "second"], "mode": ["strict", "loose"]}})");
  std::vector<std::string> reasons;
  for (const suite_case& c : without_calibrations(expanded(s, {})))
    reasons.push_back(c.not_applicable.value_or("-"));
  EXPECT_THAT(reasons, ElementsAre("variant 'fused' is made for part=last or second only, not for all",
                                   "variant 'fused' is made for part=last or second only, not for all",
                                   "variant 'fused' is made for mode=loose only, not for strict", "-"));
}

TEST(Expand, OnlyColdCleanTimesARegionWithSomethingAhead) {
  const suite s = made_suite(
      R"({"operation": "made_steps", "variants": ["plain"], "axes": {"part": ["all", "second"]}, "cache": ["cold-clean", "hot", "rotating"]})");
  std::vector<std::string> reasons;
  for (const suite_case& c : without_calibrations(expanded(s, {})))
    reasons.push_back(c.not_applicable.value_or("-"));
  const std::string why =
      " launches many times in a row, but other work goes ahead of each launch here; only 'cold-clean' can "
      "time it";
  EXPECT_THAT(reasons, ElementsAre("-", "-", "-", "-", "'hot'" + why, "'rotating'" + why));
  for (const suite_case& c : expanded(s, {true})) EXPECT_FALSE(c.not_applicable) << c.id;
}

TEST(Expand, ARegionThatKeepsWhatIsAheadCanBeTimedHot) {
  const suite s = made_suite(
      R"({"operation": "made_hosted", "variants": ["plain"], "axes": {"part": "second"}, "cache": ["cold-clean", "hot", "rotating"]})");
  const auto cases = without_calibrations(expanded(s, {}));
  EXPECT_EQ(cases.size(), 3u);
  for (const suite_case& c : cases) EXPECT_FALSE(c.not_applicable) << c.id << *c.not_applicable;
}

TEST(Expand, OnlyColdCleanTimesARegionThatTheHostTakesPartIn) {
  const suite s = made_suite(
      R"({"operation": "made_hosted", "variants": ["plain"], "axes": {"host": ["absent", "waits", "graph"]}, "cache": ["cold-clean", "hot", "rotating"]})");
  std::vector<std::string> reasons;
  for (const suite_case& c : without_calibrations(expanded(s, {})))
    reasons.push_back(c.not_applicable.value_or("-"));
  const std::string hot =
      "'hot' launches many times in a row, but the host waits for results here; only 'cold-clean' can time "
      "it";
  const std::string rotating = "'rotating'" + hot.substr(5);
  EXPECT_THAT(reasons, ElementsAre("-", "-", "-", "-", hot, rotating, "-", hot, rotating));
  for (const suite_case& c : expanded(s, {true})) EXPECT_FALSE(c.not_applicable) << c.id;
}

/// Hot, the case does not apply: that is known once its point file is there.
void expect_known_with_the_file(const std::string& operation, const std::string& axis) {
  const suite s = made_suite(R"({"operation": ")" + operation + R"(", "variants": ["plain"],
                     "axes": {)" +
                                 axis + R"(, "shape": "lost"}, "cache": "hot"})",
                             R"("point_files": {"lost": {"path": "data:lost.bin"}}, )");
  const auto cases = without_calibrations(expanded(s, {}));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_FALSE(cases[0].not_applicable);
  const temporary_directory data;
  data.write("lost.bin", std::vector<float>(40));
  const auto found = without_calibrations(expand(s, {}, input_library(s.seed, s.point_files, {data.path()})));
  EXPECT_TRUE(found.at(0).not_applicable);
}

TEST(Expand, TheClockOfAMissingPointFileNeedNotBeKnown) {
  expect_known_with_the_file("made_hosted", R"("host": "waits")");
}

TEST(Expand, WhatIsAheadOfAMissingPointFileNeedNotBeKnown) {
  expect_known_with_the_file("made_steps", R"("part": "second")");
}

TEST(Expand, ACaseIsSampledWhereOneOfItsBlocksWantsIt) {
  const std::string both = R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1, 2]}})";
  const std::string sampled =
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}, "sampled": true})";
  for (const std::string& blocks : {both + "," + sampled, sampled + "," + both})
    for (const bool host : {false, true}) {
      const auto cases = without_calibrations(expanded(made_suite(blocks), {host}));
      ASSERT_EQ(cases.size(), 2u);
      EXPECT_TRUE(cases[0].protocol.observed->sampled) << cases[0].id;
      EXPECT_FALSE(cases[1].protocol.observed->sampled) << cases[1].id;
    }
  for (const suite_case& c : expanded(made_suite(sampled), {})) {
    EXPECT_EQ(c.protocol.observed->sampled, c.ceiling.empty()) << c.id;
  }
}

TEST(Expand, ACaseHasAPictureWhereOneOfItsBlocksWantsIt) {
  const std::string one = R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}})";
  const std::string both = R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1, 2]}})";
  const std::string one_drawn =
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}, "picture": true})";
  for (const std::string& blocks : {both + "," + one_drawn, one_drawn + "," + both})
    for (const bool host : {false, true}) {
      const auto cases = without_calibrations(expanded(made_suite(blocks), {host}));
      ASSERT_EQ(cases.size(), 2u);
      EXPECT_TRUE(cases[0].protocol.observed->picture) << cases[0].id;
      EXPECT_FALSE(cases[1].protocol.observed->picture) << cases[1].id;
    }
  EXPECT_FALSE(without_calibrations(expanded(made_suite(one), {})).at(0).protocol.observed->picture);
}

TEST(Expand, ACaseWaitsForASteadyClockWhereOneOfItsBlocksOrTheSuiteWantsIt) {
  const std::string plain = R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1, 2]}})";
  const std::string steady =
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}, "steady_clock": true})";
  for (const std::string& blocks : {plain + "," + steady, steady + "," + plain}) {
    const auto cases = without_calibrations(expanded(made_suite(blocks), {}));
    ASSERT_EQ(cases.size(), 2u);
    EXPECT_EQ(cases[0].protocol.steady_clock_s, 5) << cases[0].id;
    EXPECT_EQ(cases[1].protocol.steady_clock_s, 0) << cases[1].id;
  }
  suite all = made_suite(plain);
  all.steady_clock = true;
  for (const suite_case& c : expanded(all, {})) EXPECT_EQ(c.protocol.steady_clock_s, 5) << c.id;
}

TEST(Expand, EnergyIsMeteredWhereOneOfACasesBlocksOrTheSuiteWantsIt) {
  const std::string plain = R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": [1, 2]}})";
  const std::string metered =
      R"({"operation": "made_sum", "variants": ["plain"], "axes": {"points": 1}, "energy": true})";
  for (const std::string& blocks : {plain + "," + metered, metered + "," + plain}) {
    const auto cases = without_calibrations(expanded(made_suite(blocks), {}));
    ASSERT_EQ(cases.size(), 2u);
    EXPECT_TRUE(cases[0].protocol.observed->energy) << cases[0].id;
    EXPECT_FALSE(cases[1].protocol.observed->energy) << cases[1].id;
  }
  suite all = made_suite(plain);
  all.energy = true;
  for (const suite_case& c : without_calibrations(expanded(all, {})))
    EXPECT_TRUE(c.protocol.observed->energy) << c.id;
}

TEST(Expand, OnTheHostEveryInputRunsOnceAsTheReference) {
  const suite s = made_suite(
      R"({"operation": "made_sum", "axes": {"points": [7, 8], "shape": "round"}, "cache": ["hot", "rotating"]},
                                {"operation": "made_sum", "axes": {"points": 8, "shape": "round"}}, {"operation": "made_ceiling"})");
  const std::vector<suite_case> cases = expanded(s, {true});
  EXPECT_THAT(ids(cases), ElementsAre("made_sum/reference/mode=int/points=7/shape=round/@host",
                                      "made_sum/reference/mode=int/points=8/shape=round/@host"));
  EXPECT_EQ(cases[0].variant, nullptr);
  EXPECT_EQ(cases[0].not_applicable, "seven points are never round");
  EXPECT_FALSE(cases[1].not_applicable);
}

TEST(Expand, ASuiteOfCalibrationsHasNothingForTheHost) {
  EXPECT_EQ(refusal(made_suite(R"({"operation": "made_ceiling"})"), {true}, ""),
            "no case is left on a machine without a GPU; expected an operation that is no calibration");
}

TEST(Expand, RefusesMoreCasesThanTheSuiteAllowsAndCountsThem) {
  const std::string small = R"({"operation": "made_sum", "variants": ["plain"]})";
  const std::string large =
      R"({"operation": "made_sum", "axes": {"points": [1, 2, 3]}, "cache": ["hot", "rotating"]})";
  const suite s = made_suite(small + "," + large, R"("maximum_cases": 18, )");
  EXPECT_EQ(refusal(s, {}, ""),
            "/cases/1: this block has 18 cases and the suite 19 up to here; expected at most 18 "
            "(maximum_cases)");
  EXPECT_EQ(refusal(made_suite(large, R"("maximum_cases": 18, )"), {}, ""), "accepted");
}

TEST(Expand, CountsAnExplosionThatNoMemoryCouldHold) {
  suite s = made_suite(R"({"operation": "made_sum"})");
  // 3 variants of 10^5 values on each of three axes and once more: 3·10^20 would not even fit into 64 bits.
  for (auto& [name, values] : s.blocks[0].axes) values.assign(100000, "1");
  s.blocks[0].axes.emplace_back("more", std::vector<std::string>(100000, "1"));
  EXPECT_EQ(refusal(s, {}, ""),
            "/cases/0: this block has more than 1000000000000000 cases and the suite more than "
            "1000000000000000 "
            "up to here; expected at most 1000 (maximum_cases)");
}

}  // namespace
}  // namespace ablate::expand_test
