#include "harness/runner/journal.h"

#include <gtest/gtest.h>

#include "reports/bad_input.h"
#include "tests/support/temporary_directory.h"

namespace ablate::journal_test {
namespace {

journal_contents read(const std::string& text) {
  const test_support::temporary_directory files;
  return journal(files.write("journal.jsonl", text), true).read();
}

/// What the reader says of a journal, without the file's name.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const bad_input& e) {
    const std::string what = e.what();
    return what.substr(what.find(".jsonl: ") + 8);
  }
  return "accepted";
}

TEST(Journal, HoldsTheNewestContextAndTheCases) {
  const journal_contents held = read(R"({"context": {"date": "1"}}
{"key": "a", "case": {"status": "ok"}}

{"context": {"date": "2"}}
{"key": "b", "case": {"status": "failed"}}
)");
  EXPECT_EQ(held.context["date"], "2");
  ASSERT_EQ(held.entries.size(), 2u);
  EXPECT_EQ(held.entries.at("b")["status"], "failed");
}

TEST(Journal, PassesOverALineThatAKillCutShort) {
  EXPECT_EQ(read("{\"key\": \"a\", \"case\": {\"status\": \"ok\"}}\n{\"key\": \"b\", \"ca").entries.size(),
            1u);
  EXPECT_TRUE(read(std::string(200000, '[')).entries.empty());
  EXPECT_TRUE(read(R"({"key": "a", "case": {"status": "ok", "time_us": 1e999}})").entries.empty());
}

TEST(Journal, RefusesWhatNoRunWrites) {
  const std::string ok = "{\"key\": \"a\", \"case\": {\"status\": \"ok\"}}\n";
  for (const char* line : {"{\"benchmarks\": []}", "7", "[]", R"({"key": 7, "case": {"status": "ok"}})",
                           R"({"key": "a", "case": {}})", R"({"key": "a", "case": "ok"})",
                           R"({"key": "a", "case": {"status": 7}})", R"({"context": 7})"})
    EXPECT_EQ(refusal(ok + line), "line 2: expected a line of a run's journal") << line;
}

}  // namespace
}  // namespace ablate::journal_test
