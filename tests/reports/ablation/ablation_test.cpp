#include "reports/ablation/ablation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/record/clocks.h"
#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "reports/ablation/tables.h"
#include "reports/ablation/waterfall_plot.h"
#include "reports/report/report.h"
#include "tests/reports/ablation/made_ablation.h"

namespace ablate::reports::ablation_test {
namespace {

using gate::verdict;
using nlohmann::ordered_json;

TEST(SingleChange, IsTheOneSwitchInWhichTwoVariantsDiffer) {
  const named_words base = {{"a", "1"}, {"b", "x"}};
  EXPECT_EQ(single_change(base, {{"b", "x"}, {"a", "2"}}), (switch_change{"a", "1", "2"}));
  EXPECT_EQ(single_change(base, {{"a", "1"}}), (switch_change{"b", "x", off_value}));
  EXPECT_EQ(single_change({}, {{"a", "1"}}), (switch_change{"a", off_value, "1"}));
  EXPECT_FALSE(single_change({{"a", "off"}}, {})) << "what is not stated is off";
  EXPECT_FALSE(single_change(base, base));
  EXPECT_FALSE(single_change(base, {{"a", "2"}, {"b", "y"}}));
  EXPECT_FALSE(single_change(base, {{"a", "2"}}));
  EXPECT_FALSE(single_change(base, {{"a", "1"}, {"c", "x"}}));
}

TEST(Ablation, GivesRatioIntervalAndWordOfEachPairWithinARun) {
  const ablated all(
      std::vector<made_variant>{{"direct", {{"s", "off"}}, {{1024, 100}, {2048, 200}, {4096, 400}}},
                                {"other", {{"s", "on"}}, {{1024, 50}, {2048, 202}, {4096, 500}}}});
  ASSERT_EQ(all->effects.size(), 3u);
  const effect& first = all->effects[0].measured;
  EXPECT_DOUBLE_EQ(first.ratio(), 2);
  EXPECT_DOUBLE_EQ(first.low(), 2 * 0.99 / 1.01);
  EXPECT_DOUBLE_EQ(first.high(), 2 * 1.01 / 0.99);
  EXPECT_EQ(first.processes, 1u);
  EXPECT_EQ(first.verdict.word, verdict::faster);
  EXPECT_EQ(all->effects[1].measured.verdict.word, verdict::same);
  EXPECT_EQ(all->effects[2].measured.verdict.word, verdict::slower);

  ASSERT_EQ(all->worths.size(), 1u);
  const switch_worth& worth = all->worths[0];
  EXPECT_EQ(worth.change, (switch_change{"s", "off", "on"}));
  EXPECT_DOUBLE_EQ(worth.worst, 0.8);
  EXPECT_DOUBLE_EQ(worth.best, 2);
  EXPECT_NEAR(worth.median, 200.0 / 202, 1e-12);
  ASSERT_EQ(worth.words.size(), 3u);
  EXPECT_EQ(worth.words[0].where, "items 1024");
}

TEST(Ablation, ShortCasesOfOneProcessNeedAGreaterEffect) {
  const ablated all(std::vector<made_variant>{{"direct", {{"s", "off"}}, {{1024, 10}, {2048, 10}}},
                                              {"other", {{"s", "on"}}, {{1024, 9}, {2048, 5}}}});
  EXPECT_EQ(all->effects[0].measured.verdict.word, verdict::inconclusive);
  EXPECT_EQ(all->effects[0].measured.verdict.limit_pct, 30);
  EXPECT_EQ(all->effects[1].measured.verdict.word, verdict::faster);
}

TEST(Ablation, SizesWhereAWordHoldsAreTold) {
  const ablated all(
      std::vector<made_variant>{{"direct", {{"s", "off"}}, {{1, 100}, {2, 100}, {4, 100}, {8, 100}}},
                                {"other", {{"s", "on"}}, {{1, 100}, {2, 100}, {4, 50}, {8, 50}}}});
  const auto& words = all->worths[0].words;
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].word, verdict::faster);
  EXPECT_EQ(words[0].where, "items ≥ 4");
  EXPECT_EQ(words[1].where, "items ≤ 2");
}

