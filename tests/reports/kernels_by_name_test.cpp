#include "reports/kernels_by_name.h"

#include <gtest/gtest.h>

namespace ablate::reports::kernels_by_name_test {
namespace {

using nlohmann::ordered_json;

const ordered_json names = {{"sm__cycles_elapsed.max", nullptr},
                            {"gpu__time_duration.sum", nullptr},
                            {"sm__cycles_active.avg", nullptr},
                            {"lts__t_requests.sum", nullptr},
                            {"lts__t_requests_lookup_hit.sum", nullptr},
                            {"lts__t_request_hit_rate.pct", nullptr},
                            {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", nullptr},
                            {"sm__warps_active.avg.pct_of_peak_sustained_active", nullptr},
                            {"dram__bytes_read.sum.per_second", nullptr}};

/// A launch of `cycles` elapsed, half of them active, at 1 GHz. Of what it counted, its rates are the
/// quotients.
ordered_json launch(const std::string& name, double cycles, double requests, double hits) {
  const double active = cycles / 2, ns = cycles, instructions = 30 * requests, warps = 4 * requests,
               bytes = 32 * requests;
  return {{"name", name},
          {"values",
           {{"sm__cycles_elapsed.max", cycles},
            {"gpu__time_duration.sum", ns},
            {"sm__cycles_active.avg", active},
            {"lts__t_requests.sum", requests},
            {"lts__t_requests_lookup_hit.sum", hits},
            {"lts__t_request_hit_rate.pct", 100 * hits / requests},
            {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", instructions / cycles},
            {"sm__warps_active.avg.pct_of_peak_sustained_active", warps / active},
            {"dram__bytes_read.sum.per_second", bytes / ns}}}};
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

TEST(KernelsByName, EveryRateIsWhatWasCountedOverWhatItIsAShareOf) {
  const ordered_json pass = kernel_of_launches(kernels_by_name(made(), names)[0], names)["values"];
  EXPECT_EQ(pass["sm__cycles_elapsed.max"], 9200) << "cycles add up";
  EXPECT_EQ(pass["lts__t_requests.sum"], 3200);
  EXPECT_EQ(pass["lts__t_requests_lookup_hit.sum"], 3100);
  const auto is = [&](const char* counter, double expected) {
    EXPECT_NEAR(pass[counter].get<double>(), expected, 1e-9 * expected) << counter;
  };
  is("sm__inst_executed.avg.pct_of_peak_sustained_elapsed", 30 * 3200 / 9200.);
  is("sm__warps_active.avg.pct_of_peak_sustained_active", 4 * 3200 / 4600.);
  is("dram__bytes_read.sum.per_second", 32 * 3200 / 9200.);
  EXPECT_TRUE(pass["lts__t_request_hit_rate.pct"].is_null()) << "hits over requests make it";
}

TEST(KernelsByName, SumsAndWeightedSumsOfNamesMakeThoseOfTheCase) {
  const ordered_json all = kernels_by_name(made(), names);
  std::vector<ordered_json> of_one_name = made();
  ordered_json renamed = ordered_json::array();
  for (ordered_json one : of_one_name) {
    one["name"] = "any";
    renamed.push_back(one);
  }
  const ordered_json whole = kernels_by_name(renamed, names)[0];
  for (const char* rows : {"sums", "weighted"})
    for (std::size_t i = 0; i < names.size(); ++i) {
      ASSERT_EQ(whole[rows][i].is_null(), all[0][rows][i].is_null());
      if (!whole[rows][i].is_null())
        EXPECT_NEAR(whole[rows][i].get<double>(),
                    all[0][rows][i].get<double>() + all[1][rows][i].get<double>(), 1e-6);
    }
}

TEST(KernelsByName, AValueThatOneLaunchLacksIsNull) {
  ordered_json launches = made();
  launches[2]["values"]["lts__t_requests.sum"] = nullptr;
  launches[3]["values"].erase("sm__cycles_active.avg");
  const ordered_json pass = kernel_of_launches(kernels_by_name(launches, names)[0], names)["values"];
  EXPECT_TRUE(pass["lts__t_requests.sum"].is_null());
  EXPECT_TRUE(pass["sm__cycles_active.avg"].is_null());
  EXPECT_TRUE(pass["sm__warps_active.avg.pct_of_peak_sustained_active"].is_null()) << "has no weight";
  EXPECT_FALSE(pass["dram__bytes_read.sum.per_second"].is_null());
}

TEST(KernelsByName, RowsThatFitNoNamesAreNoKernel) {
  ordered_json broken = kernels_by_name(made(), names)[0];
  broken["sums"].push_back(1);
  EXPECT_TRUE(kernel_of_launches(broken, names).is_null());
  EXPECT_TRUE(kernel_of_launches(7, names).is_null());
  EXPECT_TRUE(kernel_of_launches({{"name", "pass"}}, names).is_null());
}

}  // namespace
}  // namespace ablate::reports::kernels_by_name_test
