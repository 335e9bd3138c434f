#include "harness/gate/launch.h"

#include <gtest/gtest.h>

#include "tests/reports/made_record.h"

namespace ablate::gate::launch_test {
namespace {

TEST(Launch, CountsOfTheDevicesStateThatAreNoneAreNotKnown) {
  nlohmann::ordered_json made = reports::made_record();
  const auto environment_with = [&](const nlohmann::ordered_json& count) {
    made["benchmarks"][2]["device_state"] = {{"before", {{"ecc_errors", 1}}},
                                             {"after", {{"ecc_errors", count}, {"other_processes", count}}}};
    const record r = read_record(reports::written("record.json", made.dump()));
    return launch_of(r).cases.at(r.cases[2].name).environment;
  };
  EXPECT_EQ(environment_with(3).other_processes, 3);
  EXPECT_EQ(environment_with(3).ecc_errors_during_it, 2);
  for (const char* text : {"1e300", "0.5", "null", "\"3\""}) {
    const auto none = nlohmann::ordered_json::parse(text);
    EXPECT_FALSE(environment_with(none).other_processes) << text;
    EXPECT_FALSE(environment_with(none).ecc_errors_during_it) << text;
  }
}

}  // namespace
}  // namespace ablate::gate::launch_test
