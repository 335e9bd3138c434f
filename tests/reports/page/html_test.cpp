#include "reports/page/html.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/text/sha256.h"
#include "reports/report/report.h"
#include "tests/reports/exhibits/exhibit_record.h"
#include "tests/reports/graded_record.h"
#include "tests/reports/page/page_data.h"
#include "tests/reports/plots/shared_marks.h"
#include "tests/reports/question/asked_launches.h"
#include "tests/reports/two_builds.h"
#include "tests/support/capability.h"
#include "tests/support/committed_records.h"
#include "tests/support/paths.h"

namespace ablate::reports::html_test {
namespace {

using nlohmann::ordered_json;

// Of the page with the full record of any suite on an H200.
constexpr std::uintmax_t max_bytes = 6'000'000;

/// One that the made record bears out, one that it does not, one on an operation that it lacks.
std::vector<claim> made_claims(const std::filesystem::path& folder) {
  const auto made = [](const char* id, const char* operation,
                       const ordered_json& expectation) -> ordered_json {
    return {{"id", id},
            {"source", {{"document", "made by hand"}, {"section", "1"}}},
            {"registered", "2026-01-01"},
            {"statement", "Merging pays where items are many."},
            {"quantity",
             {{"value", "time_us.median"},
              {"of", {{"operation", operation}, {"variants", "merged"}, {"axes", {{"items", "1048576"}}}}},
              {"over", {{"variants", "direct"}}}}},
            {"expectation", expectation},
            {"holds_for", "every"}};
  };
  std::ofstream(folder / "claims.json", std::ios::binary) << ordered_json{
      {"name", "made"},
      {"description", "made by hand"},
      {"claims",
       {made("merged-is-faster-large", "scatter", {{"at_most", 1}}),
        made("merged-is-a-hundredfold", "scatter", {{"at_most", 0.01}}),
        made("of-another-operation", "gather",
             {{"at_most", 1}})}}}.dump();
  return read_claims(folder / "claims.json");
}

std::string page_of(const std::filesystem::path& record, const std::filesystem::path& out) {
  write_report({record}, out);
  return text_of(out / "report.html");
}

TEST(Html, HoldsEveryCaseOfTheRecord) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json data = data_of(page_of(path, out));
  ASSERT_EQ(data["records"].size(), 1u);
  EXPECT_TRUE(data["sides"].is_null());
  const ordered_json& shown = data["records"][0];
  ASSERT_EQ(shown["cases"].size(), r.cases.size());
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    EXPECT_EQ(shown["cases"][i]["name"], r.cases[i].name);
    EXPECT_EQ(shown["cases"][i]["time_us"]["median"], r.cases[i].time.median_us);
    EXPECT_EQ(shown["cases"][i]["time_us"]["samples"].size(), r.cases[i].time.samples_us.size());
  }
  EXPECT_EQ(shown["unmeasured"][0]["name"], r.unmeasured[0].name);
  EXPECT_EQ(shown["unmeasured"][0]["reason"], r.unmeasured[0].reason);
}

TEST(Html, NamesTheScriptsThatMayRun) {
  const auto out = fresh_folder();
  const std::string page = page_of(counted_record(out), out);
  const std::size_t begin = page.find("script-src "), end = page.find(';', begin);
  ASSERT_NE(begin, std::string::npos);
  const std::string sources = page.substr(begin, end - begin);
  EXPECT_EQ(sources.find("unsafe"), std::string::npos) << sources;
  const std::string open = "<script>", close = "</script>";
  std::size_t scripts = 0;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at + 1), ++scripts) {
    const std::size_t from = at + open.size();
    const std::string script = page.substr(from, page.find(close, from) - from);
    EXPECT_NE(sources.find("'sha256-" + sha256_base64(script) + "'"), std::string::npos)
        << script.substr(0, 80);
  }
  EXPECT_GE(scripts, 1u);
}

