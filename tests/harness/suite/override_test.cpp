#include "harness/suite/override.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "harness/runner/case_key.h"
#include "tests/harness/suite/suite_in_text.h"
#include "tests/support/made_operations.h"
#include "tests/support/refusal.h"

namespace ablate::override_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

suite made_suite(const std::string& blocks) {
  return test_support::suite_in(
      R"({"name": "s", "description": "d", "point_files": {"yard": {"path": "yard.ply"}}, "cases": [)" +
      blocks + "]}");
}

const std::string two_blocks =
    R"({"operation": "made_sum", "axes": {"points": [1, 2, 3]}, "exclude": [{"points": 2, "mode": "int"}]},
       {"operation": "made_steps", "variants": ["fused"]})";

std::vector<std::string> ids_of(const suite& s) {
  std::vector<std::string> out;
  for (const suite_case& c : expand(s, {}, input_library(1, s.point_files, {})))
    if (c.ceiling.empty()) out.push_back(c.id);
  return out;
}

std::string refusal(const std::vector<std::string>& assignments) {
  return test_support::refusal_from([&] { overridden(made_suite(two_blocks), assignments); });
}

TEST(Override, ReplacesTheValuesInEachBlockThatHasTheAxis) {
  EXPECT_THAT(ids_of(overridden(made_suite(two_blocks), {"points=007", "variants=plain"})),
              ElementsAre("made_sum/plain/mode=int/points=7/shape=flat/@cold-clean",
                          "made_steps/plain/part=all/mode=strict/shape=flat/@cold-clean"));
}

TEST(Override, AValueThatABlocksOperationDoesNotHaveIsRefused) {
  EXPECT_THAT(refusal({"mode=int"}), HasSubstr("made_steps: 'int' is no value of axis 'mode'"));
  EXPECT_THAT(refusal({"points=-1"}), HasSubstr("made_sum: '-1' is no value of axis 'points'"));
  EXPECT_THAT(refusal({"shape=falt"}), HasSubstr("(did you mean 'flat'?)"));
}

