#include "reports/sections/device_state.h"

#include "tests/reports/made_record.h"

namespace ablate::reports::device_state_test {
namespace {

TEST(DeviceState, EachCaseHasItsPlaceAndReasons) {
  record r = read_record(made_record_path());
  device_state before, after;
  before.event_reasons = std::vector<std::string>{"sw_power_cap"};
  after.sm_clock_mhz = written_number(1200);
  after.event_reasons = std::vector<std::string>{"hw_slowdown", "sw_power_cap"};
  r.cases.back().device_state = {before, after, {}};
  const auto plots = device_state_plots(r);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].name, "device-state");
  const auto& rows = plots[0].specification["data"]["values"];
  ASSERT_EQ(rows.size(), 2u);  // the others have no state
  EXPECT_EQ(rows[0]["place"], 4);
  EXPECT_EQ(rows[0]["group"], "gpu_idle");
  EXPECT_EQ(rows[0]["sm_clock_mhz"], 1965);
  EXPECT_EQ(rows[1]["group"], "hw_slowdown, sw_power_cap");
  EXPECT_TRUE(rows[1]["power_w"].is_null());
  EXPECT_EQ(plots[0].specification["vconcat"].size(), 4u);  // no clock was counted in a kernel
}

TEST(DeviceState, NothingIsDrawnOfNothing) {
  record r = read_record(made_record_path());
  for (measured_case& c : r.cases) c.device_state.reset();
  EXPECT_TRUE(device_state_plots(r).empty());
}

}  // namespace
}  // namespace ablate::reports::device_state_test
