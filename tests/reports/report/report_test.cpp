#include "reports/report/report.h"

#include <map>

#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "reports/plots/render.h"
#include "reports/plots/vega.h"
#include "tests/reports/counted_record.h"
#include "tests/reports/metered_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::report_test {
namespace {

using nlohmann::ordered_json;

std::size_t rows_of(const std::filesystem::path& specification) {
  return ordered_json::parse(text_of(specification))["data"]["values"].size();
}

TEST(Report, GivesExactlyTheseTables) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({made_record_path()}, out);
  for (const char* name : {"summary.md", "cases.csv", "speedup.csv", "unmeasured.csv"})
    EXPECT_EQ(text_of(out / name), text_of(made_data() / "small_report" / name)) << name;
}

TEST(Report, SpecificationsHoldOneRowForEachThingDrawn) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({made_record_path()}, out);
  const auto specs = out / "plots" / "specs";
  EXPECT_EQ(rows_of(specs / "scatter-scaling-cold-clean.vl.json"), 5u);
  EXPECT_EQ(rows_of(specs / "scatter-speedup-cold-clean.vl.json"), 2u);
  EXPECT_EQ(rows_of(specs / "scatter-floor-cold-clean.vl.json"), 5u);
  EXPECT_EQ(rows_of(specs / "scatter-floor-hot.vl.json"), 1u);
  EXPECT_EQ(rows_of(specs / "scatter-merging.vl.json"), 2u);
  EXPECT_EQ(rows_of(specs / "scatter-waterfall-merged.vl.json"), 3u);
  EXPECT_EQ(rows_of(specs / "noise.vl.json"), 6u);
  EXPECT_EQ(rows_of(specs / "device-state.vl.json"), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(specs), {}), 8);
}

/// The made record, with the energy of the variants at one workload, where asked for at just one of them.
std::filesystem::path metered_report(const std::filesystem::path& out,
                                     const std::vector<std::string>& names) {
  record metered_cases = read_record(made_record_path());
  for (const std::string& name : names) {
    measured_case& c = case_named(metered_cases, name);
    c.energy = metered(250, c.time.median_us, 4);
  }
  ablate::write_record(out / "record.json", metered_cases);
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({out / "record.json"}, out);
  return out;
}

const std::string direct_rows = "scatter/direct/items=2048/layout=rows/@cold-clean",
                  merged_rows = "scatter/merged/items=2048/layout=rows/@cold-clean";

TEST(Report, EnergyStandsBesideTimesWhereTheRecordHasIt) {
  const auto out = metered_report(fresh_folder(), {direct_rows, merged_rows});
  const std::string summary = text_of(out / "summary.md"), cases = text_of(out / "cases.csv");
  // 250 W for 8 and 4 us.
  for (const char* cell : {"| energy mJ | energy × time mJ·µs |", "| 2.000 ± 0.080 | 16.00 |",
                           "| 1.000 ± 0.040 | 4.000 |", "**Energy** is the joules of one launch"})
    EXPECT_NE(summary.find(cell), std::string::npos) << cell << "\n" << summary;
  EXPECT_NE(cases.find("ci95_high_us,energy_mj,energy_error_pct,energy_delay_mj_us,energy_mean_w,method"),
            std::string::npos);
  EXPECT_NE(cases.find(",2,4,16,250,"), std::string::npos) << cases;
  EXPECT_NE(cases.find(",,,,,"), std::string::npos) << "empty for the others";
  EXPECT_EQ(rows_of(out / "plots/specs/scatter-energy-cold-clean.vl.json"), 2u);
  const auto points =
      ordered_json::parse(text_of(out / "plots/specs/scatter-energy-cold-clean.vl.json"))["data"]["values"];
  for (const ordered_json& point : points)
    EXPECT_DOUBLE_EQ(point["mj"].get<double>(), 0.25 * point["us"].get<double>());
}

TEST(Report, TheEnergyOfOneVariantIsNoPlot) {
  const auto out = metered_report(fresh_folder(), {direct_rows});
  EXPECT_FALSE(std::filesystem::exists(out / "plots/specs/scatter-energy-cold-clean.vl.json"));
  EXPECT_NE(text_of(out / "summary.md").find("energy mJ"), std::string::npos);
}

