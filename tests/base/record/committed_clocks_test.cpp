#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "base/record/clocks.h"
#include "base/record/facts.h"
#include "base/text/json_text.h"
#include "tests/support/committed_records.h"
#include "tests/support/paths.h"

namespace ablate::reports::committed_clocks_test {
namespace {

namespace fs = std::filesystem;

device_state glance_after(const measured_case& c) {
  return c.device_state ? c.device_state->after.value_or(device_state()) : device_state();
}

/// While the case was timed, or else right after it.
std::optional<double> clock_of(const measured_case& c) {
  if (const auto timed = sm_clock_mhz(c)) return timed;
  return glance_after(c).sm_clock_mhz;
}

bool asks_for_a_steady_clock(const std::string& suite) {
  const fs::path path = fs::path(test_support::source_path("suites")) / (suite + ".json");
  return parse_json_file(path).value("steady_clock", false);
}

/// Of the suites without a steady clock. Calibrations draw all available power; they are a suite of their
/// own, which requests one.
std::vector<std::pair<record, std::vector<measured_case>>> unwatched_cases() {
  std::vector<std::pair<record, std::vector<measured_case>>> out;
  for (const fs::path& path : test_support::committed_records()) {
    record r = read_record(path);
    if (asks_for_a_steady_clock(r.suite_name) || !r.on_gpu) continue;
    std::vector<measured_case> cases;
    std::copy_if(r.cases.begin(), r.cases.end(), std::back_inserter(cases),
                 [](const measured_case& c) { return !c.ceiling; });
    out.emplace_back(std::move(r), std::move(cases));
  }
  return out;
}

/// What docs/suites.md says of them: their kernels leave the clock where it is, except for a few.
TEST(CommittedRecords, OfASuiteWithoutASteadyClockHaveOneClockFarFromThePowerCap) {
  std::size_t clocks = 0, powers = 0;
  for (const auto& [r, cases] : unwatched_cases()) {
    const auto cap_w = number_fact(r.device, "power_cap_w");
    double highest = 0;
    for (const measured_case& c : cases) highest = std::max(highest, clock_of(c).value_or(0));
    std::size_t unlike = 0;
    for (const measured_case& c : cases) {
      if (const auto mhz = clock_of(c)) {
        ++clocks;
        unlike += are_unlike(*mhz, highest);
        EXPECT_GE(*mhz, 0.98 * highest) << r.path << ": " << c.name;
      }
      if (const auto power_w = glance_after(c).power_w; power_w && cap_w) {
        ++powers;
        EXPECT_LT(*power_w, *cap_w * 2 / 3) << r.path << ": " << c.name;
      }
      EXPECT_TRUE(glance_after(c).reasons().empty()) << r.path << ": " << c.name;
    }
    EXPECT_LE(50 * unlike, cases.size()) << r.path;
  }
  EXPECT_GT(clocks, 1000u);
  EXPECT_GT(powers, 1000u);
}

}  // namespace
}  // namespace ablate::reports::committed_clocks_test
