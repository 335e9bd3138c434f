#include "reports/history/trends.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/page/html.h"
#include "reports/report/report.h"
#include "tests/reports/history/made_history.h"
#include "tests/reports/page/page_data.h"
#include "tests/support/capability.h"

namespace ablate::history::trends_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `before` nights at 10 us and then `after` at 11 us.
series made_series(std::size_t before, std::size_t after, const std::string& variant = "direct") {
  series out;
  out.device = "Imaginary GPU";
  out.fingerprint = "kind=gpu, name=Imaginary GPU";
  out.operation = "scatter";
  out.variant = variant;
  out.case_name = "scatter/" + variant + "/items=1024/@cold-clean";
  out.cache_state = "cold-clean";
  out.method = "events";
  for (std::size_t i = 0; i < before + after; ++i) {
    const double us = (i < before ? 10 : 11) + 0.001 * static_cast<double>(i % 3);
    out.nights.push_back({fmt::format("2026-01-{:02}T03:00:00+00:00", i + 1), fmt::format("{:040x}", i),
                          i == 3, "quick", "GPU-none", "1.0", us, us - 0.01, us + 0.01});
  }
  return out;
}

TEST(Trends, TheTableNamesTheChangeWhereItBegins) {
  const std::string text = trend_text(trend_of(made_series(12, 12)));
  EXPECT_THAT(text, HasSubstr("scatter/direct/items=1024/@cold-clean\n"));
  EXPECT_THAT(text, HasSubstr("2026-01-13T03:00:00+00:00  0000000000   "));
  EXPECT_THAT(text, HasSubstr("<- +10.0 % (p = 0.0005)"));
  EXPECT_THAT(text, HasSubstr("0000000000+ "));  // a build with changed sources
}

/// Night by night on one GPU after the other of these, each slower by so many percent; 20 nights at one level
/// and 20 at another.
series in_turns(const std::vector<double>& slower_pct, double change) {
  series out = made_series(20, 20);
  for (std::size_t i = 0; i < out.nights.size(); ++i) {
    const std::size_t gpu = i % slower_pct.size();
    night& n = out.nights[i];
    n.specimen = fmt::format("GPU-{}", gpu);
    n.median_us =
        (10 + 0.002 * static_cast<double>(i * 7 % 5)) * (1 + slower_pct[gpu] / 100) * (i < 20 ? 1 : change);
  }
  return out;
}

TEST(Trends, WhatEqualGpusDifferByIsTakenOut) {
  const trend t = trend_of(in_turns({0, 4}, 1.02));
  ASSERT_EQ(t.changes.size(), 1u) << "4 % in turns hide 2 %";
  EXPECT_EQ(t.changes[0].index, 20u);
  EXPECT_NEAR(t.changes[0].ratio, 1.02, 0.003);
  EXPECT_FALSE(t.changes[0].is_between_specimens);
  EXPECT_NEAR(t.specimen_pct.at("GPU-1") - t.specimen_pct.at("GPU-0"), 4, 0.3);
  EXPECT_THAT(trend_text(t), HasSubstr(" on GPU-1, taken out\n"));
  EXPECT_TRUE(trend_of(in_turns({0, 4}, 1)).changes.empty());
}

TEST(Trends, AChangeThatComesWithAnotherGpuIsMarked) {
  series s = made_series(12, 12);
  for (std::size_t i = 0; i < s.nights.size(); ++i) s.nights[i].specimen = i < 12 ? "GPU-a" : "GPU-b";
  const trend t = trend_of(s);
  ASSERT_EQ(t.changes.size(), 1u) << "it is not taken out: it may be of the commits";
  EXPECT_TRUE(t.changes[0].is_between_specimens);
  EXPECT_THAT(trend_text(t), HasSubstr("<- +10.0 % (p = 0.0005, on another GPU)"));
  EXPECT_THAT(changes_text({t}), HasSubstr("Imaginary GPU, on another GPU\n"));
  EXPECT_EQ(changes_json({t})["changes"][0]["is_between_specimens"], true);
  s.nights[14].specimen = "GPU-a";
  EXPECT_FALSE(trend_of(s).changes.at(0).is_between_specimens) << "GPU-a shows it by itself";
}