TEST(Html, EveryRowOfEveryPlotNamesItsCase) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json data = data_of(page_of(path, out));
  std::set<std::string> kinds;
  for (const ordered_json& plot : data["records"][0]["operations"][0]["plots"]) {
    kinds.insert(plot["kind"]);
    const ordered_json& specification = plot["specification"];
    const ordered_json& rows = specification.contains("datasets") ? specification["datasets"]["samples"]
                                                                  : specification["data"]["values"];
    ASSERT_FALSE(rows.empty());
    for (const ordered_json& row : rows) {
      const measured_case& c = r.cases.at(row["case"].get<std::size_t>());
      if (row.contains("variant")) {
        EXPECT_EQ(row["variant"], c.variant);
      }
      if (row.contains("us")) {
        EXPECT_EQ(row["us"], c.time.median_us);
      }
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"speed_up", "scaling", "best", "metrics", "kernels", "timeline",
                                          "floor", "merging", "waterfall"}));
}

TEST(Html, CountersComeBackUnderTheirNames) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json data = data_of(page_of(path, out));
  const auto expect_same = [](const ordered_json& there, const counter_values& values) {
    ASSERT_EQ(there.size(), values.size());
    for (const auto& [name, value] : values)
      if (value)
        EXPECT_EQ(there[name], *value);
      else
        EXPECT_TRUE(there[name].is_null());
  };
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const ordered_json& there = data["records"][0]["cases"][i]["counters"];
    expect_same(there["values"], r.cases[i].counters.values);
    ASSERT_EQ(there["kernels"].size(), r.cases[i].counters.kernels.size());
    for (std::size_t k = 0; k < there["kernels"].size(); ++k)
      expect_same(there["kernels"][k]["values"], r.cases[i].counters.kernels[k].values);
  }
}

TEST(Html, DeclaredWorkStandsBesideCounted) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json cases = data_of(page_of(path, out))["records"][0]["cases"];
  const ordered_json& bytes = cases[3]["amounts"]["bytes"];
  EXPECT_EQ(bytes["declared"], r.cases[3].work.bytes);
  EXPECT_EQ(bytes["counted"].get<double>(), *r.cases[3].counters.value("dram__bytes_read.sum") +
                                                *r.cases[3].counters.value("dram__bytes_write.sum"));
  EXPECT_EQ(bytes["waste"], 18.0 / 16 * (16384 + 8192) / 16384) << "8192 cells are cleared";
}

TEST(Html, ClaimsOnItsOperationsStandInThePage) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  write_report({counted_record(out)}, out, {std::nullopt, {}, made_claims(out)});
  const ordered_json shown = data_of(text_of(out / "report.html"))["records"][0];
  EXPECT_EQ(shown["other_claims"], 1);
  ASSERT_EQ(shown["claims"].size(), 2u);
  const ordered_json& faster = shown["claims"][0];
  EXPECT_EQ(faster["id"], "merged-is-faster-large");
  EXPECT_EQ(faster["verdict"], "reproduced");
  EXPECT_EQ(faster["by"], "over");
  ASSERT_EQ(faster["figures"].size(), 2u);  // of two layouts
  for (const ordered_json& figure : faster["figures"]) {
    const ordered_json& over = shown["cases"][figure["cases"][1].get<std::size_t>()];
    EXPECT_EQ(over["variant"], "direct");
    EXPECT_EQ(figure["place"], "inside");
  }
  EXPECT_EQ(shown["claims"][1]["verdict"], "refuted");
}

TEST(Html, AsksNothingOfTheNetwork) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const std::string page = page_of(counted_record(out), out);
  for (const std::string tag : {"<script", "<link", "<iframe", "<object", "<embed"})
    for (std::size_t at = page.find(tag); at != std::string::npos; at = page.find(tag, at + 1)) {
      const std::string opened = page.substr(at, page.find('>', at) - at);
      EXPECT_TRUE(opened == "<script" || opened == R"(<script type="application/json" id="data")") << opened;
    }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Html, WhatARecordSaysIsNeverReadAsMarkup) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  ordered_json made = made_record();
  made["context"]["ablate"]["suite"]["description"] = "</script><script>alert(1)</script>{{scripts}}";
  made["context"]["ablate"]["device"]["name"] = "<b>GPU</b> & more";
  write_record(out / "record.json", made["context"], made["benchmarks"], made["unmeasured"]);
  const std::string page = page_of(out / "record.json", out);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("<title>made_by_hand on &lt;b>GPU&lt;/b> &amp; more</title>"), std::string::npos);
  EXPECT_EQ(data_of(page)["records"][0]["description"], "</script><script>alert(1)</script>{{scripts}}");
}

