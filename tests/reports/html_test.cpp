#include "reports/html.h"

#include <set>

#include "reports/report.h"
#include "tests/reports/graded_record.h"

namespace ablate::reports::html_test {
namespace {

using nlohmann::ordered_json;

/// Data of a page, in which a script element holds it.
ordered_json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  return ordered_json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::string page_of(const std::filesystem::path& record, const std::filesystem::path& out) {
  write_report({record}, out);
  return text_of(out / "report.html");
}

TEST(Html, HoldsEveryCaseOfTheRecord) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) GTEST_SKIP() << why;
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json data = data_of(page_of(path, out));
  ASSERT_EQ(data.size(), 1u);
  ASSERT_EQ(data[0]["cases"].size(), r.cases.size());
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    EXPECT_EQ(data[0]["cases"][i]["name"], r.cases[i].name);
    EXPECT_EQ(data[0]["cases"][i]["time_us"]["median"], r.cases[i].time.median_us);
    EXPECT_EQ(data[0]["cases"][i]["time_us"]["samples"].size(), r.cases[i].time.samples_us.size());
  }
  EXPECT_EQ(data[0]["unmeasured"][0]["name"], r.unmeasured[0].name);
  EXPECT_EQ(data[0]["unmeasured"][0]["reason"], r.unmeasured[0].reason);
}

TEST(Html, EveryRowOfEveryPlotNamesItsCase) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) GTEST_SKIP() << why;
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json data = data_of(page_of(path, out));
  std::set<std::string> kinds;
  for (const ordered_json& plot : data[0]["operations"][0]["plots"]) {
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
  EXPECT_EQ(kinds, (std::set<std::string>{"speed_up", "scaling", "metrics", "kernels", "timeline", "floor",
                                          "merging"}));
}

TEST(Html, CountersComeBackUnderTheirNames) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) GTEST_SKIP() << why;
  const auto out = fresh_folder();
  const auto path = counted_record(out);
  const record r = read_record(path);
  const ordered_json data = data_of(page_of(path, out));
  const auto expect_same = [&](const ordered_json& there, const counter_values& values) {
    const ordered_json& names = data[0]["shapes"][there["shape"].get<std::size_t>()];
    ASSERT_EQ(names.size(), values.size());
    ASSERT_EQ(there["values"].size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(names[i], values[i].first);
      if (values[i].second)
        EXPECT_EQ(there["values"][i], *values[i].second);
      else
        EXPECT_TRUE(there["values"][i].is_null());
    }
  };
  EXPECT_EQ(data[0]["shapes"].size(), 2u);  // of what was counted, and none
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const ordered_json& there = data[0]["cases"][i]["counters"];
    expect_same(there, r.cases[i].counters.values);
    ASSERT_EQ(there["kernels"].size(), r.cases[i].counters.kernels.size());
    for (std::size_t k = 0; k < there["kernels"].size(); ++k)
      expect_same(there["kernels"][k], r.cases[i].counters.kernels[k].values);
  }
}

TEST(Html, AsksNothingOfTheNetwork) {
  if (const auto why = why_no_node("vega-embed"); !why.empty()) GTEST_SKIP() << why;
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
  if (const auto why = why_no_node("vega-embed"); !why.empty()) GTEST_SKIP() << why;
  const auto out = fresh_folder();
  ordered_json made = made_record();
  made["context"]["ablate"]["suite"]["description"] = "</script><script>alert(1)</script>{{scripts}}";
  made["context"]["ablate"]["device"]["name"] = "<b>GPU</b> & more";
  write_record(out / "record.json", made["context"], made["benchmarks"], made["unmeasured"]);
  const std::string page = page_of(out / "record.json", out);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("<title>made_by_hand on &lt;b>GPU&lt;/b> &amp; more</title>"), std::string::npos);
  EXPECT_EQ(data_of(page)[0]["description"], "</script><script>alert(1)</script>{{scripts}}");
}

TEST(Html, IsLeftOutWithAReasonWhereVegaIsNot) {
  const auto out = fresh_folder();
  std::filesystem::create_directories(out / "reports");
  std::filesystem::copy(renderer_directory() / "html", out / "reports" / "html");
  std::ofstream(out / "report.html") << "of another record";
  const environment there("ABLATE_REPORTS_DIR", (out / "reports").string());
  write_report({made_record_path()}, out);
  EXPECT_FALSE(std::filesystem::exists(out / "report.html"));
  EXPECT_NE(text_of(out / "summary.md").find("There is no report.html: vega is not installed"),
            std::string::npos);
}

/// Chromium of the system, which this test never downloads, or an empty text.
std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (const auto found = find_program(name)) return found->string();
  return "";
}

/// Why no page can be opened here, or an empty text.
std::string why_no_browser() {
  for (const char* package : {"playwright-core", "vega-embed"})
    if (const auto why = why_no_node(package); !why.empty()) return why;
  return chromium().empty() ? "chromium is not installed (apt-get install chromium)" : "";
}

void expect_works(const std::filesystem::path& record, const std::filesystem::path& out) {
  write_report({record}, out);
  const process_result result =
      run_process({"node", ABLATE_SOURCE_DIR "/tests/reports/html_browser.mjs", renderer_directory().string(),
                   chromium(), record.string(), (out / "report.html").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(Html, WorksInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) GTEST_SKIP() << why;
  const auto out = fresh_folder();
  expect_works(counted_record(out), out);
}

TEST(Html, ShowsQualityInABrowser) {
  if (const auto why = why_no_browser(); !why.empty()) GTEST_SKIP() << why;
  const auto out = fresh_folder();
  expect_works(graded_record(out), out);
}

}  // namespace
}  // namespace ablate::reports::html_test
