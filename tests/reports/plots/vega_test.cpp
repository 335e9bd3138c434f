#include "reports/plots/vega.h"

#include <gtest/gtest.h>

#include "tests/reports/plots/shared_marks.h"

namespace ablate::reports::vega_test {
namespace {

const plot_heading heading{"title", "device", "hot", {{"grid", "128"}}, "note"};

TEST(Vega, TicksStandInTheRange) {
  EXPECT_EQ(log_ticks(1, 100), (std::vector<double>{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(log_ticks(1, 10), (std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8, 10}));
  EXPECT_EQ(log_ticks(1, 1e6).size(), 7u);
  EXPECT_TRUE(log_ticks(0, 1).empty());
}

TEST(Vega, AVariantKeepsItsColorWhicheverOthersAreDrawn) {
  const series_names variants{{"a", "b", "c"}, "a"};
  const auto all = dots(heading, variants, {"w"}, "x",
                        {{"w", "a", 1, 1, 1, ""}, {"w", "b", 2, 2, 2, ""}, {"w", "c", 3, 3, 3, ""}});
  const auto one = dots(heading, variants, {"w"}, "x", {{"w", "c", 3, 3, 3, "of c"}});
  EXPECT_EQ(all["encoding"]["color"]["scale"]["range"][2], one["encoding"]["color"]["scale"]["range"][0]);
  EXPECT_EQ(one["encoding"]["color"]["scale"]["domain"], nlohmann::ordered_json::array({"c"}));
}

TEST(Vega, EveryPlotNamesDeviceAndCacheState) {
  const auto plot = heat_map(heading, {"w"}, "x", {1, true}, {{"w", "a", 8, "8.00", "of a"}});
  EXPECT_EQ(plot["title"]["subtitle"],
            nlohmann::ordered_json::array({"device · cache state hot · grid=128", "note"}));
  EXPECT_EQ(plot["data"]["values"][0]["doublings"], 1);  // held at the end of the colors
}

TEST(Vega, ManyVariantsAgainstTimeDifferInColorOrShape) {
  series_names variants;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (int i = 0; i < 25; ++i) {
    variants.all.push_back("v" + std::to_string(i));
    for (const char* word : {"z", "hilbert"})
      rows.push_back(
          {{"case", "c"}, {"variant", variants.all.back()}, {"shape", word}, {"us", 1 + i}, {"f", i}});
  }
  const auto plot = figures_against_time(heading, variants, "curve", {"f"}, rows);
  EXPECT_EQ(plot["concat"][0]["encoding"]["shape"]["field"], "variant");
  EXPECT_TRUE(mark_faults(plot, "").found().empty());
}

TEST(Vega, WordsOfAnAxisTakeTheShapes) {
  const nlohmann::ordered_json rows = {
      {{"case", "c"}, {"variant", "a"}, {"shape", "z"}, {"us", 1}, {"f", 1}},
      {{"case", "d"}, {"variant", "a"}, {"shape", "hilbert"}, {"us", 2}, {"f", 2}}};
  const auto plot = figures_against_time(heading, {{"a"}}, "curve", {"f"}, rows);
  const auto& shape = plot["concat"][0]["encoding"]["shape"];
  EXPECT_EQ(shape["title"], "curve");
  EXPECT_EQ(shape["scale"]["domain"], nlohmann::ordered_json::array({"z", "hilbert"}));
}

TEST(Vega, AFigureThatSpansADecadeIsDrawnLogarithmically) {
  const auto scale_with = [](double least) {
    const nlohmann::ordered_json rows = {
        {{"case", "c"}, {"variant", "a"}, {"shape", ""}, {"us", 1}, {"f", least}},
        {{"case", "d"}, {"variant", "a"}, {"shape", ""}, {"us", 2}, {"f", nullptr}},
        {{"case", "e"}, {"variant", "a"}, {"shape", ""}, {"us", 3}, {"f", 25}}};
    const auto plot = figures_against_time(heading, {{"a"}}, "", {"f"}, rows);
    return plot["concat"][0]["encoding"]["y"]["scale"].value("type", "linear");
  };
  EXPECT_EQ(scale_with(1.3), "log");
  EXPECT_EQ(scale_with(5), "linear");
  EXPECT_EQ(scale_with(0), "linear");  // has no logarithm
}

TEST(Vega, ThroughputIsDrawnOnlyWhereEveryPointHasItsItems) {
  const std::vector<curve_point> with = {{"a", 1, 2, 1, 3, 100, ""}, {"a", 2, 4, 3, 5, 200, ""}};
  const std::vector<curve_point> without = {{"a", 1, 2, 1, 3, 100, ""}, {"a", 2, 4, 3, 5, std::nullopt, ""}};
  EXPECT_EQ(curves(heading, {{"a"}}, "size", with)["hconcat"].size(), 2u);
  EXPECT_EQ(curves(heading, {{"a"}}, "size", without)["hconcat"].size(), 1u);
  EXPECT_DOUBLE_EQ(curves(heading, {{"a"}}, "size", with)["data"]["values"][0]["rate_low"], 100 / 3e-6);
}

}  // namespace
}  // namespace ablate::reports::vega_test
