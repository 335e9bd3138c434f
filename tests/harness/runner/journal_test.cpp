#include "harness/runner/journal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/text/bad_input.h"
#include "tests/support/temporary_directory.h"

namespace ablate::journal_test {
namespace {

journal_contents read(const std::string& text) {
  const test_support::temporary_directory files;
  return read_journal(files.write("journal.jsonl", text));
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
                           R"({"key": "a", "case": {"status": 7}})", R"({"context": 7})", R"({"begin": {}})",
                           R"({"begin": {"identity": {}, "planned": [{"key": "a"}], "again": []}})",
                           R"({"begin": {"identity": {}, "planned": [], "again": [7]}})", R"({"again": "a"})",
                           R"({"again": [7]})"})
    EXPECT_EQ(refusal(ok + line), "line 2: expected a line of a run's journal") << line;
}

const std::vector<planned_entry> planned = {{"a", {{"status", "interrupted"}}},
                                            {"b", {{"status", "interrupted"}}}};

case_entry ended(const std::string& status) {
  if (status == "ok") return measured_case();
  unmeasured_case out;
  out.status = status;
  return out;
}

class JournalFile : public ::testing::Test {
 protected:
  test_support::temporary_directory files_;
  std::filesystem::path path_ = files_.path() / "journal.jsonl";
};

TEST_F(JournalFile, KnowsHowFarItsNewestRunCame) {
  journal out(path_);
  EXPECT_FALSE(out.read().is_unfinished()) << "nothing to lose";
  out.write_begin({{"device", "x"}}, planned, {});
  out.write_case("a", ended("failed"));
  EXPECT_TRUE(out.read().is_unfinished());
  out.write_case("b", ended("ok"));
  EXPECT_FALSE(out.read().is_unfinished());
  EXPECT_EQ(out.read().identity["device"], "x");
  out.write_begin({{"device", "y"}}, planned, {"a"});
  EXPECT_EQ(out.read().ended_cases(), 1u) << "a is to run again";
  EXPECT_EQ(out.read().identity["device"], "y");
  out.clear();
  EXPECT_TRUE(out.read().entries.empty());
}

TEST_F(JournalFile, OfAnOlderVersionThatHoldsCasesMayBeUnfinished) {
  std::ofstream(path_) << "{\"key\": \"a\", \"case\": {\"status\": \"ok\"}}\n";
  EXPECT_TRUE(read_journal(path_).is_unfinished());
}

TEST_F(JournalFile, TakesNoNumberThatIsNotFinite) {
  journal out(path_);
  try {
    measured_case broken;
    broken.time.median_us = std::nan("");
    out.write_case("a", broken);
    FAIL() << "it would have been null";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a/real_time: expected a finite number");
  }
  EXPECT_TRUE(out.read().entries.empty());
}

TEST_F(JournalFile, TakesTextThatIsNoUtf8) {
  journal out(path_);
  unmeasured_case entry;
  entry.reason = "caf\xe9 is not there";
  out.write_case("a", entry);
  EXPECT_EQ(out.read().entries.at("a")["reason"], "caf\xef\xbf\xbd is not there");
}

TEST_F(JournalFile, IsReadWithThoseOfItsWorkersAndTakesThemIn) {
  journal out(path_);
  out.write_begin({{"device", "x"}}, planned, {});
  out.write_case("a", ended("failed"));
  const auto worker_path = worker_journal(path_, "GPU-1/x");
  EXPECT_EQ(worker_path.filename(), "journal.GPU-1_x.jsonl");
  {
    journal worker(worker_path);
    record begun{};
    begun.date = "1";
    begun.specimen = "GPU-1/x";
    worker.write_context(begun);
    worker.write_case("a", ended("ok"));
    worker.write_case("b", ended("ok"));
    EXPECT_THROW(out.take_in_workers(), bad_input) << "it is still writing";
  }
  std::ofstream(worker_path, std::ios::app) << "{\"key\": \"c\", \"ca";
  EXPECT_EQ(out.read().entries.at("a")["status"], "ok") << "the newer one";
  out.take_in_workers();
  EXPECT_FALSE(std::filesystem::exists(worker_path));
  EXPECT_EQ(out.read().entries.at("a")["status"], "ok");
  EXPECT_EQ(out.read().contexts.at("GPU-1/x")["date"], "1");
  EXPECT_EQ(out.read().entries.size(), 2u) << "but not the line that a kill cut short";
}

TEST_F(JournalFile, LeavesOutWhatALostDeviceHadBegun) {
  journal out(path_);
  {
    journal worker(worker_journal(path_, "GPU-1"));
    worker.write_case("a", ended("ok"));
    worker.write_case("b", ended("ok"));
  }
  out.take_in_worker("GPU-1", {"b"});
  out.take_in_worker("GPU-2", {"c"});
  EXPECT_TRUE(out.read().entries.contains("a"));
  EXPECT_FALSE(out.read().entries.contains("b"));
  out.write_case("b", ended("failed"));
  EXPECT_TRUE(out.read().entries.contains("b")) << "measured anew";
}

TEST_F(JournalFile, ThatCannotBeReadIsRefused) { EXPECT_THROW(read_journal(path_), bad_input); }

}  // namespace
}  // namespace ablate::journal_test