TEST(Ablation, OtherInputsAndRivalsAreNeverPaired) {
  const std::vector<made_variant> variants = {{"direct", {{"s", "off"}}, {{1024, 100}}},
                                              {"elsewhere", {{"s", "on"}}, {{1024, 50}}, "00000000000000bb"},
                                              {"rival", {{"s", "theirs"}}, {{1024, 25}}}};
  ordered_json made = made_of(variants);
  made["context"]["ablate"]["rivals"] = ordered_json::array({{{"script", "scripts/rivals/x.py"},
                                                              {"date", "2026-01-01"},
                                                              {"software", {{"x", "1"}}},
                                                              {"operations", {"scatter"}},
                                                              {"variants", {"rival"}}}});
  const ablated all(launched{{made}});
  EXPECT_TRUE(all->effects.empty());
  EXPECT_TRUE(all.tables().worths.lines.empty());
}

TEST(Ablation, TheWinnerChangesBetweenTheLastSureSizes) {
  const ablated all(
      std::vector<made_variant>{{"direct", {{"s", "off"}}, {{1, 100}, {2, 100}, {4, 100}, {8, 100}}},
                                {"other", {{"s", "on"}}, {{1, 200}, {2, 120}, {4, 101}, {8, 50}}}});
  ASSERT_EQ(all->changes_of_winner.size(), 1u);
  const crossover& c = all->changes_of_winner[0];
  EXPECT_EQ(c.axis, "items");
  EXPECT_EQ(c.below, "2");
  EXPECT_EQ(c.above, "8");
  EXPECT_TRUE(c.faster_above);
}

/// Of one workload: no switch, each of two alone, both.
std::vector<made_variant> square_of(std::array<double, 4> medians_us) {
  return {{"none", {{"s", "off"}, {"t", "off"}}, {{1024, medians_us[0]}}},
          {"s", {{"s", "on"}, {"t", "off"}}, {{1024, medians_us[1]}}},
          {"t", {{"s", "off"}, {"t", "on"}}, {{1024, medians_us[2]}}},
          {"both", {{"s", "on"}, {"t", "on"}}, {{1024, medians_us[3]}}}};
}

TEST(Ablation, ASquareTellsBothSwitchesFromTheProductOfTheSingleOnes) {
  const ablated all(square_of({1000, 500, 800, 200}));
  EXPECT_EQ(all->effects.size(), 4u);
  ASSERT_EQ(all->squares.size(), 1u);
  const joint_effect& joint = all->squares[0].measured;
  EXPECT_NEAR(joint.factor(), 5 / (2 * 1.25), 1e-12);
  EXPECT_NEAR(joint.low(), 2 * std::pow(0.99 / 1.01, 2), 1e-12);
  EXPECT_EQ(joint.verdict.word, verdict::faster);
  ASSERT_EQ(all->together.size(), 1u);
  EXPECT_NEAR(all->together[0].median, 2, 1e-12);
}

/// As they were timed at these SM clocks, in the order of the variants.
ordered_json at_clocks(ordered_json made, const std::vector<double>& clocks_mhz) {
  for (std::size_t i = 0; i < clocks_mhz.size(); ++i)
    made["benchmarks"][2 + i]["device_state"] = {
        {"before", nullptr}, {"after", nullptr}, {"timed_sm_clock_mhz", clocks_mhz[i]}};
  return made;
}

std::string as_text(const table& of) {
  std::string out;
  for (const table_line& line : of.lines)
    for (const std::string& cell : line.cells) out += cell + " | ";
  return out;
}

