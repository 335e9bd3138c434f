#include "reports/record/compact_samples.h"

#include <gtest/gtest.h>

namespace ablate::reports::compact_samples_test {
namespace {

using nlohmann::ordered_json;

/// `count` samples of a clock that tells 32 ns apart.
ordered_json entry(int count, int different = 7) {
  ordered_json samples = ordered_json::array();
  for (int i = 0; i < count; ++i) samples.push_back(5.952 + 0.032 * (i * 11 % different));
  return {{"name", "a"}, {"time_us", {{"median", 6.016}, {"samples", samples}}}};
}

TEST(CompactSamples, AreValuesAndTheirOrderAndComeBackAsTheyWere) {
  ordered_json made = entry(257);
  compact_samples(made);
  const ordered_json& samples = made["time_us"]["samples"];
  EXPECT_EQ(samples["values"].size(), 7u);
  EXPECT_EQ(samples["order"].size(), 257u);
  EXPECT_EQ(samples["values"][0], 5.952);
  EXPECT_EQ(samples["order"][1], 4);
  EXPECT_LT(made.dump().size(), entry(257).dump().size() / 2);
  expand_samples(made);
  EXPECT_EQ(made.dump(), entry(257).dump());
}

TEST(CompactSamples, StayPlainWhereTheyAreFewOrAllDifferent) {
  for (ordered_json made :
       {entry(256), entry(300, 300), ordered_json{{"name", "b"}}, ordered_json{{"time_us", nullptr}}}) {
    const std::string before = made.dump();
    compact_samples(made);
    EXPECT_EQ(made.dump(), before);
    expand_samples(made);
    EXPECT_EQ(made.dump(), before);
  }
}

TEST(CompactSamples, ThatFitNotStayAsTheyAre) {
  for (const char* samples :
       {R"({"values": [1, 2], "order": [0, 2]})", R"({"values": [1, 2], "order": [0, -1]})",
        R"({"values": [1, "2"], "order": [0, 1]})", R"({"values": [1, 2]})",
        R"({"values": [1], "order": [0.0]})", R"({"values": 1, "order": []})"}) {
    ordered_json made = {{"time_us", {{"samples", ordered_json::parse(samples)}}}};
    const std::string before = made.dump();
    expand_samples(made);
    EXPECT_EQ(made.dump(), before);
  }
}

}  // namespace
}  // namespace ablate::reports::compact_samples_test
