#include "harness/cli/launches.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/reports/question/asked_launches.h"
#include "tests/support/temporary_directory.h"

// Suites that are measured in several launches. What runs one is made up: it writes the record of a launch
// whose times are told beforehand.

namespace ablate::launches_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* open_pair[] = {"scatter/merged/items=1024/layout=rows/@cold-clean",
                                     "scatter/staged/items=1024/layout=rows/@cold-clean"};

class Launches : public testing::Test {
 protected:
  /// `moves`: by how much the best without staging is slower at 1024 items in each launch; the last one goes
  /// on.
  int run(const launch_rule& rule, std::vector<double> moves, bool resume = false) {
    suite of;
    of.name = "scatter";
    of.launches = rule;
    run_options options;
    options.out = folder_.path() / "out";
    options.resume = resume;
    return run_launches(
        of, options,
        [&](const suite&, const run_options& asked) {
          const double factor = moves[std::min(calls_.size(), moves.size() - 1)];
          calls_.push_back(asked);
          if (fails_at_ == calls_.size()) return 75;
          write(asked, factor);
          return 0;
        },
        [] {});
  }

  void write(const run_options& asked, double factor) const {
    std::vector<reports::asked_case> cases = reports::asked_cases();
    for (reports::asked_case& c : cases)
      if (c.variant == "merged" && c.items == 1024) c.us *= factor;
    std::filesystem::create_directories(asked.out);
    std::ofstream(asked.out / "record.json", std::ios::binary)
        << reports::launch_of(cases, static_cast<int>(calls_.size())).dump();
  }

  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "out"))
      out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  test_support::temporary_directory folder_;
  std::vector<run_options> calls_;
  std::size_t fails_at_ = 0;
};

TEST_F(Launches, LaterOnesTimeOnlyInAnotherOrder) {
  EXPECT_EQ(run({3, 3, false}, {1}), 0);
  ASSERT_EQ(calls_.size(), 3u);
  EXPECT_THAT(files(), ElementsAre("record-02.json", "record-03.json", "record.json"));
  EXPECT_FALSE(calls_[0].launch.unchecked);
  EXPECT_TRUE(calls_[0].launch.keeps_samples);
  for (const std::size_t later : {1u, 2u}) {
    EXPECT_TRUE(calls_[later].launch.unchecked);
    EXPECT_FALSE(calls_[later].launch.keeps_samples);
    EXPECT_EQ(calls_[later].counters, "none");
    EXPECT_THAT(calls_[later].launch.ceilings, ElementsAre("none"));
    EXPECT_THAT(calls_[later].launch.only, IsEmpty());
  }
  EXPECT_NE(calls_[1].launch.order_seed, calls_[2].launch.order_seed);
}

TEST_F(Launches, AreOneUnlessASuiteAsksForMore) {
  EXPECT_EQ(run({}, {1}), 0);
  EXPECT_EQ(calls_.size(), 1u);
}

TEST_F(Launches, GoOnWhileAVerdictIsOpenWithItsCasesAlone) {
  // Staging loses by 1.12 and wins by as much, in turn: no number of these launches decides.
  EXPECT_EQ(run({2, 5, true}, {1, 1.27, 1, 1.27, 1}), 0);
  ASSERT_EQ(calls_.size(), 5u);
  for (const std::size_t later : {2u, 3u, 4u})
    EXPECT_THAT(calls_[later].launch.only, ElementsAre(open_pair[0], open_pair[1]));
}

TEST_F(Launches, EndWhenEveryVerdictIsDecided) {
  EXPECT_EQ(run({2, 9, true}, {1, 1.001, 1.002}), 0);
  EXPECT_EQ(calls_.size(), 2u);
}

TEST_F(Launches, ThatEndedAreKeptByAResumedRun) {
  fails_at_ = 3;
  EXPECT_EQ(run({4, 4, false}, {1}), 75);
  EXPECT_THAT(files(), testing::Contains("record-02.json"));
  fails_at_ = 0;
  calls_.clear();
  EXPECT_EQ(run({4, 4, false}, {1}, true), 0);
  EXPECT_EQ(calls_.size(), 3u) << "the first, which resumes by itself, and the two that were missing";
  EXPECT_THAT(files(), ElementsAre("record-02.json", "record-03.json", "record-04.json", "record.json"));
}

TEST_F(Launches, OfAnEarlierRunAreNotTakenForThisOnes) {
  EXPECT_EQ(run({5, 5, false}, {1}), 0);
  EXPECT_EQ(run({2, 2, false}, {1}), 0);
  EXPECT_THAT(files(), ElementsAre("record-02.json", "record.json"));
  fails_at_ = calls_.size() + 1;
  EXPECT_EQ(run({2, 2, false}, {1}), 75);
  EXPECT_THAT(files(), ElementsAre("record.json"));
}

}  // namespace
}  // namespace ablate::launches_test