TEST(UnlikeClocks, MarkASquareOfSwitchesWithItsFactorInCycles) {
  const ordered_json made = made_of(square_of({1000, 500, 800, 200}));
  const ablated all(launched{{at_clocks(made, {1980, 1980, 1980, 1760})}});
  ASSERT_EQ(all->together.size(), 1u);
  EXPECT_EQ(all->together[0].unlike_clocks, 1u);
  EXPECT_NEAR(all->together[0].median_in_cycles, 2 * 1980.0 / 1760, 1e-12);
  EXPECT_NE(as_text(all.tables().interactions).find("2.00× ‡ 2.25 in cycles | "), std::string::npos);
  EXPECT_NE(all.tables().how.find(about_cycles_mark), std::string::npos);
}

TEST(UnlikeClocks, AreToldOfAPathWhoseStepsAreEachWithinOnePercent) {
  // 0.8 % a step, 1.6 % over the path.
  const ordered_json made = made_of(square_of({1000, 500, 600, 200}));
  const ablated all(launched{{at_clocks(made, {1980, 1964.2, 1964.2, 1948.5})}});
  ASSERT_EQ(all->steps.paths.size(), 1u);
  EXPECT_FALSE(all->steps.paths[0].steps[0].measured.in_cycles());
  EXPECT_NE(all.tables().waterfalls.at(0).heading.find("‡ 5.08 in cycles"), std::string::npos);
  EXPECT_NE(all.tables().how.find(about_cycles_mark), std::string::npos);
  EXPECT_EQ(all->together.at(0).unlike_clocks, 1u);
}

TEST(UnlikeClocks, AreMarkedInTheWaterfallsPlot) {
  const ordered_json made = made_of(square_of({1000, 500, 600, 200}));
  const auto drawn = [](const ablated& all) {
    return waterfall_plots(*all.view, all->steps, "Imaginary GPU", 4).at(0).specification;
  };
  const ordered_json marked = drawn(ablated(launched{{at_clocks(made, {1980, 1760, 1760, 1760})}}));
  const ordered_json& rows = marked["data"]["values"];
  EXPECT_EQ(rows[1]["label"], "2.00× ‡");
  EXPECT_NE(rows[1]["ratio"].get<std::string>().find("‡ 2.25 in cycles"), std::string::npos);
  EXPECT_EQ(rows[2]["label"], "2.50×");
  EXPECT_NE(marked["title"]["subtitle"].dump().find("‡ SM clocks more than 1 % apart"), std::string::npos);
  EXPECT_EQ(drawn(ablated(launched{{at_clocks(made, {1980, 1980, 1980, 1980})}})).dump().find("‡"),
            std::string::npos);
}

TEST(UnlikeClocks, MarkNothingWhereACaseDoesNotTellItsClock) {
  const ordered_json made = made_of(square_of({1000, 500, 800, 200}));
  const ablated all(launched{{at_clocks(made, {1980, 1760})}});
  EXPECT_EQ(all->together.at(0).unlike_clocks, 0u);
  EXPECT_EQ(as_text(all.tables().interactions).find("‡"), std::string::npos);
  EXPECT_NE(as_text(all.tables().worths).find("‡"), std::string::npos) << "one pair does";
}

