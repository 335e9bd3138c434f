#include "reports/record/kernels_by_name.h"

#include <gtest/gtest.h>

namespace ablate::reports::kernels_by_name_test {
namespace {

using nlohmann::ordered_json;

const ordered_json names = {{"sm__cycles_elapsed.avg", nullptr},
                            {"gpu__time_duration.sum", nullptr},
                            {"sm__cycles_active.avg", nullptr},
                            {"lts__t_requests.sum", nullptr},
                            {"lts__t_requests_lookup_hit.sum", nullptr},
                            {"lts__t_request_hit_rate.pct", nullptr},
                            {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", nullptr},
                            {"sm__warps_active.avg.pct_of_peak_sustained_active", nullptr},
                            {"dram__bytes_read.sum.per_second", nullptr},
                            {"dram__throughput.avg.pct_of_peak_sustained_elapsed", nullptr}};

/// A launch of `cycles` elapsed, half of them active, at 1 GHz. Of what it counted, its rates are the
/// quotients.
ordered_json launch(const std::string& name, double cycles, double requests, double hits) {
  const double active = cycles / 2, ns = cycles, instructions = 30 * requests, warps = 4 * requests,
               bytes = 32 * requests;
  return {{"name", name},
          {"values",
           {{"sm__cycles_elapsed.avg", cycles},
            {"gpu__time_duration.sum", ns},
            {"sm__cycles_active.avg", active},
            {"lts__t_requests.sum", requests},
            {"lts__t_requests_lookup_hit.sum", hits},
            {"lts__t_request_hit_rate.pct", 100 * hits / requests},
            {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", instructions / cycles},
            {"sm__warps_active.avg.pct_of_peak_sustained_active", warps / active},
            {"dram__bytes_read.sum.per_second", bytes / ns},
            {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 50}}}};
}

ordered_json made() {
  return {launch("pass", 1000, 100, 90), launch("scan", 50, 7, 0), launch("pass", 8000, 100, 10),
          launch("pass", 200, 3000, 3000)};
}

TEST(KernelsByName, StandInTheOrderOfTheirFirstLaunch) {
  const ordered_json all = kernels_by_name(made(), names);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["name"], "pass");
  EXPECT_EQ(all[0]["launches"], 3);
  EXPECT_EQ(all[1]["name"], "scan");
  EXPECT_EQ(all[1]["launches"], 1);
}

TEST(KernelsByName, EveryRatioIsWhatWasCountedOverWhatItIsAShareOf) {
  const ordered_json pass = kernel_of_launches(kernels_by_name(made(), names)[0], names)["values"];
  EXPECT_EQ(pass["sm__cycles_elapsed.avg"], 9200) << "cycles add up";
  EXPECT_EQ(pass["lts__t_requests.sum"], 3200);
  EXPECT_EQ(pass["lts__t_requests_lookup_hit.sum"], 3100);
  const auto is = [&](const char* counter, double expected) {
    EXPECT_NEAR(pass[counter].get<double>(), expected, 1e-9 * expected) << counter;
  };
  is("sm__inst_executed.avg.pct_of_peak_sustained_elapsed", 30 * 3200 / 9200.);
  is("sm__warps_active.avg.pct_of_peak_sustained_active", 4 * 3200 / 4600.);
  is("dram__bytes_read.sum.per_second", 32 * 3200 / 9200.);
  is("lts__t_request_hit_rate.pct", 100 * 3100 / 3200.);
  EXPECT_TRUE(pass["dram__throughput.avg.pct_of_peak_sustained_elapsed"].is_null())
      << "the memory's cycles were not counted";
}

TEST(KernelsByName, RowsOfNamesMakeThatOfTheCase) {
  ordered_json of_names = ordered_json::array(), under_one_name = made();
  for (const ordered_json& row : kernels_by_name(made(), names)) {
    of_names.push_back(kernel_of_launches(row, names));
    of_names.back()["name"] = "any";
  }
  for (ordered_json& launch : under_one_name) launch["name"] = "any";
  const ordered_json whole = kernels_by_name(under_one_name, names)[0]["values"],
                     by_names = kernels_by_name(of_names, names)[0]["values"];
  for (std::size_t i = 0; i < names.size(); ++i) {
    ASSERT_EQ(whole[i].is_null(), by_names[i].is_null()) << i;
    if (whole[i].is_null()) continue;
    EXPECT_NEAR(whole[i].get<double>(), by_names[i].get<double>(), 1e-9 * whole[i].get<double>()) << i;
  }
}

TEST(KernelsByName, AValueThatOneLaunchLacksIsNull) {
  ordered_json launches = made();
  launches[2]["values"]["lts__t_requests.sum"] = nullptr;
  launches[3]["values"].erase("sm__cycles_active.avg");
  const ordered_json pass = kernel_of_launches(kernels_by_name(launches, names)[0], names)["values"];
  EXPECT_TRUE(pass["lts__t_requests.sum"].is_null());
  EXPECT_TRUE(pass["sm__cycles_active.avg"].is_null());
  EXPECT_TRUE(pass["sm__warps_active.avg.pct_of_peak_sustained_active"].is_null()) << "has no denominator";
  EXPECT_FALSE(pass["dram__bytes_read.sum.per_second"].is_null());
}

TEST(KernelsByName, RowsThatFitNoNamesAreNoKernel) {
  ordered_json broken = kernels_by_name(made(), names)[0];
  broken["values"].push_back(1);
  EXPECT_TRUE(kernel_of_launches(broken, names).is_null());
  EXPECT_TRUE(kernel_of_launches(7, names).is_null());
  EXPECT_TRUE(kernel_of_launches({{"name", "pass"}}, names).is_null());
}

}  // namespace
}  // namespace ablate::reports::kernels_by_name_test