/// A reports/ folder with the page's frames and scripts, but without Vega.
std::filesystem::path without_vega(const std::filesystem::path& out) {
  std::filesystem::create_directories(out / "reports" / "page");
  std::filesystem::copy(renderer_directory() / "page" / "html", out / "reports" / "page" / "html");
  return out / "reports";
}

TEST(Html, HasEverythingButPlotsWhereVegaIsNot) {
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const environment there("ABLATE_REPORTS_DIR", without_vega(out).string());
  const std::string page = page_of(path, out);
  EXPECT_EQ(data_of(page)["records"][0]["cases"].size(), read_record(path).cases.size());
  EXPECT_EQ(page.find("/* vega"), std::string::npos);
  EXPECT_NE(page.find("data-missing=\"plots\""), std::string::npos);
  EXPECT_NE(page.find("<code>ablate report " + path.string() + " --out DIR</code>"), std::string::npos);
  EXPECT_NE(text_of(out / "summary.md").find("report.html has no plots: the package vega is not installed"),
            std::string::npos);
}

TEST(Html, IsLeftOutWithAReasonWhereItsFrameIsNot) {
  const auto out = fresh_folder();
  std::ofstream(out / "report.html") << "of another record";
  const environment there("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({made_record_path()}, out);
  EXPECT_FALSE(std::filesystem::exists(out / "report.html"));
  EXPECT_NE(text_of(out / "summary.md").find("There is no report.html: page/html/page.html was not found"),
            std::string::npos);
}

TEST(Html, SeveralRecordsStandSideBySide) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  write_report(two_builds(out), out);
  const ordered_json data = data_of(text_of(out / "report.html"));
  ASSERT_EQ(data["records"].size(), 2u);
  const ordered_json& sides = data["sides"];
  ASSERT_EQ(sides["rows"].size(), 42u);
  for (const ordered_json& row : sides["rows"]) {
    const ordered_json &first = data["records"][0]["cases"][row[0]["case"].get<std::size_t>()],
                       &second = data["records"][1]["cases"][row[1]["case"].get<std::size_t>()];
    EXPECT_EQ(first["name"], second["name"]);
    // Of one launch a side, a fifth is sure from 20 us on.
    const bool is_sure = first["time_us"]["median"] >= 20;
    EXPECT_EQ(row[1]["word"], first["variant"] != "merged" ? "SAME"
                              : is_sure                    ? "FASTER"
                                                           : "INCONCLUSIVE")
        << first["name"];
  }
  ASSERT_EQ(sides["plots"].size(), 2u);
  for (const ordered_json& row : sides["plots"][0]["specification"]["data"]["values"])
    EXPECT_EQ(row["case"].get<std::string>().substr(0, 2),
              row["record"] == data["records"][0]["label"] ? "0." : "1.");
}

/// The plots of a page with one record, each with the baseline of its operation, if it is of one.
std::vector<std::pair<ordered_json, std::string>> plots_of(const ordered_json& shown) {
  std::vector<std::pair<ordered_json, std::string>> out;
  for (const ordered_json& operation : shown["operations"])
    for (const ordered_json& plot : operation["plots"]) out.emplace_back(plot, operation["baseline"]);
  for (const ordered_json& plot : shown["run_plots"]) out.emplace_back(plot, "");
  for (const char* part : {"answer", "ladder"})
    if (!shown[part].is_null() && !shown[part]["plot"].is_null()) out.emplace_back(shown[part]["plot"], "");
  for (const ordered_json& exhibit : shown["exhibits"])
    if (!exhibit["plot"].is_null()) out.emplace_back(exhibit["plot"], "");
  return out;
}