TEST(Waterfall, IsTheShortestPathOfSingleSwitchesWithWhatMoved) {
  const std::string same = "00000000000000aa";
  const ablated all(
      std::vector<made_variant>{{"none", {{"s", "off"}, {"t", "off"}}, {{1024, 1000}}, same, 20},
                                {"s", {{"s", "on"}, {"t", "off"}}, {{1024, 500}}, same, 40},
                                {"slow", {{"s", "off"}, {"t", "on"}}, {{1024, 1200}}, same, 20},
                                {"both", {{"s", "on"}, {"t", "on"}}, {{1024, 250}}, same, 40.1}});
  ASSERT_EQ(all->steps.paths.size(), 1u);
  const waterfall& path = all->steps.paths[0];
  ASSERT_EQ(path.steps.size(), 2u);
  EXPECT_EQ(path.steps[0].measured.to->variant, "s");
  EXPECT_DOUBLE_EQ(path.steps[0].measured.ratio(), 2);
  EXPECT_EQ(path.steps[1].change, (switch_change{"t", "off", "on"}));
  EXPECT_DOUBLE_EQ(path.whole.ratio(), 4);
  ASSERT_EQ(path.steps[0].moved.size(), 1u);
  EXPECT_EQ(text_of(path.steps[0].moved[0]), "L2 hit rate (%) 20 → 40 (+100 %)");
  EXPECT_TRUE(path.steps[1].moved.empty());
  EXPECT_EQ(order_of(path), ", in the order s, t");
  const ordered_json drawn = waterfall_plots(*all.view, all->steps, "Imaginary GPU", 4).at(0).specification;
  EXPECT_NE(drawn["title"]["subtitle"].dump().find("in the order s, t"), std::string::npos);
}

TEST(Waterfall, SaysWhereNoPathLeadsAndWhereTheBaselineIsBest) {
  const ablated all(
      std::vector<made_variant>{{"none", {{"s", "off"}, {"t", "off"}}, {{1024, 100}, {2048, 100}}},
                                {"s", {{"s", "on"}, {"t", "off"}}, {{2048, 300}}},
                                {"both", {{"s", "on"}, {"t", "on"}}, {{1024, 50}, {2048, 200}}}});
  EXPECT_TRUE(all->steps.paths.empty());
  ASSERT_EQ(all->steps.unreached.size(), 1u);
  EXPECT_EQ(all->steps.unreached[0].variant, "both");
  EXPECT_EQ(all->steps.workloads, 2u);
  EXPECT_EQ(all->steps.baseline_best, 1u);
}

TEST(Waterfall, ACounterThatComesFromNothingMovesMost) {
  EXPECT_EQ(text_of({"L2 reduction sectors per point", 0, 2}), "L2 reduction sectors per point 0 → 2");
  EXPECT_EQ((moved_metric{"x", 4, 2}).change_pct(), -50);
}

/// Launches of one suite in which `direct` takes about so long; `other` is faster, each process a little off.
std::vector<ordered_json> made_launches(std::size_t count, double us = 10) {
  std::vector<ordered_json> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double drift = 1 + 0.01 * static_cast<double>(i);
    const double other = 0.9 * us * drift * (1 + 0.001 * static_cast<double>(i % 3));
    out.push_back(made_of(
        {{"direct", {{"s", "off"}}, {{1024, us * drift}}}, {"other", {{"s", "on"}}, {{1024, other}}}}));
    out.back()["context"]["date"] = fmt::format("2026-01-01T00:00:{:02}+00:00", i);
  }
  return out;
}

TEST(Ablation, SeveralProcessesArePairedAndKnowTheirNoise) {
  const ablated all(launched{made_launches(8)});
  const effect& e = all->effects.at(0).measured;
  EXPECT_EQ(e.processes, 8u);
  EXPECT_NEAR(e.ratio(), 10 / 9.0, 0.002);
  EXPECT_GT(e.low(), 1.10);
  EXPECT_LT(e.high(), 1.12);
  EXPECT_EQ(e.verdict.word, verdict::faster);
  EXPECT_EQ(e.verdict.limit_pct, 2);
}

TEST(Ablation, FewProcessesHaveAWiderInterval) {
  const ablated all(launched{made_launches(3, 1000)});
  const effect& e = all->effects.at(0).measured;
  EXPECT_EQ(e.processes, 3u);
  EXPECT_NEAR(e.ratio(), 10 / (9.0 * 1.001), 1e-5);
  EXPECT_GT(std::log(e.high() / e.low()), 2 * 4.3 * 0.001 / std::sqrt(3.0) * 0.99);
  EXPECT_EQ(e.verdict.word, verdict::faster);
  EXPECT_NE(all.tables().how.find("3 processes were measured: the mean of the ratios within each"),
            std::string::npos);
}

