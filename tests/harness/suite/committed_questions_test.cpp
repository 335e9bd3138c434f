#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/record/asked_suite.h"
#include "reports/ablation/limits.h"
#include "reports/question/answer.h"
#include "reports/question/answer_text.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/committed_records.h"
#include "tests/support/paths.h"

namespace ablate::committed_questions_test {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path suites = test_support::source_path("suites");

/// Suites that test outputs and compare no times.
const std::set<std::string> of_tests = {"attention_special_values"};

std::vector<std::filesystem::path> committed_suites() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(suites))
    if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json")
      out.push_back(entry.path());
  return out;
}

TEST(CommittedQuestions, EverySuiteHasOne) {
  for (const auto& path : committed_suites()) {
    const suite s = with_checked_report(read_suite(path));
    EXPECT_EQ(test_support::report_of(s).question.has_value(), !of_tests.contains(s.name)) << path;
  }
}

// Reports of records made before suites had questions read them without a registry.
TEST(CommittedQuestions, AreTheSameReadWithARegistryAndWithout) {
  for (const auto& path : committed_suites()) {
    const auto question = test_support::report_of(with_checked_report(read_suite(path))).question;
    if (!question) continue;
    ordered_json checked = question_json(*question), read = question_json(*read_asked_suite(path).question);
    // A suite's ladder need not name axes that no step changes.
    for (ordered_json* of : {&checked, &read})
      if (of->contains("ladder")) (*of)["ladder"]["steps"][0].erase("axes");
    EXPECT_EQ(read, checked) << path;
  }
}

TEST(CommittedQuestions, EachIsAnsweredByItsRecord) {
  for (const auto& path : test_support::committed_records()) {
    const record r = read_record(path);
    const auto file = suites / (r.suite_name + ".json");
    ASSERT_TRUE(std::filesystem::exists(file)) << path;
    const auto asked = read_asked_suite(file).question;
    ASSERT_TRUE(asked) << file;
    const reports::process_launches launches(r, {}, reports::limits_of(reports::shipped_policy()));
    const reports::question_answer answer = reports::answer_of(r, *asked, launches);
    EXPECT_TRUE(answer.open.empty()) << path << ": " << answer.open.front();
    EXPECT_EQ(answer.parts.size(), asked->workloads.size()) << path;
    for (std::size_t i = 0; i < asked->families.size(); ++i) {
      bool measured = false;
      for (const auto& part : answer.parts)
        for (const auto& w : part.workloads) measured = measured || w.best[i].fastest;
      EXPECT_TRUE(measured) << path << ": no case of '" << asked->families[i].name << "'";
    }
  }
}

}  // namespace
}  // namespace ablate::committed_questions_test
