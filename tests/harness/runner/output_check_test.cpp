#include "harness/runner/output_check.h"

#include <gtest/gtest.h>

namespace ablate::output_check_test {
namespace {

/// An oracle of one byte: its error is that byte in hundredths, of which a tenth is accepted.
class OutputCheck : public ::testing::Test {
 protected:
  OutputCheck() {
    work_.check = [this](std::span<const std::byte* const> out) {
      ++asked_;
      const double error = static_cast<double>(out[0][0]) / 100;
      return check_result{error <= 0.1, error <= 0.1 ? "" : "byte 0 differs", error, 0.1};
    };
  }

  void expect_right(int byte, const std::string& when) {
    *static_cast<char*>(outputs_.at(0)) = static_cast<char>(byte);
    check_.expect_right(outputs_, when);
  }

  int asked_ = 0;
  workload work_;
  host_outputs outputs_{{{"out", 4, buffer_role::output}}};
  output_check check_{work_};
};

TEST_F(OutputCheck, SaysAfterWhichLaunchesAnOutputIsWrong) {
  expect_right(3, "before timing");
  try {
    expect_right(11, "timed launches");
    ADD_FAILURE() << "11 hundredths were accepted";
  } catch (const wrong_output& wrong) {
    EXPECT_STREQ(wrong.what(), "timed launches: byte 0 differs");
  }
  EXPECT_THROW(expect_right(11, "timed launches"), wrong_output) << "what was wrong stays wrong";
}

TEST_F(OutputCheck, AsksTheOracleOnceAboutTheSameBytes) {
  for (int i = 0; i < 5; ++i) expect_right(3, "again");
  EXPECT_EQ(asked_, 1);
  expect_right(4, "others");
  expect_right(3, "the first ones");
  EXPECT_EQ(asked_, 2);
}

TEST_F(OutputCheck, AsksAgainOnlyBehindAFirstOneThatIsRight) {
  int again = 0;
  work_.check_again = [&](std::span<const std::byte* const> out) {
    ++again;
    return check_result{out[0][0] != std::byte{9}, "byte 0 is 9"};
  };
  EXPECT_THROW(expect_right(11, "before timing"), wrong_output);
  expect_right(3, "before timing");
  EXPECT_EQ(asked_, 2);
  expect_right(11, "timed launches");
  EXPECT_THROW(expect_right(9, "after timing"), wrong_output);
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(again, 2);
}

TEST_F(OutputCheck, TheRecordHasTheGreatestErrorAndTheAcceptedOne) {
  expect_right(3, "before timing");
  expect_right(7, "timed launches");
  expect_right(5, "after timing");
  EXPECT_EQ(
      check_.json("ok", outputs_).dump(),
      R"({"before":"ok","timed":"ok","after":"ok","max_error":0.07,"accepted_error":0.1,"changed_share":0.25})");
  EXPECT_FALSE(not_checked_json().contains("accepted_error"));
}

TEST_F(OutputCheck, TheRecordNamesAVariantThatIsTheOracle) {
  expect_right(3, "before timing");
  EXPECT_FALSE(check_.json("ok", outputs_).contains("against"));
  work_.oracle_variant = "plain";
  EXPECT_EQ(check_.json("ok", outputs_).at("against"), "plain");
}

}  // namespace
}  // namespace ablate::output_check_test