TEST(Report, ShowsCountersWhereTheRecordHasThem) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({counted_record(out)}, out);
  const auto specs = out / "plots" / "specs";
  for (const char* layout : {"rows", "columns"})
    EXPECT_EQ(rows_of(specs / fmt::format("scatter-metrics-{}-cold-clean.vl.json", layout)), 21u);
  EXPECT_EQ(rows_of(specs / "scatter-kernels-rows-cold-clean.vl.json"), 2 * 20u);  // one was not counted
  const ordered_json timeline =
      ordered_json::parse(text_of(specs / "scatter-timeline-merged-items262144-rows-cold-clean.vl.json"));
  EXPECT_EQ(timeline["datasets"]["samples"].size(), 90u);
  EXPECT_EQ(timeline["datasets"]["kernels"].size(), 6u);
  EXPECT_TRUE(timeline["datasets"]["samples"][40]["sm_issue_pct"].is_null());
}

TEST(Report, DrawsTheComparisonsOfTheSuite) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  const auto path = counted_record(out);
  ordered_json made = ordered_json::parse(text_of(path));
  made["context"]["ablate"]["suite"]["report"]["comparisons"] = ordered_json::array(
      {{{"operations", {"scatter"}}, {"across", {"layout"}}, {"draw", {"counters", "quality"}}}});
  std::ofstream(path, std::ios::binary) << made.dump();
  write_report({path}, out);
  const std::string name = "scatter-across-layout-metrics-cold-clean";
  EXPECT_EQ(rows_of(out / "plots" / "specs" / (name + ".vl.json")), 42u);
  const std::string drawn = text_of(out / "plots" / "specs" / (name + ".vl.json"));
  EXPECT_NE(drawn.find("merged, layout=columns"), std::string::npos);
}

TEST(Report, PlotsNameKernelsWithoutNamespaces) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  const auto path = counted_record(out);
  ordered_json made = ordered_json::parse(text_of(path));
  for (ordered_json& c : made["benchmarks"])
    if (c.contains("timeline"))
      for (ordered_json& kernel : c["timeline"]["kernels"])
        kernel["name"] = "void lib::detail::sort<lib::policy<lib::none, long>::chosen, (lib::order)0>(int*)";
  std::ofstream(path, std::ios::binary) << made.dump();
  write_report({path}, out);
  const ordered_json timeline = ordered_json::parse(
      text_of(out / "plots" / "specs" / "scatter-timeline-merged-items262144-rows-cold-clean.vl.json"));
  EXPECT_EQ(timeline["datasets"]["kernels"][0]["kernel"], "sort<policy<none, long>::chosen, (order)0>");
}

TEST(Report, DrawsEverySpecificationWhereNodeIs) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  std::filesystem::create_directories(out / "plots");
  std::ofstream(out / "plots" / "earlier.svg") << "of another record";
  write_report({made_record_path()}, out);
  EXPECT_FALSE(std::filesystem::exists(out / "plots" / "earlier.svg"));
  const std::string summary = text_of(out / "summary.md");
  for (const char* name :
       {"scatter-scaling-cold-clean", "scatter-speedup-cold-clean", "scatter-floor-cold-clean",
        "scatter-floor-hot", "scatter-merging", "scatter-waterfall-merged"}) {
    const std::string svg = text_of(out / "plots" / (std::string(name) + ".svg"));
    EXPECT_TRUE(svg.starts_with("<svg ")) << name;
    EXPECT_NE(svg.find("Imaginary GPU"), std::string::npos) << name;
  }
  EXPECT_EQ(summary.find("No plot was drawn"), std::string::npos);
  EXPECT_EQ(summary.find("plots/"), std::string::npos) << "only the answer's picture is shown";
}

TEST(Report, SmallNumbersOnAxesAreDrawnWhole) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const ordered_json rows = {{{"case", "c"}, {"variant", "a"}, {"shape", ""}, {"us", 1}, {"share", 0.0036}},
                             {{"case", "d"}, {"variant", "a"}, {"shape", ""}, {"us", 2}, {"share", 0.0042}}};
  const plot_heading heading{"title", "device", "hot", {}, "note"};
  std::ofstream(out / "small.vl.json") << figures_against_time(heading, {{"a"}}, "", {"share"}, rows);
  EXPECT_EQ(render_svg({out / "small.vl.json"}, out), std::nullopt);
  EXPECT_NE(text_of(out / "small.svg").find(">0.004</text>"), std::string::npos);
}