/// Of a plot of curves: the variants that may lead it. Such a one is the fastest, alone or tied, at as many
/// sizes as any other is alone.
std::set<std::string> winners_of(const ordered_json& curves) {
  std::map<double, std::map<double, std::set<std::string>>> at_size;
  for (const ordered_json& row : curves["data"]["values"])
    at_size[row["size"].get<double>()][row["us"].get<double>()].insert(row["variant"]);
  std::map<std::string, std::size_t> tied, alone;
  for (const auto& [size, by_time] : at_size) {
    const std::set<std::string>& fastest = by_time.begin()->second;
    for (const std::string& variant : fastest) ++tied[variant];
    if (fastest.size() == 1) ++alone[*fastest.begin()];
  }
  std::size_t most = 0;
  for (const auto& [variant, count] : alone) most = std::max(most, count);
  std::set<std::string> out;
  for (const auto& [variant, count] : tied)
    if (count >= most) out.insert(variant);
  return out;
}

TEST(CommittedRecords, EachFitsAPageOnWhichNoTwoSeriesShareAMark) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const environment nothing("PATH", (out / "nowhere").string());  // what is drawn is not in question
  const auto records = test_support::some_committed_records();
  EXPECT_GE(records.size(), 10u);
  report_options options;
  options.published_suites = test_support::source_path("suites");
  std::size_t plots = 0, faults = 0;
  for (const auto& record : records) {
    write_report({record}, out, options);
    EXPECT_LT(std::filesystem::file_size(out / "report.html"), max_bytes) << record;
    for (const auto& [plot, baseline] : plots_of(data_of(text_of(out / "report.html"))["records"][0])) {
      const mark_faults marks(plot["specification"], baseline);
      ++plots;
      faults += marks.found().size();
      for (const std::string& fault : marks.found())
        ADD_FAILURE() << record << ", " << plot["name"] << ": " << fault;
      if (plot["kind"] == "scaling") {
        const std::string first =
            plot["specification"]["hconcat"][0]["encoding"]["color"]["scale"]["domain"][0];
        EXPECT_TRUE(winners_of(plot["specification"]).contains(first)) << record << ", " << plot["name"];
      }
    }
  }
  std::printf("%zu plots of %zu records, %zu faults of marks\n", plots, records.size(), faults);
  EXPECT_GT(plots, 10 * records.size());
}

/// Why no page can be opened here, or an empty text.
std::string why_no_browser() {
  for (const char* package : {"playwright-core", "vega-embed"})
    if (const auto why = why_no_node(package); !why.empty()) return why;
  return find_browser() ? "" : "chromium is not installed (apt-get install chromium)";
}

