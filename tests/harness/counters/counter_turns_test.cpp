#include "harness/counters/counter_turns.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "base/process/child_process.h"
#include "tests/support/temporary_directory.h"

namespace ablate::counter_turns_test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class CounterTurns : public ::testing::Test {
 protected:
  fs::path at(const char* name) const { return files_.path() / name; }
  test_support::temporary_directory files_;
};

/// A resource with one owner at a time: a folder that only one process can make.
bool is_got(const fs::path& owner) { return mkdir(owner.c_str(), 0777) == 0; }

/// Counts `cases` times like a profiler, which keeps the counters until another process requests them.
/// Returns how many times it could not.
int count(const fs::path& lock, const fs::path& owner, int cases) {
  counter_turns turns(lock, 20s);
  int failed = 0;
  bool got = false;
  const auto yield_counters = [&] {
    if (got && turns.are_needed()) got = !fs::remove(owner);
  };
  for (int i = 0; i < cases; ++i) {
    yield_counters();
    turns.begin();
    if (!got) got = is_got(owner);
    while (!got && turns.wait()) got = is_got(owner);
    failed += got ? 0 : 1;
    yield_counters();
    turns.end();
  }
  if (got) fs::remove(owner);
  return failed;
}

TEST_F(CounterTurns, LetProcessesThatFoundTheCountersBusyCountInTurns) {
  std::vector<std::unique_ptr<process::child_process>> all;
  for (int i = 0; i < 3; ++i)
    all.push_back(
        std::make_unique<process::child_process>([&] { return count(at("lock"), at("owner"), 50); }));
  for (const auto& one : all) EXPECT_EQ(one->wait().exit_code, 0);
}

TEST_F(CounterTurns, AreNeededWhileAnotherProcessThatFoundThemBusyRuns) {
  counter_turns holder(at("lock"), 10s);
  EXPECT_FALSE(holder.are_needed());
  {
    counter_turns gone(at("lock"), 10s);
    gone.begin();
    gone.wait();
    gone.end();
  }
  EXPECT_FALSE(holder.are_needed()) << "who asked for turns is gone";
  counter_turns asking(at("lock"), 10s);
  asking.begin();
  asking.wait();
  EXPECT_TRUE(holder.are_needed());
}

TEST_F(CounterTurns, AreNotNeededBecauseOthersLookWhetherTheyAre) {
  std::vector<std::unique_ptr<process::child_process>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::make_unique<process::child_process>([&] {
      counter_turns holder(at("lock"), 10s);
      for (int look = 0; look < 20000; ++look)
        if (holder.are_needed()) return 1;
      return 0;
    }));
  for (const auto& one : all) EXPECT_EQ(one->wait().exit_code, 0);
}

TEST_F(CounterTurns, EndWhereSomeoneHoldsTheCountersForGood) {
  fs::create_directory(at("owner"));
  counter_turns turns(at("lock"), 100ms);
  EXPECT_FALSE(turns.are_needed());
  turns.begin();
  int tries = 0;
  while (turns.wait()) ++tries;
  EXPECT_GE(tries, 1);
  EXPECT_TRUE(turns.are_needed());
}

TEST_F(CounterTurns, WaitForTheProcessWhoseTurnItIs) {
  counter_turns first(at("lock"), 10s), second(at("lock"), 60ms);
  first.begin();
  first.wait();
  second.begin();
  EXPECT_FALSE(second.wait()) << "the first has not ended its turn";
  first.end();
  second.begin();
  EXPECT_TRUE(second.wait());
}

TEST_F(CounterTurns, OnlyWaitWhereThereIsNoLock) {
  counter_turns turns(at("no/such/folder/lock"), 1s);
  turns.begin();
  EXPECT_TRUE(turns.wait());
  turns.end();
}

}  // namespace
}  // namespace ablate::counter_turns_test