TEST(Override, ARangeIsAllPowersOfTwoFromOneToTheOther) {
  const auto points = [](const std::string& values) {
    return overridden(made_suite(two_blocks), {"points=" + values}).overrides.at(0).second;
  };
  EXPECT_THAT(points("2^0..2^3"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(points("2^4"), ElementsAre("16"));
  EXPECT_THAT(points("3,2^1..2^2,4"), ElementsAre("3", "2", "4"));
  EXPECT_THAT(points("2^5..2^5"), ElementsAre("32"));
  for (const char* range : {"2^3..2^1", "1..8", "2^1..8", "2^1..", "..2^3", "2^1..2^63", "2^-1..2^3"})
    EXPECT_THAT(
        refusal({std::string("points=") + range}),
        HasSubstr("expected a range of powers of two, as 2^16..2^24, found '" + std::string(range) + "'"));
  EXPECT_THAT(refusal({"mode=2^3"}), HasSubstr("'8' is no value of axis 'mode'"));
}

TEST(Override, VariantsAndCacheStatesAreSetLikewise) {
  EXPECT_THAT(ids_of(overridden(made_suite(two_blocks), {"variants=staged,fused", "points=9", "cache=hot"})),
              ElementsAre("made_sum/staged/mode=int/points=9/shape=flat/@hot",
                          "made_steps/fused/part=all/mode=strict/shape=flat/@hot"));
  EXPECT_EQ(overridden(made_suite(two_blocks), {"variant=staged", "cache_state=hot"}).hash,
            overridden(made_suite(two_blocks), {"variants=staged", "cache=hot"}).hash)
      << "other spellings of the same names";
  EXPECT_THAT(overridden(made_suite(two_blocks), {"variants=staged"}).blocks, SizeIs(1))
      << "a block without any of these variants is dropped";
}

const std::string tuned =
    R"({"operation": "made_tuned", "variants": ["plain", "other"]}, {"operation": "made_steps", "variants": ["plain"]})";

TEST(Override, SwitchesChooseAmongThePointsAroundTheSuitesVariants) {
  const auto names = [](const std::vector<std::string>& assignments) {
    std::vector<std::string> out;
    const suite chosen = overridden(made_suite(tuned), assignments);
    for (const suite_block& block : chosen.blocks)
      for (const variant_facts* v : block.variants) out.push_back(block.operation->name + "/" + v->name);
    return out;
  };
  EXPECT_THAT(names({"switch.threads=128,32"}),
              ElementsAre("made_tuned/plain+threads=128", "made_tuned/other"));
  EXPECT_THAT(names({"switch.threads=*", "switch.pdl=off"}),
              ElementsAre("made_tuned/plain", "made_tuned/plain+threads=128", "made_tuned/plain+threads=512",
                          "made_tuned/other"));
  EXPECT_THAT(names({"variants=plain+threads=512"}), ElementsAre("made_tuned/plain+threads=512"));
  EXPECT_NE(overridden(made_suite(tuned), {"switch.threads=128"}).hash, made_suite(tuned).hash);
}

TEST(Override, SwitchesAndPointsMayHaveNamesOfBefore) {
  const old_names table(R"({
    "operations": {}, "variants": {"made_tuned/plain_128": "plain+threads=128"}, "axes": {}, "values": {},
    "switches": {"*/launch=overlapped": "pdl=on", "made_tuned/block": "threads", "made_tuned/block=small": "threads=128"},
    "dropped": {}, "order": {}, "baselines": {}, "gone": {}})",
                        "names");
  const auto names = [&](const std::string& assignment) {
    std::vector<std::string> out;
    const suite chosen = overridden(made_suite(tuned), {assignment}, table);
    for (const suite_block& block : chosen.blocks)
      for (const variant_facts* v : block.variants) out.push_back(block.operation->name + "/" + v->name);
    return out;
  };
  testing::internal::CaptureStderr();
  EXPECT_THAT(names("switch.launch=overlapped"), ElementsAre("made_tuned/early"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("launch=overlapped: of an earlier version; today: pdl=on"));
  EXPECT_THAT(names("switch.block=small,32"),
              ElementsAre("made_tuned/plain+threads=128", "made_tuned/other"));
  EXPECT_THAT(names("switch.block=*"), ElementsAre("made_tuned/plain", "made_tuned/plain+threads=128",
                                                   "made_tuned/plain+threads=512", "made_tuned/other"));
  EXPECT_THAT(names("variants=plain+block=512"), ElementsAre("made_tuned/plain+threads=512"));
  EXPECT_THAT(names("variants=plain_128+launch=overlapped"), ElementsAre("made_tuned/plain+threads=128+pdl"));
  EXPECT_THAT(names("switch.threads=128"), ElementsAre("made_tuned/plain+threads=128")) << "today's";
  EXPECT_THAT(test_support::refusal_from([&] { names("switch.launch=graph"); }),
              HasSubstr("no switch of 'made_tuned' 'launch'"));
}

TEST(Override, WrongSwitchesAreRefusedWithTheNearest) {
  const auto refused = [](const std::string& assignment) {
    return test_support::refusal_from([&] { overridden(made_suite(tuned), {assignment}); });
  };
  EXPECT_THAT(refused("switch.thread=128"),
              HasSubstr("no switch of 'made_tuned' 'thread' (did you mean 'threads'?)"));
  EXPECT_THAT(refused("switch.threads=129"), HasSubstr("(did you mean '128'?)"));
}

TEST(Override, ThePointFilesOfTheSuiteAreValues) {
  EXPECT_THAT(overridden(made_suite(two_blocks), {"shape=yard"}).overrides, SizeIs(1));
}

TEST(Override, WrongNamesAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal({"pionts=3"}), HasSubstr("no axis of the suite 'pionts' (did you mean 'points'?)"));
  EXPECT_THAT(refusal({"variants=stagd"}), HasSubstr("(did you mean 'staged'?)"));
  EXPECT_THAT(refusal({"variant=stage"}), HasSubstr("(did you mean 'staged'?)"));
  EXPECT_THAT(refusal({"variants=staged", "variant=plain"}), HasSubstr("'variants' is set twice"));
  EXPECT_THAT(refusal({"cache=hto"}), HasSubstr("no cache state 'hto' (did you mean 'hot'?)"));
  for (const char* broken : {"points", "points=", "=3", "points=,"})
    EXPECT_THAT(refusal({broken}), HasSubstr("expected AXIS=VALUE[,VALUE...]"));
  EXPECT_THAT(refusal({"points=1", "points=2"}), HasSubstr("'points' is set twice"));
}

TEST(Override, WhatTheSuiteLeavesOutStaysOut) {
  const std::string one_block = two_blocks.substr(0, two_blocks.find(",\n"));
  const suite s = overridden(made_suite(one_block), {"points=2", "variants=plain"});
  try {
    ids_of(s);
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("the suite's `exclude` leaves out every case of --axes"));
  }
}

TEST(Override, ChangesTheHashAndTheKeysOfCases) {
  const suite plain = made_suite(two_blocks), set = overridden(plain, {"points=1", "variants=plain,fused"}),
              other = overridden(plain, {"points=1", "variants=plain"});
  EXPECT_NE(plain.hash, set.hash);
  EXPECT_NE(set.hash, other.hash);
  EXPECT_EQ(overridden(plain, {}).hash, plain.hash);
  EXPECT_EQ(override_text(set.overrides), "points=1 variants=plain,fused");

  const suite_case same = expand(set, {}, input_library(1, {}, {})).back();
  EXPECT_NE(case_keys(plain, {}).of(same, ""), case_keys(set, {}).of(same, ""));
  EXPECT_NE(case_keys(set, {}).of(same, ""), case_keys(other, {}).of(same, ""));
}

}  // namespace
}  // namespace ablate::override_test
