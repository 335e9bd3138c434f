#include "base/record/recorded_counters.h"

#include <gtest/gtest.h>

#include "base/record/fields.h"

namespace ablate::reports::recorded_counters_test {
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

counter_readings readings_of(const ordered_json& json) {
  counter_readings out;
  from_json(json_place(json, "counters"), out);
  return out;
}

ordered_json kernels_by_name(const ordered_json& launches, const ordered_json& values) {
  counter_readings of = readings_of({{"set", "core"}, {"values", values}, {"kernels", launches}});
  of.kernels = reports::kernels_by_name(of.kernels, of.values);
  return to_json(of)["kernels"];
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
  const ordered_json pass = kernels_by_name(made(), names)[0]["values"];
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

TEST(KernelsByName, ThoseOfNamesMakeThatOfTheCase) {
  ordered_json of_names = kernels_by_name(made(), names), under_one_name = made();
  for (ordered_json* all : {&of_names, &under_one_name})
    for (ordered_json& kernel : *all) kernel["name"] = "any";
  const ordered_json whole = kernels_by_name(under_one_name, names)[0]["values"],
                     by_names = kernels_by_name(of_names, names)[0]["values"];
  for (const auto& [name, value] : whole.items()) {
    ASSERT_EQ(value.is_null(), by_names[name].is_null()) << name;
    if (value.is_null()) continue;
    EXPECT_NEAR(value.get<double>(), by_names[name].get<double>(), 1e-9 * value.get<double>()) << name;
  }
}

TEST(KernelsByName, AValueThatOneLaunchLacksIsNull) {
  ordered_json launches = made();
  launches[2]["values"]["lts__t_requests.sum"] = nullptr;
  launches[3]["values"].erase("sm__cycles_active.avg");
  const ordered_json pass = kernels_by_name(launches, names)[0]["values"];
  EXPECT_TRUE(pass["lts__t_requests.sum"].is_null());
  EXPECT_TRUE(pass["sm__cycles_active.avg"].is_null());
  EXPECT_TRUE(pass["sm__warps_active.avg.pct_of_peak_sustained_active"].is_null()) << "has no denominator";
  EXPECT_FALSE(pass["dram__bytes_read.sum.per_second"].is_null());
}

/// As they were just measured.
ordered_json measured() {
  return {{"set", "core"},
          {"reason", nullptr},
          {"values", {{"bytes.sum", 4097.0}, {"busy.pct", 12.3456789}, {"lost.sum", nullptr}}},
          {"kernels",
           {{{"name", "first<int>"}, {"values", {{"bytes.sum", 4096.0}, {"busy.pct", 0.000123456789}}}},
            {{"name", "second<int>"}, {"values", {{"bytes.sum", 1.0}, {"busy.pct", 99.99999}}}}}}};
}

/// The same kernel again and again, `launches` times in all.
ordered_json of_launches(int launches) {
  ordered_json out = measured();
  out["kernels"] = ordered_json::array();
  for (int i = 0; i < launches; ++i)
    out["kernels"].push_back(
        {{"name", "pass<int>"}, {"values", {{"bytes.sum", i}, {"busy.pct", 5.0}, {"lost.sum", nullptr}}}});
  return out;
}

ordered_json formed(const ordered_json& json) {
  counter_readings of = readings_of(json);
  form_counters(of);
  return to_json(of);
}

TEST(FormCounters, GivesShortNumbersUnderTheNamesOfTheCase) {
  EXPECT_EQ(
      formed(measured()).dump(),
      R"({"set":"core","reason":null,"values":{"bytes.sum":4097,"busy.pct":12.3457,"lost.sum":null},"kernels":[)"
      R"({"name":"first<int>","values":{"bytes.sum":4096,"busy.pct":0.000123457,"lost.sum":null}},)"
      R"({"name":"second<int>","values":{"bytes.sum":1,"busy.pct":100,"lost.sum":null}}]})");
}

TEST(FormCounters, OfManyLaunchesAreByNameAndAgainTheSame) {
  EXPECT_EQ(formed(of_launches(64))["kernels"].size(), 64u);
  const ordered_json many = formed(of_launches(65));
  ASSERT_EQ(many["kernels"].size(), 1u);
  EXPECT_EQ(
      many["kernels"][0].dump(),
      R"({"name":"pass<int>","launches":65,"values":{"bytes.sum":2080,"busy.pct":null,"lost.sum":null}})");
  EXPECT_EQ(formed(many), many);
}

TEST(FormCounters, LeavesWhatHasNone) {
  const ordered_json none = {{"set", "none"}, {"reason", "r"}, {"values", ordered_json::object()}};
  EXPECT_EQ(formed(none).dump(), none.dump());
}

TEST(ShortNumber, IsTheNearestOfSixDigits) {
  EXPECT_EQ(fields::json_of(short_number(15922234567.8)).dump(), "15922200000");
  EXPECT_EQ(fields::json_of(short_number(15922199999.999998)).dump(), "15922200000");
  EXPECT_EQ(fields::json_of(short_number(15922234567.0)).dump(), "15922234567")
      << "an integer keeps its digits";
  EXPECT_EQ(fields::json_of(short_number(-1.23456789e-7)).dump(), "-1.23457e-07");
}

}  // namespace
}  // namespace ablate::reports::recorded_counters_test
