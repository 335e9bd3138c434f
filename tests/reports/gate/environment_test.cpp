#include "reports/gate/environment.h"

#include <gtest/gtest.h>

namespace ablate::gate::environment_test {
namespace {

gate_policy made_policy() {
  gate_policy p{};
  p.environment = {1, 3, {"hw_slowdown", "hw_thermal_slowdown"}};
  return p;
}

const launch_environment fit = {1980, 3201, {"gpu_idle", "sw_power_cap"}, 0, 0};

std::string broken(const launch_environment& a, const launch_environment& b) {
  return why_broken(a, b, made_policy()).value_or("");
}

TEST(LaunchEnvironment, APairOfFitLaunchesIsTaken) {
  EXPECT_EQ(broken(fit, fit), "");
  EXPECT_EQ(broken({}, {}), "") << "what cannot be read is not held against a launch";
  EXPECT_EQ(broken(fit, {}), "");
}

TEST(LaunchEnvironment, ClocksMayDifferByTheTolerance) {
  launch_environment slower = fit;
  slower.sm_clock_mhz = 1965;
  EXPECT_EQ(broken(fit, slower), "");
  slower.sm_clock_mhz = 1950;
  EXPECT_EQ(broken(fit, slower), "the SM clock was 1980 MHz for the baseline and 1950 MHz for the candidate");
  slower = fit;
  slower.memory_clock_mhz = 3200;
  EXPECT_EQ(broken(slower, fit),
            "the memory clock was 3200 MHz for the baseline and 3201 MHz for the candidate");
}

TEST(LaunchEnvironment, EachGuardNamesTheSideAndTheReason) {
  launch_environment bad = fit;
  bad.event_reasons.push_back("hw_thermal_slowdown");
  EXPECT_EQ(broken(fit, bad), "the clock of the candidate's launch was held down: hw_thermal_slowdown");
  bad = fit;
  bad.other_processes = 2;
  EXPECT_EQ(broken(bad, fit), "2 other processes computed on the GPU during the baseline's launch");
  bad = fit;
  bad.ecc_errors_during_it = 1;
  EXPECT_EQ(broken(fit, bad), "memory errors were counted during the candidate's launch");
}

}  // namespace
}  // namespace ablate::gate::environment_test