TEST(Ablation, AFirstCaseThatMovedIsMarked) {
  std::vector<ordered_json> launches = made_launches(8, 1000);
  launches[1]["benchmarks"] = made_of(
      {{"direct", {{"s", "off"}}, {{1024, 1400}}}, {"other", {{"s", "on"}}, {{1024, 900}}}})["benchmarks"];
  const ablated all(launched{launches});
  EXPECT_NEAR(all->effects.at(0).measured.from_moved_pct, 40, 1e-9);
  EXPECT_TRUE(all.tables().worths.lines.at(0).cells[5].ends_with(" † 40 %"));
  EXPECT_NE(all.tables().how.find(about_moved_mark), std::string::npos);
  EXPECT_EQ(ablated(launched{made_launches(2, 1000)}).tables().how.find("†"), std::string::npos);
}

TEST(Ablation, TablesKeepTheGreatestEffectsAndSayWhatIsLeftOut) {
  std::vector<made_variant> variants = {{"v0", {{"s", "0"}}, {{1024, 100}}}};
  for (int i = 1; i < 10; ++i)
    variants.push_back(
        {fmt::format("v{}", i), {{"s", std::to_string(i)}}, {{1024, 100.0 * std::pow(1.5, i)}}});
  const ablation_tables tables = ablated(variants).tables();
  EXPECT_EQ(tables.worths.lines.size(), 30u);
  EXPECT_EQ(tables.more_worths, 15u);
  EXPECT_EQ(tables.worths.lines.front().cells[1], "0 → 9");
}

TEST(Ablation, AReportTakesSeveralLaunchesOfOneDevice) {
  std::vector<std::filesystem::path> paths;
  std::vector<ordered_json> launches = made_launches(8);
  for (const ordered_json& made : launches)
    paths.push_back(file_of(made, fmt::format("launch{}.json", paths.size())));
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report(paths, out);
  EXPECT_NE(text_of(out / "summary.md").find("8 processes were measured"), std::string::npos);
  EXPECT_NE(text_of(out / "ablation.csv").find(",8,2,FASTER,"), std::string::npos);

  launches[0]["context"]["date"] = "2026-02-01T00:00:00+00:00";
  launches[0]["context"]["ablate"]["build"]["source_hash"] = std::string(64, 'a');
  write_report({paths[1], file_of(launches[0], "other.json")}, out);
  EXPECT_TRUE(text_of(out / "summary.md").starts_with("# Side by side\n"));
}

TEST(Ablation, GivesExactlyThisSection) {
  const std::string same = "00000000000000aa";
  const auto path =
      file_of(made_of({{"none", {{"s", "off"}, {"t", "off"}}, {{1024, 100}, {4096, 1000}}, same, 20},
                       {"s", {{"s", "on"}, {"t", "off"}}, {{1024, 130}, {4096, 500}}, same, 40},
                       {"t", {{"s", "off"}, {"t", "on"}}, {{4096, 900}}, same, 20},
                       {"both", {{"s", "on"}, {"t", "on"}}, {{1024, 132}, {4096, 300}}, same, 55}}),
              "record.json");
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({path}, out);
  const std::string summary = text_of(out / "summary.md");
  const auto from = summary.find("### What each switch is worth"), to = summary.find("## The run");
  ASSERT_NE(from, std::string::npos);
  EXPECT_EQ(summary.substr(from, to - from), text_of(made_data() / "ablation" / "section.md"));
  EXPECT_EQ(text_of(out / "ablation.csv"), text_of(made_data() / "ablation" / "ablation.csv"));
  const ordered_json drawn =
      ordered_json::parse(text_of(out / "plots" / "specs" / "scatter-waterfall-both.vl.json"));
  EXPECT_EQ(drawn["data"]["values"].size(), 4u);
}

}  // namespace
}  // namespace ablate::reports::ablation_test
