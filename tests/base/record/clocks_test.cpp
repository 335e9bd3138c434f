#include "base/record/clocks.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/text/bad_input.h"
#include "reports/plots/plots.h"
#include "reports/report/report.h"
#include "reports/views/operation_view.h"
#include "reports/views/rivals.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::clocks_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

ordered_json clock_at(double mhz, bool steady = true) {
  return {{"steady", steady},
          {"sm_mhz", {{"median", mhz}, {"min", mhz - 5}, {"max", mhz + 5}}},
          {"power_w", nullptr},
          {"power_cap_w", 700},
          {"event_reasons", {"sw_power_cap"}},
          {"seconds", 1.2},
          {"dropped_samples", 40}};
}

ordered_json turn(double us, double mhz) {
  return {{"median_us", us},
          {"sm_mhz", mhz},
          {"power_w", 690},
          {"event_reasons", {"sw_power_cap"}},
          {"steady", true}};
}

/// The first workload of the made record, where `direct` is the baseline: 8 and 4 µs.
ordered_json& entry_of(ordered_json& made, const std::string& variant) {
  for (ordered_json& entry : made["benchmarks"])
    if (entry["name"] == "scatter/" + variant + "/items=1024/layout=rows/@cold-clean") return entry;
  throw std::out_of_range(variant);
}

record read(const ordered_json& made) { return read_record(written("record.json", made.dump())); }

const measured_case& case_of(const record& r, const std::string& name) {
  for (const measured_case& c : r.cases)
    if (c.name == name) return c;
  throw std::out_of_range(name);
}

std::string reported(const ordered_json& made, const std::string& file) {
  const auto path = written("record.json", made.dump());
  const environment nowhere("ABLATE_REPORTS_DIR", (path.parent_path() / "nowhere").string());
  write_report({path}, path.parent_path() / "report");
  return text_of(path.parent_path() / "report" / file);
}

TEST(Clocks, AreSteadyOrSwingAboutOneMeanOrNeither) {
  ordered_json made = made_record();
  entry_of(made, "direct")["time_us"]["clock"] = clock_at(1700);
  EXPECT_THAT(reported(made, "summary.md"), HasSubstr("from then on count: 1 steady, 0 swinging."));
  ordered_json swings = clock_at(1700, false);
  swings["level"] = true;
  entry_of(made, "merged")["time_us"]["clock"] = swings;
  EXPECT_THAT(reported(made, "summary.md"), HasSubstr("**Clocks**: 2 cases"));
  EXPECT_THAT(reported(made, "summary.md"), HasSubstr("from then on count: 1 steady, 1 swinging."));
  entry_of(made, "direct")["time_us"]["clock"] = clock_at(1700, false);
  EXPECT_THAT(reported(made, "summary.md"),
              HasSubstr("0 steady, 1 swinging; of 1 the clock was shown to be neither"));
}

TEST(Clocks, AreThoseOfTheSamplesOrElseThatRightAfterThem) {
  ordered_json made = made_record();
  entry_of(made, "merged")["time_us"]["clock"] = clock_at(1700);
  entry_of(made, "merged")["device_state"] = {
      {"before", nullptr}, {"after", nullptr}, {"timed_sm_clock_mhz", 1980}};
  entry_of(made, "direct")["device_state"] = {
      {"before", nullptr}, {"after", nullptr}, {"timed_sm_clock_mhz", 1980}};
  const record r = read(made);
  EXPECT_EQ(sm_clock_mhz(case_of(r, entry_of(made, "merged")["name"].get<std::string>())), 1700);
  EXPECT_EQ(sm_clock_mhz(case_of(r, entry_of(made, "direct")["name"].get<std::string>())), 1980);
  EXPECT_EQ(sm_clock_mhz(r.cases.back()), std::nullopt) << "a record that tells neither";
}

TEST(Clocks, OneEntryWithoutAMedianClockHasNone) {
  ordered_json made = made_record();
  entry_of(made, "direct")["time_us"]["clock"] = clock_at(1, false);
  entry_of(made, "direct")["time_us"]["clock"]["sm_mhz"] = nullptr;
  const record r = read(made);
  EXPECT_EQ(sm_clock_mhz(case_of(r, entry_of(made, "direct")["name"].get<std::string>())), std::nullopt);
}

TEST(Clocks, AreUnlikeBeyondOnePercent) {
  EXPECT_FALSE(are_unlike(1980, 1980));
  EXPECT_FALSE(are_unlike(1980, 1962));
  EXPECT_TRUE(are_unlike(1980, 1955));
  EXPECT_TRUE(are_unlike(1700, 1980));
}

TEST(Clocks, ARatioOfUnlikeClocksIsMarkedEverywhereWithTheRatioInCycles) {
  ordered_json made = made_record();
  entry_of(made, "direct")["time_us"]["clock"] = clock_at(1600);
  entry_of(made, "merged")["time_us"]["clock"] = clock_at(2000);
  const record r = read(made);
  const operation_view view(r, "scatter");
  for (const comparable_cases& row : view.rows)
    if (const auto up = view.speed_up_of(row, "merged"); up && row.value("items") == "1024") {
      ASSERT_TRUE(up->in_cycles);
      EXPECT_DOUBLE_EQ(*up->in_cycles, up->ratio * 1600 / 2000);
    }
  const std::string summary = reported(made, "summary.md");
  EXPECT_NE(summary.find(" in cycles"), std::string::npos);
  EXPECT_NE(summary.find(about_cycles_mark), std::string::npos);
  EXPECT_NE(reported(made, "speedup.csv").find(",2000,1600,"), std::string::npos);
  EXPECT_NE(reported(made, "ablation.csv").find("ratio_in_cycles"), std::string::npos);
}