/// Opens the page of `out`; `checks` names those of html_browser.mjs that are to be run.
void expect_works(const char* checks, const std::filesystem::path& record, const std::filesystem::path& out) {
  const process::result result =
      process::run({"node", test_support::source_path("tests/reports/page/html_browser.mjs"),
                    renderer_directory().string(), find_browser()->string(), checks, record.string(),
                    (out / "report.html").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(Html, WorksInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const auto record = counted_record(out);
  write_report({record}, out, {std::nullopt, {}, made_claims(out)});
  expect_works("counted", record, out);
}

TEST(Html, WorksInABrowserWithoutPlots) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const auto record = counted_record(out);
  {
    const environment there("ABLATE_REPORTS_DIR", without_vega(out).string());
    write_report({record}, out);
  }
  expect_works("bare", record, out);
}

/// The report of a record of results/, made before suites had questions; the page draws its own plots.
void write_committed(const std::filesystem::path& record, const std::filesystem::path& out) {
  const environment nothing("PATH", (out / "nowhere").string());
  report_options options;
  options.published_suites = test_support::source_path("suites");
  write_report({record}, out, options);
}

// One with many figures of quality beside each time, one with a long name.
TEST(Html, LargeCommittedRecordsFitTheFirstScreenInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  for (const char* suite : {"attention_overflow", "compression_attention_quick"}) {
    const auto out = fresh_folder();
    const std::filesystem::path record =
        std::filesystem::path(test_support::source_path("results/h200")) / suite / "record.json";
    write_committed(record, out);
    expect_works("sizes", record, out);
  }
}

TEST(Html, DrawsEveryPlotOfACommittedRecordInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const std::filesystem::path record = test_support::source_path("results/h200/attention_quick/record.json");
  write_committed(record, out);
  expect_works("committed", record, out);
}

/// The records whose pages and figures a browser is shown: one for each kind of plot, or all of results/.
std::vector<std::filesystem::path> records_to_look_at() {
  if (test_support::wants_all_records()) return test_support::committed_records();
  std::vector<std::filesystem::path> out;
  for (const char* suite : {"attention_quick", "psh_quick", "backbone_ladder"})
    out.push_back(test_support::source_path("results/h200") + "/" + suite + "/record.json.xz");
  return out;
}

/// Letters in the legends of a specification.
std::size_t letters_in_legends(const ordered_json& of) {
  std::size_t out = 0;
  if (!of.is_structured()) return out;
  for (const auto& [key, inner] : of.items()) {
    if (key == "data" || key == "datasets") continue;
    if (key == "domain" && inner.is_array())
      for (const ordered_json& word : inner)
        if (word.is_string()) out += word.get<std::string>().size();
    out += letters_in_legends(inner);
  }
  return out;
}

/// Of each kind of plot on a page the one with the longest legend: the files with its specifications.
std::vector<std::string> specifications_with_the_longest_legends(const std::filesystem::path& out) {
  std::map<std::string, std::pair<std::size_t, std::string>> longest;
  for (const auto& [plot, baseline] : plots_of(data_of(text_of(out / "report.html"))["records"][0])) {
    auto& [letters, file] = longest[plot["kind"].get<std::string>()];
    const std::size_t here = letters_in_legends(plot["specification"]);
    if (!file.empty() && here <= letters) continue;
    letters = here;
    file = (out / "plots" / "specs" / (plot["name"].get<std::string>() + ".vl.json")).string();
  }
  std::vector<std::string> files;
  for (const auto& [kind, of] : longest) files.push_back(of.second);
  return files;
}

// On the page at two widths; drawn by themselves, for a screen and for a column of a paper.
TEST(Html, LegendsOfCommittedRecordsAreWholeInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  for (const auto& record : records_to_look_at()) {
    SCOPED_TRACE(record);
    const auto out = fresh_folder();
    write_committed(record, out);
    expect_works("labels", record, out);
    std::vector<std::string> command = {
        "node", test_support::source_path("tests/reports/plots/legends_browser.mjs"),
        renderer_directory().string(), find_browser()->string(), (out / "drawn").string()};
    for (std::string& file : specifications_with_the_longest_legends(out)) command.push_back(std::move(file));
    const process::result result = process::run(command);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    std::printf("%s", result.output.c_str());
  }
}

TEST(Html, AnswersTheQuestionFirstInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const auto record = file_of_asked(asked_record(asked_cases(), asked_question()), out);
  write_report({record}, out);
  expect_works("asked", record, out);
}

TEST(Html, ShowsPublishedFiguresAndTablesInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const auto record = file_of_asked(exhibit_record(), out);
  write_report({record}, out);
  expect_works("exhibits", record, out);
}

TEST(Html, SaysWhatMovedBetweenLaunchesInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  ordered_json later = launch_of(with_moved_baseline(1.4), 2, "GPU-two");
  for (ordered_json& entry : later["benchmarks"]) entry["time_us"]["samples_per_block"] = 5;
  const auto records = files_of_launches({launch_of(asked_cases(), 1, "GPU-one"), later}, out);
  write_report(records, out);
  expect_works("launches", records.front(), out);
}

TEST(Html, ShowsQualityInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const auto record = graded_record(out);
  write_report({record}, out);
  expect_works("graded", record, out);
}

TEST(Html, ShowsRecordsSideBySideInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) ABLATE_LACKS("browser", why);
  const auto out = fresh_folder();
  const auto records = two_builds(out);
  write_report(records, out);
  expect_works("sides", records.back(), out);
}

}  // namespace
}  // namespace ablate::reports::html_test
