#include "reports/claims/claims_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ablate::claims_names_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using words = claim_selection::words_by_name;

const old_names& table() {
  static const old_names all(R"({
    "operations": {}, "variants": {"block/early": "plain+pdl"}, "axes": {}, "values": {},
    "switches": {"*/launch=overlapped": "pdl=on", "*/launch=plain": "pdl=off", "sum/launch=graph": "graphs=on"},
    "dropped": {}, "order": {}, "baselines": {}, "gone": {}})",
                             "names");
  return all;
}

words renamed(const std::string& operation, const words& switches) {
  claim_selection of;
  of.operation = operation;
  of.switches = switches;
  give_todays_names(of, table());
  return of.switches;
}

TEST(ClaimsNames, AreNamedAsTodayAndTheUserIsTold) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(renamed("block", {{"launch", {"overlapped", "plain"}}, {"smem", {"on"}}}),
            (words{{"pdl", {"on", "off"}}, {"smem", {"on"}}}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("block/launch=overlapped,plain"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(renamed("block", {{"pdl", {"on"}}}), (words{{"pdl", {"on"}}}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST(ClaimsNames, VariantsHaveTheNamesOfToday) {
  claim_selection of;
  of.operation = "block";
  of.variants = {"early", "plain"};
  testing::internal::CaptureStderr();
  give_todays_names(of, table());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("block/early"));
  EXPECT_EQ(of.variants, (std::vector<std::string>{"plain+pdl", "plain"}));
}

TEST(ClaimsNames, WhatNoOneSwitchSaysStays) {
  const words two_switches = {{"launch", {"overlapped", "graph"}}},
              twice = {{"launch", {"plain"}}, {"pdl", {"on"}}};
  EXPECT_EQ(renamed("sum", two_switches), two_switches);
  EXPECT_EQ(renamed("sum", twice), twice);
}

}  // namespace
}  // namespace ablate::claims_names_test