TEST(Clocks, ASpeedUpOfUnlikeClocksIsMarkedInItsPlot) {
  ordered_json made = made_record();
  const auto drawn = [&] {
    const record r = read(made);
    std::string out;
    for (const plot& p : speed_up_plots(operation_view(r, "scatter"), r.device_name))
      out += p.specification.dump();
    return out;
  };
  EXPECT_EQ(drawn().find("‡"), std::string::npos);
  entry_of(made, "direct")["time_us"]["clock"] = clock_at(1600);
  entry_of(made, "merged")["time_us"]["clock"] = clock_at(2000);
  EXPECT_NE(drawn().find(" ‡\""), std::string::npos);
  EXPECT_NE(drawn().find("‡ SM clocks more than 1 % apart"), std::string::npos);
}

TEST(Clocks, LikeClocksAndUnknownOnesMarkNothing) {
  EXPECT_EQ(reported(made_record(), "summary.md").find("‡"), std::string::npos);
  ordered_json made = made_record();
  entry_of(made, "direct")["time_us"]["clock"] = clock_at(1990);
  entry_of(made, "merged")["time_us"]["clock"] = clock_at(1980);
  EXPECT_EQ(reported(made, "summary.md").find("‡"), std::string::npos);
}

/// `merged` as a rival of `direct`: three rounds.
ordered_json with_turns() {
  ordered_json made = made_record();
  entry_of(made, "merged")["in_turns"] = {{{"merged", turn(11, 2000)}, {"direct", turn(10, 1600)}},
                                          {{"merged", turn(12, 2000)}, {"direct", turn(10, 1600)}},
                                          {{"merged", turn(13, 2000)}, {"direct", turn(10, 1600)}}};
  return made;
}

TEST(Rivals, ARatioInTurnsIsTheMeanOfItsRoundsWithTheIntervalOfFurtherOnes) {
  const ordered_json made = with_turns();
  const record r = read(made);
  ordered_json copy = made;
  const auto ratio =
      ratio_in_turns(case_of(r, entry_of(copy, "merged")["name"].get<std::string>()), "direct");
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->rounds, 3u);
  EXPECT_NEAR(ratio->ratio, std::cbrt(1.1 * 1.2 * 1.3), 1e-12);
  // The deviation of the three logarithms by Student's t of two degrees of freedom.
  EXPECT_NEAR(std::log(ratio->high / ratio->ratio), 4.3027 * 0.083541 / std::sqrt(3), 1e-4);
  EXPECT_NEAR(ratio->low * ratio->high, ratio->ratio * ratio->ratio, 1e-9);
  EXPECT_TRUE(ratio->has_unlike_clocks());
  EXPECT_DOUBLE_EQ(*ratio->in_cycles, 1.5);
  EXPECT_TRUE(ratio->steady);
  EXPECT_FALSE(ratio_in_turns(case_of(r, entry_of(copy, "merged")["name"].get<std::string>()), "nobody"));
}

TEST(Rivals, OneRoundBoundsNothing) {
  ordered_json made = with_turns();
  entry_of(made, "merged")["in_turns"].erase(1);
  entry_of(made, "merged")["in_turns"].erase(1);
  const record r = read(made);
  const auto ratio =
      ratio_in_turns(case_of(r, entry_of(made, "merged")["name"].get<std::string>()), "direct");
  EXPECT_DOUBLE_EQ(ratio->ratio, 1.1);
  EXPECT_EQ(ratio->low, 0);
  EXPECT_TRUE(std::isinf(ratio->high));
  EXPECT_NE(reported(made, "summary.md").find("(unbounded)"), std::string::npos);
}

TEST(Rivals, TurnsStandInTheSummaryAndInATable) {
  const std::string summary = reported(with_turns(), "summary.md");
  EXPECT_NE(summary.find("### Against rivals, in turns"), std::string::npos);
  EXPECT_NE(summary.find("| 3 | 1.197 (0.973 to 1.473) ‡ | 1600, 2000 | 1.500 |"), std::string::npos)
      << summary;
  const std::string turns = reported(with_turns(), "turns.csv");
  EXPECT_EQ(std::count(turns.begin(), turns.end(), '\n'), 7);
  EXPECT_NE(turns.find(",3,merged,13,2000,690,sw_power_cap,yes"), std::string::npos) << turns;
}

TEST(Rivals, ARoundWithoutTheRivalsOwnTurnIsRefused) {
  ordered_json made = made_record();
  entry_of(made, "merged")["in_turns"] = {{{"direct", turn(10, 1600)}}};
  EXPECT_THROW(read(made), bad_input);
}

}  // namespace
}  // namespace ablate::reports::clocks_test
