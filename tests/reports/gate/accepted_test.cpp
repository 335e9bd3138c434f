#include "reports/gate/accepted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "reports/plots/render.h"
#include "tests/support/temporary_directory.h"

namespace ablate::gate::accepted_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::vector<accepted_change> read(const std::string& change) {
  const test_support::temporary_directory folder;
  return read_accepted(folder.write("accepted.json", "{\"accepted\": [" + change + "]}"));
}

TEST(Accepted, AChangeHasAPatternAQuantityAndAReason) {
  const auto changes = read(R"({"kernel": "direct<.*>", "quantity": "registers", "reason": "wider tiles",
                               "place": "sm_80", "up_to": 40, "until": "2026-12-31"})");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(std::regex_search("void f::direct<int>(x)", changes[0].pattern));
  EXPECT_EQ(changes[0].up_to, 40);
  EXPECT_FALSE(changes[0].has_ended("2026-12-31"));
  EXPECT_TRUE(changes[0].has_ended("2027-01-01"));
}

TEST(Accepted, AChangeOfACaseHasNoPlaceThatTheGateWouldNotLookAt) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("accepted.json", R"({"accepted": [{"case": "f", "quantity": "time",
      "reason": "r", "place": "a100"}]})");
  try {
    read_accepted_of_cases(path, {"time"});
    ADD_FAILURE() << "accepted";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("no key 'place'"));
  }
}

TEST(Accepted, WithoutADayItHoldsForGood) {
  const auto changes = read(R"({"kernel": "f", "quantity": "registers", "reason": "r"})");
  EXPECT_FALSE(changes.front().has_ended("9999-12-31"));
}

TEST(Accepted, ABrokenChangeIsRefusedInOneLineThatNamesThePlace) {
  const auto expect_refused = [](const std::string& change, const std::string& saying) {
    try {
      read(change);
      ADD_FAILURE() << saying;
    } catch (const bad_input& e) {
      EXPECT_THAT(e.what(), HasSubstr(saying));
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  };
  expect_refused(R"({"quantity": "registers", "reason": "r"})", "kernel");
  expect_refused(R"({"kernel": "(", "quantity": "registers", "reason": "r"})",
                 "/accepted/0/kernel: expected a regular expression");
  expect_refused(R"({"kernel": "f", "quantity": "register", "reason": "r"})", "did you mean 'registers'?");
  expect_refused(R"({"kernel": "f", "quantity": "registers", "reason": ""})", "expected why");
  expect_refused(R"({"kernel": "f", "quantity": "registers", "reason": "r", "until": "2026-02-30"})",
                 "/accepted/0/until: expected a day");
  expect_refused(R"({"kernel": "f", "quantity": "registers", "reason": "r", "til": "2026-02-03"})",
                 "no key 'til' (did you mean 'until'?)");
}

TEST(Accepted, TheFileThatComesWithTheProgramIsOne) {
  EXPECT_NO_THROW(
      read_accepted(reports::renderer_directory().parent_path() / "suites" / "gates" / "accepted.json"));
}

TEST(Accepted, TodayIsADay) { EXPECT_THAT(day_of_now(), MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}")); }

}  // namespace
}  // namespace ablate::gate::accepted_test
