#include "harness/runner/output_check.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace ablate::output_check_test {
namespace {

/// An oracle of one byte: its error is that byte in hundredths; up to 0.1 is accepted.
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

/// Outputs on a device that a test writes.
class device_outputs final : public found_outputs {
 public:
  explicit device_outputs(bool has_memory_to_spare = true) : has_memory_to_spare_(has_memory_to_spare) {}

  std::uint64_t edition() const override { return inputs; }
  host_outputs room() const override { return host_outputs({{"out", 4, buffer_role::output}}); }
  void copy_to(host_outputs& to) const override {
    ++copies;
    std::memcpy(to.at(0), &value, sizeof value);
  }
  void keep() const override {
    if (has_memory_to_spare_) kept_ = value;
  }
  bool are_kept() const override { return kept_ == value; }
  void keep_results() const override { first_results_ = results; }
  std::optional<differing_bytes> changed_results() const override {
    if (!has_memory_to_spare_) return std::nullopt;
    return differing_bytes{results == first_results_ ? 0u : 1u, result_bytes};
  }

  std::uint32_t value = 0;
  std::uint64_t inputs = 0;
  int results = 0;                 ///< what stays there
  std::uint64_t result_bytes = 0;  ///< of it
  mutable int copies = 0;

 private:
  bool has_memory_to_spare_;
  mutable std::optional<std::uint32_t> kept_;
  mutable int first_results_ = -1;
};

TEST_F(OutputCheck, CopiesFromADeviceWhatIsNotAsItWasKept) {
  device_outputs on_device;
  on_device.value = 3;
  for (int i = 0; i < 5; ++i) check_.expect_right(on_device, "again");
  EXPECT_EQ(on_device.copies, 1);
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(static_cast<int>(check_.last().pointers()[0][0]), 3);

  on_device.value = 4;
  check_.expect_right(on_device, "others");
  EXPECT_EQ(on_device.copies, 2);
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(static_cast<int>(check_.last().pointers()[0][0]), 4);
  EXPECT_EQ(check_.found("ok", check_.last()).changed_share, 0.25);

  on_device.value = 3;
  check_.expect_right(on_device, "the first ones");
  EXPECT_EQ(on_device.copies, 2) << "the first are kept, not those before";
  EXPECT_EQ(check_.found("ok", check_.last()).changed_share, 0);

  on_device.value = 3 + (1u << 24);  // a byte that the oracle does not look at
  check_.expect_right(on_device, "elsewhere");
  EXPECT_EQ(asked_, 3);
  on_device.value = 11;
  EXPECT_THROW(check_.expect_right(on_device, "wrong"), wrong_output);
  EXPECT_THROW(check_.expect_right(on_device, "wrong"), wrong_output) << "what was wrong stays wrong";
}

TEST_F(OutputCheck, ComparesOnTheHostWhereTheDeviceHasNoMemoryToSpare) {
  device_outputs on_device(false);
  on_device.value = 3;
  for (int i = 0; i < 5; ++i) check_.expect_right(on_device, "again");
  EXPECT_EQ(on_device.copies, 5);
  EXPECT_EQ(asked_, 1);
  on_device.value = 4;
  check_.expect_right(on_device, "others");
  EXPECT_EQ(static_cast<int>(check_.last().pointers()[0][0]), 4);
  on_device.value = 3;
  check_.expect_right(on_device, "the first ones");
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(static_cast<int>(check_.last().pointers()[0][0]), 3);
  on_device.value = 11;
  EXPECT_THROW(check_.expect_right(on_device, "wrong"), wrong_output);
}

TEST_F(OutputCheck, CountsChangedBytesOfResultsThatStayOnTheDevice) {
  device_outputs on_device;
  on_device.value = 3;
  on_device.result_bytes = 12;
  check_.expect_right(on_device, "before timing");
  EXPECT_EQ(check_.found("ok", check_.last()).changed_share, 0);
  on_device.results = 7;
  check_.expect_right(on_device, "after timing");
  EXPECT_EQ(check_.found("ok", check_.last()).changed_share, 1.0 / 16) << "4 bytes of outputs, 12 there";
  on_device.value = 4;
  check_.expect_right(on_device, "after timing");
  EXPECT_EQ(check_.found("ok", check_.last()).changed_share, 2.0 / 16);
}

TEST_F(OutputCheck, SaysNothingOfChangesWhereTheDeviceHadNoRoomForResults) {
  device_outputs on_device(false);
  for (const char* when : {"before timing", "after timing"}) check_.expect_right(on_device, when);
  EXPECT_FALSE(check_.found("ok", check_.last()).changed_share);
}

TEST_F(OutputCheck, HoldsAVariantToThePromiseOfTheSameBits) {
  const auto wrong_with = [&](std::uint32_t value, int results) -> std::string {
    output_check promised(work_, nullptr, true);
    device_outputs on_device;
    on_device.value = 3;
    on_device.result_bytes = 12;
    promised.expect_right(on_device, "before timing");
    promised.expect_right(on_device, "timed launches");
    on_device.value = value;
    on_device.results = results;
    try {
      promised.expect_right(on_device, "after timing");
    } catch (const wrong_output& wrong) {
      return wrong.what();
    }
    return "";
  };
  EXPECT_EQ(wrong_with(3, 0), "");
  EXPECT_EQ(wrong_with(3, 1),
            "after timing: 1 of 12 bytes of results differ from the first launch's, and the variant promises "
            "the same bits");
  EXPECT_EQ(wrong_with(4, 0),
            "after timing: 1 of 4 bytes of outputs differ from the first launch's, and the variant promises "
            "the same bits");
}

TEST_F(OutputCheck, HoldsOutputsOfChangedInputsAgainstTheirOwnAnswer) {
  // Right is the number of the edition, 3 for the contents.
  std::uint64_t about = 0;
  std::vector<std::string> steps;
  work_.editions = {.changes = {}, .turn_to = [&](std::uint64_t edition) {
                      about = edition;
                      steps.push_back("turn to " + std::to_string(edition));
                      return edition == 5;
                    }};
  work_.check = [&](std::span<const std::byte* const> out) {
    const bool is_right = static_cast<std::uint64_t>(out[0][0]) == (about == 0 ? 3 : about);
    return check_result{is_right, is_right ? "" : "byte 0 differs", 0, 0};
  };
  output_check check(work_, nullptr, true, [&] { steps.push_back("learn"); });
  device_outputs on_device;
  on_device.value = 3;
  check.expect_right(on_device, "before timing");
  on_device.inputs = on_device.value = 4;
  check.expect_right(on_device, "timed launches");
  on_device.inputs = on_device.value = 5;
  check.expect_right(on_device, "timed launches again");
  EXPECT_EQ(steps, (std::vector<std::string>{"turn to 4", "turn to 0", "turn to 5", "learn", "turn to 0"}));

  on_device.inputs = 6;
  on_device.value = 3;  // as kept from the first launch
  try {
    check.expect_right(on_device, "timed launches");
    FAIL() << "a kept output passes";
  } catch (const wrong_output& wrong) {
    EXPECT_STREQ(wrong.what(), "timed launches, with a few elements of the inputs changed: byte 0 differs");
  }
  EXPECT_EQ(about, 0u) << "what follows is about the contents again";
  on_device.inputs = 0;
  check.expect_right(on_device, "after timing");
  EXPECT_EQ(check.found("ok", check.last()).changed_share, 0) << "between launches on the same inputs";
}

TEST_F(OutputCheck, ComparesWithWhatWasRightOfAnEarlierCaseOfTheWorkload) {
  right_outputs shared;
  device_outputs first_case;
  first_case.value = 3;
  output_check(work_, &shared).expect_right(first_case, "before timing");
  ASSERT_EQ(asked_, 1);

  output_check alike(work_, &shared);
  alike.expect_right(first_case, "before timing");
  EXPECT_EQ(first_case.copies, 1);
  EXPECT_EQ(asked_, 1);
  const measured_case::output_check found = alike.found("ok", alike.last());
  EXPECT_EQ(found.timed, "ok");
  EXPECT_EQ(found.max_error, 0.03);
  EXPECT_EQ(found.accepted_error, 0.1);
  EXPECT_EQ(found.changed_share, 0);

  device_outputs elsewhere(false);  // nothing is kept on this device: the host compares
  elsewhere.value = 3;
  output_check(work_, &shared).expect_right(elsewhere, "before timing");
  EXPECT_EQ(elsewhere.copies, 1);
  EXPECT_EQ(asked_, 1);

  output_check other(work_, &shared);
  first_case.value = 2;
  other.expect_right(first_case, "before timing");
  first_case.value = 3;
  other.expect_right(first_case, "after timing");
  EXPECT_EQ(asked_, 3) << "what counts is the first launch of the case";
  EXPECT_EQ(other.found("ok", other.last()).changed_share, 0.25);
  EXPECT_EQ(other.found("ok", other.last()).max_error, 0.03);

  output_check wrong(work_, &shared);
  first_case.value = 11;
  EXPECT_THROW(wrong.expect_right(first_case, "before timing"), wrong_output);
  first_case.value = 2;
  output_check(work_, &shared).expect_right(first_case, "before timing");
  EXPECT_EQ(asked_, 4) << "what was right before a wrong case still is";
}

TEST_F(OutputCheck, WhatIsWrongAtFirstIsNotKept) {
  device_outputs on_device;
  on_device.value = 11;
  for (int i = 0; i < 2; ++i) EXPECT_THROW(check_.expect_right(on_device, "before timing"), wrong_output);
  EXPECT_EQ(on_device.copies, 2);
}

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
  const measured_case::output_check found = check_.found("ok", outputs_);
  EXPECT_TRUE(found.is_made());
  EXPECT_EQ(found.timed, "ok");
  EXPECT_EQ(found.max_error, 0.07);
  EXPECT_EQ(found.accepted_error, 0.1);
  EXPECT_EQ(found.changed_share, 0.25);
  EXPECT_FALSE(not_checked().accepted_error);
}

TEST_F(OutputCheck, TheRecordNamesAVariantThatIsTheOracle) {
  expect_right(3, "before timing");
  EXPECT_EQ(check_.found("ok", outputs_).against, "");
  work_.oracle_variant = "plain";
  EXPECT_EQ(check_.found("ok", outputs_).against, "plain");
}

}  // namespace
}  // namespace ablate::output_check_test