TEST(Trends, ChangesAreSortedTheLargestSlowDownFirst) {
  series faster = made_series(12, 12, "merged");
  for (night& n : faster.nights) n.median_us = 100 / n.median_us;
  const std::vector<trend> trends = {trend_of(faster), trend_of(made_series(12, 12))};
  const std::string text = changes_text(trends);
  EXPECT_LT(text.find("+10.0 %"), text.find("-9.1 %"));
  const auto json = changes_json(trends);
  ASSERT_EQ(json["changes"].size(), 2u);
  EXPECT_EQ(json["changes"][0]["case"], "scatter/direct/items=1024/@cold-clean");
  EXPECT_EQ(json["changes"][0]["since"], "2026-01-13T03:00:00+00:00");
}

TEST(Trends, WithoutAChangeTheTableSaysSo) {
  EXPECT_EQ(changes_text({trend_of(made_series(20, 0))}),
            "no change in 1 series; the longest has 20 nights\n");
  EXPECT_EQ(changes_text({}), "no change in 0 series; the longest has 0 nights\n");
}

TEST(Trends, APlotHasALevelForEachSegment) {
  const reports::plot plot = trend_plot(trend_of(made_series(12, 12)));
  const auto& rows = plot.specification["data"]["values"];
  ASSERT_EQ(rows.size(), 24u);
  EXPECT_NEAR(rows[11]["level"].get<double>(), 10, 0.01);
  EXPECT_NEAR(rows[12]["level"].get<double>(), 11, 0.01);
  EXPECT_EQ(rows[12]["change"], "+10.0 %");
  EXPECT_TRUE(rows[13]["change"].is_null());
  EXPECT_LE(plot.name.size(), 120u);
}

TEST(Trends, PlotsBeginWithTheLargestChange) {
  const std::vector<trend> trends = {trend_of(made_series(20, 0, "even")),
                                     trend_of(made_series(12, 12, "moved")),
                                     trend_of(made_series(2, 0, "new"))};
  const auto plots = trend_plots(trends, "scatter", 9);
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_THAT(plots[0].name, HasSubstr("moved"));
  EXPECT_EQ(trend_plots(trends, "scatter", 1).size(), 1u);
  EXPECT_TRUE(trend_plots(trends, "another", 9).empty());
}

TEST(Trends, ThePageHoldsItsPlotsAndAsksNoNetwork) {
  if (const std::string why = reports::why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto page = reports::fresh_folder() / "trend.html";
  ASSERT_EQ(reports::write_plot_page("Times <by> date", {trend_plot(trend_of(made_series(12, 12)))}, page),
            std::nullopt);
  const std::string text = reports::text_of(page);
  EXPECT_THAT(text, HasSubstr("<h1>Times &lt;by> date</h1>"));
  EXPECT_THAT(text, HasSubstr("scatter/direct/items=1024/@cold-clean"));
  EXPECT_THAT(text, Not(HasSubstr("{{")));
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
}

TEST(Trends, AReportWithAHistoryHasThem) {
  if (const std::string why = why_no_sqlite(); !why.empty()) ABLATE_LACKS("sqlite", why);
  const auto folder = reports::fresh_folder();
  const auto record_file = folder / "night.json";
  for (int night = 0; night < 24; ++night) {
    std::ofstream(record_file) << night_record(night, night < 12 ? 1 : 1.1).dump();
    database::open_for_adding(folder / "history.sqlite").add(record_file);
  }
  write_report({record_file}, folder / "report", {folder / "history.sqlite", {}, {}});
  std::size_t plots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "report" / "plots" / "specs"))
    if (entry.path().filename().string().starts_with("scatter-trend-")) {
      ++plots;
      EXPECT_THAT(reports::text_of(entry.path()), HasSubstr("+10.0 %"));
    }
  EXPECT_GT(plots, 0u);
  if (reports::why_no_node("vega-embed").empty()) {
    std::size_t shown = 0;
    const auto data = reports::data_of(reports::text_of(folder / "report" / "report.html"));
    for (const auto& operation : data["records"][0]["operations"])
      for (const auto& plot : operation["plots"]) shown += plot["kind"] == "trend" ? 1 : 0;
    EXPECT_EQ(shown, plots);
  }
}

}  // namespace
}  // namespace ablate::history::trends_test