TEST(Report, SaysHowToGetPlotsWhereNodeIsNot) {
  const auto out = fresh_folder();
  const environment nothing("PATH", (out / "nowhere").string());
  write_report({made_record_path()}, out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_NE(summary.find("No plot was drawn: node is not installed"), std::string::npos);
  EXPECT_EQ(summary.find(".svg"), std::string::npos);
}

TEST(Report, RecordsOfSeveralDevicesHaveASectionEach) {
  const auto out = fresh_folder();
  ordered_json other = made_record();
  other["context"]["ablate"]["device"]["name"] = "Other GPU";
  write_record(out / "other.json", other["context"], other["benchmarks"], other["unmeasured"]);
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({made_record_path(), out / "other.json"}, out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_NE(summary.find("# made_by_hand on Imaginary GPU\n"), std::string::npos);
  EXPECT_NE(summary.find("# made_by_hand on Other GPU\n"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(out / "plots" / "specs" / "other-gpu-scatter-merging.vl.json"));
  EXPECT_TRUE(std::filesystem::exists(out / "plots" / "specs" / "imaginary-gpu-scatter-merging.vl.json"));
}

TEST(Report, LongNamesMakeFilesAllTheSame) {
  const auto out = fresh_folder();
  ordered_json made = made_record();
  const std::string longer(300, 'x');
  for (ordered_json& entry : made["benchmarks"])
    if (!entry.contains("ceiling")) entry["operation"] = longer;
  std::ofstream(out / "record.json", std::ios::binary) << made.dump();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({out / "record.json"}, out);
  std::size_t specifications = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out / "plots" / "specs"))
    specifications += entry.path().filename().string().starts_with(longer.substr(0, 160));
  EXPECT_GT(specifications, 1u);
}

TEST(Report, ARecordThatIsGivenTwiceIsRefused) {
  EXPECT_THROW(write_report({made_record_path(), made_record_path()}, fresh_folder()), bad_input);
}

TEST(Report, WhoWinsAtWhichSizeIsDrawnOfThreeVariants) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({counted_record(out)}, out);
  const ordered_json drawn =
      ordered_json::parse(text_of(out / "plots" / "specs" / "scatter-best-rows-cold-clean.vl.json"));
  const ordered_json& cells = drawn["data"]["values"];
  ASSERT_EQ(cells.size(), 21u);
  std::map<long, int> fastest;
  for (const ordered_json& cell : cells) {
    EXPECT_GE(cell["value"].get<double>(), 1);
    fastest[cell["size"].get<long>()] += cell["value"] == 1 ? 1 : 0;
  }
  EXPECT_EQ(fastest.size(), 7u);
  for (const auto& [size, count] : fastest) EXPECT_EQ(count, 1) << size;
}

TEST(Report, AHostRecordHasNeitherFloorsNorSpeedUps) {
  const auto out = fresh_folder();
  ordered_json host = made_record();
  host["context"]["ablate"]["device"] = {{"kind", "host"}, {"name", "Imaginary CPU"}};
  std::vector<ordered_json> cases;
  for (ordered_json entry : host["benchmarks"]) {
    if (entry["variant"] != "direct" || entry["cache_state"] == "hot") continue;
    entry["variant"] = "reference";
    entry["cache_state"] = "host";
    entry["time_us"]["method"] = "host_clock";
    entry["kernels"] = ordered_json::array();
    cases.push_back(entry);
  }
  write_record(out / "record.json", host["context"], cases);
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({out / "record.json"}, out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_NE(summary.find("no GPU was used"), std::string::npos);
  EXPECT_NE(summary.find("None was measured in this run, so no case has floors."), std::string::npos);
  EXPECT_NE(summary.find("Only `reference` was measured"), std::string::npos);
  EXPECT_NE(summary.find("None: every case of the suite was measured."), std::string::npos);
}

TEST(Report, ARecordInWhichNothingWasMeasuredIsReportedToo) {
  const auto out = fresh_folder();
  const ordered_json made = made_record();
  write_record(out / "record.json", made["context"], ordered_json::array(), made["unmeasured"]);
  write_report({out / "record.json"}, out);
  EXPECT_NE(text_of(out / "summary.md").find("No case was measured."), std::string::npos);
}

}  // namespace
}  // namespace ablate::reports::report_test
