#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/reports/history/made_history.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"

namespace ablate::history_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using test_support::temporary_directory;
using ::testing::HasSubstr;

struct history_command : ::testing::Test {
  temporary_directory folder;
  std::string path = (folder.path() / "history.sqlite").string();

  void SetUp() override {
    if (const std::string why = history::why_no_sqlite(); !why.empty()) ABLATE_LACKS("sqlite", why);
  }
  /// Adds 24 nights, from the twelfth on 10 % slower.
  void add_nights() const {
    std::vector<std::string> words = {"dev", "history", "add", "--database", path};
    for (int night = 0; night < 24; ++night)
      words.push_back(folder
                          .write(std::to_string(night) + ".json",
                                 history::night_record(night, night < 12 ? 1 : 1.1).dump())
                          .string());
    const program_result result = run_ablate(words);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr(": 24 records\n"));
  }
};

TEST_F(history_command, AddingAgainChangesNothing) {
  add_nights();
  const program_result again =
      run_ablate({"dev", "history", "add", "--database", path, (folder.path() / "0.json").string()});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("is already in the history"));
  EXPECT_THAT(again.out, HasSubstr(": 24 records\n"));
}

TEST_F(history_command, ChangesAreReportedAndNeverFail) {
  add_nights();
  const program_result text = run_ablate({"dev", "history", "changes", "--database", path});
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_THAT(text.out, HasSubstr("+10.0 %"));
  const program_result json =
      run_ablate({"dev", "history", "changes", "--json", "--database", path, "scatter/direct"});
  const auto changes = nlohmann::json::parse(json.out)["changes"];
  ASSERT_FALSE(changes.empty());
  for (const auto& change : changes)
    EXPECT_THAT(change["case"].get<std::string>(), HasSubstr("scatter/direct"));
}

TEST_F(history_command, ATrendIsOfTheCasesThatAreNamed) {
  add_nights();
  const program_result result = run_ablate(
      {"dev", "history", "trend", "--database", path, "scatter/merged/items=1024/layout=rows/@cold-clean"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("scatter/merged/items=1024/layout=rows/@cold-clean\n"));
  EXPECT_EQ(result.out.find("scatter/direct"), std::string::npos);
}

TEST_F(history_command, WordsSelectAndAnExpressionFilters) {
  add_nights();
  const auto trend = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"dev", "history", "trend", "--database", path});
    return run_ablate(words).out;
  };
  const std::string selected = trend({"variant=merged", "items=1024"});
  EXPECT_THAT(selected, HasSubstr("scatter/merged/items=1024/layout=rows/@cold-clean\n"));
  EXPECT_EQ(selected.find("scatter/direct"), std::string::npos);
  EXPECT_EQ(selected.find("items=2048"), std::string::npos);
  EXPECT_EQ(trend({"--filter", "/merg.*items=1024/"}), selected);
}

TEST_F(history_command, ATrendIsDrawnOnAPage) {
  if (const std::string why = reports::why_no_node("vega-embed"); !why.empty()) ABLATE_LACKS("node", why);
  add_nights();
  const auto page = folder.path() / "trend.html";
  EXPECT_EQ(run_ablate({"dev", "history", "trend", "--database", path, "--html", page.string(), "direct"})
                .exit_code,
            0);
  EXPECT_THAT(test_support::slurp(page), HasSubstr("vegaEmbed"));
}

TEST_F(history_command, ACaseThatVanishedIsToldAndNeverFails) {
  const std::string gone = "scatter/direct/items=1024/layout=rows/@cold-clean";
  nlohmann::ordered_json newest = history::night_record(1);
  auto& entries = newest["benchmarks"];
  for (std::size_t i = entries.size(); i-- > 0;)
    if (entries[i]["name"] == gone) entries.erase(i);
  ASSERT_EQ(run_ablate({"dev", "history", "add", "--database", path,
                        folder.write("0.json", history::night_record(0).dump()).string(),
                        folder.write("1.json", newest.dump()).string()})
                .exit_code,
            0);
  const program_result changes = run_ablate({"dev", "history", "changes", "--database", path});
  EXPECT_EQ(changes.exit_code, 0) << changes.error;
  EXPECT_THAT(changes.out, HasSubstr("GONE: " + gone + " on Imaginary GPU: suite made_by_hand has not"));
  EXPECT_THAT(run_ablate({"dev", "history", "changes", "--database", path, "scatter/merged"}).out,
              ::testing::Not(HasSubstr("GONE")));
  const auto json =
      nlohmann::json::parse(run_ablate({"dev", "history", "changes", "--json", "--database", path}).out);
  ASSERT_EQ(json.at("ended").size(), 1u);
  EXPECT_EQ(json["ended"][0]["case"], gone);
  EXPECT_EQ(json["ended"][0]["verdict"], "GONE");
  EXPECT_EQ(json["ended"][0]["since"], newest["context"]["date"]);
  EXPECT_THAT(run_ablate({"dev", "history", "trend", "--database", path, gone}).out,
              HasSubstr("\n  GONE: suite"));
  if (!reports::why_no_node("vega-embed").empty()) return;
  const auto page = folder.path() / "trend.html";
  run_ablate({"dev", "history", "trend", "--database", path, "--html", page.string(), "direct"});
  EXPECT_THAT(test_support::slurp(page), HasSubstr("GONE: suite made_by_hand has not measured it"));
}

TEST_F(history_command, BadInputIsOneLineAndExitsTwo) {
  add_nights();
  const std::string text = folder.write("text.sqlite", std::string(100, 'x')).string();
  for (const auto& [words, saying] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"dev", "history"}, "subcommand"},
           {{"dev", "history", "add", "--database", path}, "records is required"},
           {{"dev", "history", "changes"}, "--database is required"},
           {{"dev", "history", "changes", "--database", text}, "no SQLite database"},
           {{"dev", "history", "changes", "--database", path + ".none"}, "cannot be opened"},
           {{"dev", "history", "trend", "--database", path, "no_such_case"},
            "no case is or has 'no_such_case'"},
           {{"dev", "history", "trend", "--database", path, "items=102"}, "no value of axis 'items' '102'"},
           {{"dev", "history", "trend", "--database", path, "itms=1024"}, "(did you mean 'items'?)"},
           {{"dev", "history", "trend", "--database", path, "--filter", "("}, "not a regular expression"},
           {{"dev", "history", "trend", "--database", path, "--filter", "nothing"},
            "no case is left by --filter"},
           {{"dev", "history", "add", "--database", path, text}, "text.sqlite"}}) {
    const program_result result = run_ablate(words);
    EXPECT_EQ(result.exit_code, 2) << saying;
    EXPECT_THAT(result.error, HasSubstr(saying));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
}

}  // namespace
}  // namespace ablate::history_test
