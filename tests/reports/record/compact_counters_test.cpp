#include "reports/record/compact_counters.h"

#include <gtest/gtest.h>

namespace ablate::reports::compact_counters_test {
namespace {

using nlohmann::ordered_json;

ordered_json entry() {
  return {{"kernels", {{{"name", "first(int)"}}, {{"name", "second(int)"}}}},
          {"counters",
           {{"set", "core"},
            {"values", {{"bytes.sum", 4097.0}, {"busy.pct", 12.3456789}, {"lost.sum", nullptr}}},
            {"kernels",
             {{{"name", "first(int)"}, {"values", {{"bytes.sum", 4096.0}, {"busy.pct", 0.000123456789}}}},
              {{"name", "second(int)"}, {"values", {{"bytes.sum", 1.0}, {"busy.pct", 99.99999}}}}}}}}};
}

/// The same kernel again and again, `launches` times in all.
ordered_json long_entry(int launches) {
  ordered_json out = entry();
  out["kernels"] = out["counters"]["kernels"] = ordered_json::array();
  for (int i = 0; i < launches; ++i) {
    out["kernels"].push_back({{"name", "pass(int)"}});
    out["counters"]["kernels"].push_back(
        {{"name", "pass(int)"}, {"values", {{"bytes.sum", i}, {"busy.pct", 5.0}, {"lost.sum", nullptr}}}});
  }
  return out;
}

TEST(CompactCounters, AreRowsInTheOrderOfKernelsAndNames) {
  counter_columns columns;
  const ordered_json compact = with_compact_counters(entry(), columns);
  EXPECT_EQ(compact["counters"].dump(), R"({"set":"core","columns":0,"values":[4097,12.3456789,null],)"
                                        R"("kernels":[[4096,0.000123456789,null],[1,99.99999,null]]})");
  EXPECT_EQ(columns.json().dump(), R"([["bytes.sum","busy.pct","lost.sum"]])");
}

TEST(CompactCounters, OfANewRecordHaveSixDigits) {
  ordered_json made = entry();
  shorten_counters(made);
  counter_columns columns;
  EXPECT_EQ(with_compact_counters(made, columns)["counters"].dump(),
            R"({"set":"core","columns":0,"values":[4097,12.3457,null],)"
            R"("kernels":[[4096,0.000123457,null],[1,100,null]]})");
}

TEST(CompactCounters, OfEqualNamesShareAList) {
  counter_columns columns;
  with_compact_counters(entry(), columns);
  ordered_json other = entry();
  other["counters"]["values"]["more.sum"] = 7;
  EXPECT_EQ(with_compact_counters(other, columns)["counters"]["columns"], 1);
  EXPECT_EQ(with_compact_counters(entry(), columns)["counters"]["columns"], 0);
  EXPECT_EQ(columns.json().size(), 2u);
}

TEST(CompactCounters, ComeBackUnderTheirNames) {
  counter_columns columns;
  ordered_json expanded = with_compact_counters(entry(), columns);
  expand_counters(expanded, columns.json());
  EXPECT_EQ(expanded["counters"]["values"]["bytes.sum"], 4097);
  EXPECT_FALSE(expanded["counters"].contains("columns"));
  const ordered_json& second = expanded["counters"]["kernels"][1];
  EXPECT_EQ(second["name"], "second(int)");
  EXPECT_EQ(second["values"]["bytes.sum"], 1);
  EXPECT_EQ(second["values"]["busy.pct"], 99.99999);
  EXPECT_TRUE(second["values"]["lost.sum"].is_null());
  const ordered_json again = expanded;
  expand_counters(expanded, columns.json());
  EXPECT_EQ(expanded, again) << "an older record has objects";
}

TEST(CompactCounters, ARecordSince13HasRowsUnderValuesWithNames) {
  ordered_json older = entry();
  older["counters"]["kernels"] = {{4096, 0.5, nullptr}, {1, 100.0, nullptr}};
  expand_counters(older, nullptr);
  EXPECT_EQ(older["counters"]["kernels"][0]["values"]["busy.pct"], 0.5);
}

TEST(CompactCounters, OfManyLaunchesAreByName) {
  counter_columns columns;
  EXPECT_EQ(with_compact_counters(long_entry(64), columns)["counters"]["kernels"].size(), 64u);
  ordered_json compact = with_compact_counters(long_entry(65), columns);
  EXPECT_FALSE(compact["counters"].contains("kernels"));
  EXPECT_EQ(compact["counters"]["by_name"].size(), 1u);
  ordered_json expanded = compact;
  expand_counters(expanded, columns.json());
  EXPECT_EQ(expanded["counters"]["kernels"][0]["launches"], 65);
  EXPECT_EQ(expanded["counters"]["kernels"][0]["values"]["bytes.sum"], 64 * 65 / 2);
  EXPECT_EQ(with_compact_counters(expanded, columns), compact) << "read and written again";
}

TEST(CompactCounters, StayAsTheyAreWhereTheyFitNoName) {
  counter_columns columns;
  ordered_json broken = with_compact_counters(entry(), columns);
  broken["counters"]["values"].push_back(7);
  const ordered_json before = broken;
  expand_counters(broken, columns.json());
  EXPECT_EQ(broken, before);
  broken = with_compact_counters(entry(), columns);
  for (const ordered_json& others : {ordered_json(), ordered_json::array(), ordered_json({{1, 2, 3}})}) {
    ordered_json alone = broken;
    expand_counters(alone, others);
    EXPECT_EQ(alone, broken) << others;
  }
  broken["counters"]["kernels"][0].push_back(7);
  broken["kernels"].erase(1);
  expand_counters(broken, columns.json());
  EXPECT_EQ(broken["counters"]["kernels"][0].size(), 4u);
  EXPECT_TRUE(broken["counters"]["kernels"][1].is_array());
  ordered_json none = {{"counters", {{"set", "none"}}}};
  EXPECT_EQ(with_compact_counters(none, columns), none);
  expand_counters(none, columns.json());
}

}  // namespace
}  // namespace ablate::reports::compact_counters_test
