#include "reports/compact_counters.h"

#include <gtest/gtest.h>

namespace ablate::reports::compact_counters_test {
namespace {

using nlohmann::ordered_json;

ordered_json entry() {
  return {{"kernels", {{{"name", "first(int)"}}, {{"name", "second(int)"}}}},
          {"counters",
           {{"values", {{"bytes.sum", 4097.0}, {"busy.pct", 12.3456789}, {"lost.sum", nullptr}}},
            {"kernels",
             {{{"name", "first(int)"}, {"values", {{"bytes.sum", 4096.0}, {"busy.pct", 0.000123456789}}}},
              {{"name", "second(int)"}, {"values", {{"bytes.sum", 1.0}, {"busy.pct", 99.99999}}}}}}}}};
}

TEST(CompactCounters, AreRowsInTheOrderOfKernelsAndNames) {
  const ordered_json compact = with_compact_counters(entry());
  EXPECT_EQ(compact["counters"]["kernels"].dump(), "[[4096,0.000123457,null],[1,100.0,null]]");
  EXPECT_EQ(compact["counters"]["values"]["bytes.sum"].dump(), "4097");
  EXPECT_EQ(compact["counters"]["values"]["busy.pct"].dump(), "12.3457");
  EXPECT_TRUE(compact["counters"]["values"]["lost.sum"].is_null());
}

TEST(CompactCounters, ComeBackUnderTheirNames) {
  ordered_json expanded = with_compact_counters(entry());
  expand_counters(expanded);
  const ordered_json& second = expanded["counters"]["kernels"][1];
  EXPECT_EQ(second["name"], "second(int)");
  EXPECT_EQ(second["values"]["bytes.sum"], 1);
  EXPECT_EQ(second["values"]["busy.pct"], 100.0);
  EXPECT_TRUE(second["values"]["lost.sum"].is_null());
  const ordered_json again = expanded;
  expand_counters(expanded);
  EXPECT_EQ(expanded, again) << "an older record has objects";
}

TEST(CompactCounters, StayAsTheyAreWhereTheyFitNoName) {
  ordered_json broken = with_compact_counters(entry());
  broken["counters"]["kernels"][0].push_back(7);
  broken["kernels"].erase(1);
  const ordered_json before = broken;
  expand_counters(broken);
  EXPECT_EQ(broken, before);
  ordered_json none = {{"counters", {{"set", "none"}}}};
  EXPECT_EQ(with_compact_counters(none), none);
  expand_counters(none);
}

}  // namespace
}  // namespace ablate::reports::compact_counters_test
