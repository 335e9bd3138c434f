#include "harness/runner/launch_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text/bad_input.h"
#include "harness/runner/case_key.h"
#include "tests/harness/runner/scripted.h"

namespace ablate::launch_settings_test {
namespace {

class LaunchSettings : public ::testing::Test {
 protected:
  std::vector<suite_case> left_by(const launch_settings& given) const {
    std::vector<suite_case> cases = expand(suite_, {.compute_capability = 90}, inputs_);
    apply(given, cases);
    return cases;
  }

  static std::set<std::string> ceilings_of(const std::vector<suite_case>& cases) {
    std::set<std::string> out;
    for (const suite_case& c : cases) out.insert(c.ceiling);
    return out;
  }

  test_support::scripted_operation operation_;
  suite suite_ = test_support::scripted_suite(operation_, {1, 2});
  input_library inputs_{1, {}, {}};
};

TEST_F(LaunchSettings, LeavesAWholeRunWhereNothingIsAsked) {
  const std::vector<suite_case> cases = left_by({});
  EXPECT_GT(ceilings_of(cases).size(), 3u);
  EXPECT_EQ(std::ranges::count(cases, std::string(), &suite_case::ceiling), 2);
  for (const suite_case& c : cases) EXPECT_EQ(c.protocol.injected_delay_pct, 0) << c.id;
}

TEST_F(LaunchSettings, KeepsTheNamedCeilingsBesideEveryOtherCase) {
  EXPECT_EQ(ceilings_of(left_by({.ceilings = {"launch", "no_such_ceiling"}})),
            (std::set<std::string>{"", "launch"}));
  EXPECT_EQ(ceilings_of(left_by({.ceilings = {"none"}})), std::set<std::string>{""});
}

TEST_F(LaunchSettings, DelaysTheSelectedCasesAndNoCalibration) {
  const launch_settings delayed = {.delay = {.pct = 10, .into = "n=2"}};
  if (!can_inject_delay()) {
    EXPECT_THROW(left_by(delayed), bad_input);
    return;
  }
  for (const suite_case& c : left_by(delayed))
    EXPECT_EQ(c.protocol.injected_delay_pct, c.ceiling.empty() && c.axes.word("n") == "2" ? 10 : 0) << c.id;
}

TEST_F(LaunchSettings, ExactlySoManySamplesWaitForNoSteadyClock) {
  suite_.steady_clock = true;
  suite_.blocks[0].steady_clock = true;
  suite_.sampling.maximum_seconds = 7;
  EXPECT_TRUE(with_samples_of({}, suite_).steady_clock);
  const suite exact = with_samples_of({.samples = 30}, suite_);
  EXPECT_FALSE(exact.steady_clock);
  EXPECT_EQ(exact.blocks[0].steady_clock, std::nullopt);
  EXPECT_EQ(exact.sampling.minimum_samples, 30);
  EXPECT_EQ(exact.sampling.maximum_samples, 30);
  EXPECT_EQ(exact.sampling.half_width, 0);
  EXPECT_EQ(exact.sampling.maximum_seconds, 7);
}

TEST_F(LaunchSettings, ACaseOfTimesAloneHasAKeyOfItsOwn) {
  const case_keys keys(suite_, {});
  suite_case c = left_by({.ceilings = {"none"}}).front();
  const std::string checked = keys.of(c, "", 1);
  c.protocol.observed->timeline = true;
  const std::string with_timeline = keys.of(c, "", 1);
  c.protocol.observed.reset();
  const std::string times_alone = keys.of(c, "", 1);
  EXPECT_EQ((std::set{checked, with_timeline, times_alone}).size(), 3u)
      << "a run that is resumed would take one for another";
}

}  // namespace
}  // namespace ablate::launch_settings_test
