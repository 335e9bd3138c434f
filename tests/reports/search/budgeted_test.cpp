#include "reports/search/budgeted.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "tests/reports/search/made_world.h"
#include "tests/support/temporary_directory.h"

namespace ablate::search::budgeted_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

double time_of(const named_words& v) {
  return 100 * (made::at(v, "a") == "on" ? 0.9 : 1) * (made::at(v, "b") == "2" ? 0.8 : 1) *
         (made::at(v, "c") == "on" ? 1.001 : 1);
}

struct killed : std::runtime_error {
  killed() : std::runtime_error("killed") {}
};

class BudgetedSearch : public testing::Test {
 protected:
  /// A point takes a second. Kills the search when batch `kill_at` would begin, from 1.
  outcome run(double budget_s, bool resume, std::size_t kill_at = 0) {
    search_journal journal(file_, {{"suite", "made"}, {"seed", 1}}, of_, resume);
    std::size_t batches = 0;
    budgeted_measurer by(
        budget_s, journal,
        [&](const batch& b) {
          if (++batches == kill_at) throw killed();
          std::vector<answer> out;
          for (const std::size_t p : b.points) {
            ++measured_[{b.launch, p}];
            out.push_back(answer_of(p, b.launch));
          }
          now_s_ += static_cast<double>(b.points.size());
          return out;
        },
        [&] { return now_s_; });
    const outcome found = by_halving(of_, {{0}, 0}, made::how(), by);
    spent_s_ = by.spent_s();
    replayed_ = by.replayed();
    return found;
  }

  /// The same whenever it is asked: noise depends on point and launch alone.
  answer answer_of(std::size_t p, std::size_t launch) const {
    answer out{p, launch, "gpu"};
    if (p == 5) {
      out.status = "wrong";
      out.reason = "cell 3 differs";
      return out;
    }
    const double us =
        time_of(of_.points()[p].values) * (1 + 0.003 * std::sin(static_cast<double>(7 * p + 13 * launch)));
    out.time = measured_case::timing{};
    out.time->median_us = us;
    out.time->min_us = out.time->ci95_low_us = 0.999 * us;
    out.time->ci95_high_us = 1.001 * us;
    out.time->method = "events";
    out.quality = {{"error", written_number(0.5)}};
    return out;
  }

  std::size_t most_often() const {
    std::size_t out = 0;
    for (const auto& [what, times] : measured_) out = std::max(out, times);
    return out;
  }

  test_support::temporary_directory folder_;
  std::filesystem::path file_ = folder_.path() / "out" / "search.jsonl";
  space of_ = made::space_of(made::product_of({{"a", {"on"}}, {"b", {"1", "2", "3"}}, {"c", {"on"}}}));
  double now_s_ = 0, spent_s_ = 0;
  std::size_t replayed_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> measured_;
};

void expect_equal(const outcome& a, const outcome& b) {
  ASSERT_TRUE(a.found && b.found);
  EXPECT_EQ(a.found->winner, b.found->winner);
  EXPECT_EQ(a.ran_out, b.ran_out);
  ASSERT_EQ(a.found->neighbors.size(), b.found->neighbors.size());
  for (std::size_t i = 0; i < a.found->neighbors.size(); ++i) {
    EXPECT_EQ(a.found->neighbors[i].point, b.found->neighbors[i].point);
    EXPECT_EQ(a.found->neighbors[i].state, b.found->neighbors[i].state);
  }
}

TEST_F(BudgetedSearch, GoesOnAfterEveryKillAndRepeatsNothing) {
  const outcome whole = run(1e6, false);
  EXPECT_TRUE(whole.found->holds());
  const auto all = measured_;
  EXPECT_EQ(most_often(), 1u);
  std::size_t kills = 0;
  for (bool was_killed = true; was_killed;) {
    std::filesystem::remove(file_);
    measured_.clear();
    ++kills;
    was_killed = false;
    try {
      run(1e6, false, kills);
    } catch (const killed&) {
      was_killed = true;
    }
    if (!was_killed) break;
    const outcome resumed = run(1e6, true);
    expect_equal(whole, resumed);
    EXPECT_EQ(measured_, all) << "killed at batch " << kills;
  }
  EXPECT_GT(kills, 3u);
}

TEST_F(BudgetedSearch, AFinishedOneMeasuresNothingMore) {
  const outcome whole = run(1e6, false);
  measured_.clear();
  const double spent = spent_s_;
  expect_equal(whole, run(1e6, true));
  EXPECT_THAT(measured_, IsEmpty());
  EXPECT_EQ(spent_s_, spent);
  EXPECT_GT(replayed_, 0u);
}

TEST_F(BudgetedSearch, StaysWithinItsBudgetAndALargerOneGoesOn) {
  const outcome whole = run(1e6, false);
  const double needed = spent_s_;
  for (const double budget : {3.0, needed / 2, needed - 1}) {
    std::filesystem::remove(file_);
    measured_.clear();
    const outcome cut = run(budget, false);
    EXPECT_LE(spent_s_, budget + 1);
    EXPECT_TRUE(cut.ran_out) << budget;
    expect_equal(whole, run(1e6, true));
    EXPECT_EQ(most_often(), 1u) << budget;
  }
}

TEST_F(BudgetedSearch, ALineThatAKillCutShortIsDropped) {
  const outcome whole = run(1e6, false);
  std::string text = reports::read_text_file(file_);
  reports::write_text_file(file_, text.substr(0, text.size() - 20));
  measured_.clear();
  expect_equal(whole, run(1e6, true));
  EXPECT_FALSE(measured_.empty());
  EXPECT_EQ(reports::read_text_file(file_).size(), text.size());
}

TEST_F(BudgetedSearch, RefusesAnotherSearchsJournal) {
  run(1e6, false);
  const auto refused = [&](const nlohmann::ordered_json& identity, bool resume, const std::string& why) {
    try {
      const search_journal journal(file_, identity, of_, resume);
      FAIL() << "expected: " << why;
    } catch (const bad_input& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  refused({{"suite", "made"}, {"seed", 1}}, false, "expected --resume");
  refused({{"suite", "made"}, {"seed", 2}}, true, "expected the search that is resumed to have 2, found 1");
  reports::write_text_file(file_, "{\"launch\": }\n");
  refused({{"suite", "made"}, {"seed", 1}}, true, "search.jsonl");
}

TEST_F(BudgetedSearch, BeginsWhereAKillLeftNoWholeLine) {
  const outcome whole = run(1e6, false);
  reports::write_text_file(file_, "{\"search_jour");
  expect_equal(whole, run(1e6, true));
  expect_equal(whole, run(1e6, true));
}

TEST_F(BudgetedSearch, RefusesAPointThatIsNone) {
  run(3, false);
  std::ofstream(file_, std::ios::app)
      << R"({"launch":1,"seconds":1,"answers":[{"point":"none","status":"ok"}]})"
      << "\n";
  try {
    run(1e6, true);
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("expected a point of this search, found"));
  }
}

}  // namespace
}  // namespace ablate::search::budgeted_test
