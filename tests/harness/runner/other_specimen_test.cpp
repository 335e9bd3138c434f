#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/record/record.h"
#include "harness/runner/finish.h"
#include "harness/runner/journal.h"
#include "tests/harness/runner/scripted.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::other_specimen_test {
namespace {

using test_support::fate;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// A run of bundles of two cases each, in two cache states, that goes on on another GPU.
class OtherSpecimen : public ::testing::Test {
 protected:
  int run(const std::vector<long>& values, const std::map<long, fate>& fates = {}) {
    suite s = test_support::scripted_suite(operation_, values);
    s.blocks[0].cache_states = {cache_state::cold_clean, cache_state::hot};
    s.joins = joins_;
    run_options options;
    options.out = out_.path();
    options.resume = true;
    options.launch.ceilings = {"none"};
    return run_suite_on(s, options, {}, device_,
                        [=] { return std::make_unique<test_support::scripted_executor>(fates); });
  }

  /// Leaves of the journal what a kill after so many cases does.
  void kill_after(int cases) {
    std::string text = test_support::slurp(out_.path() / "journal.jsonl");
    std::size_t end = text.find("\n{\"key\"");
    for (int i = 0; i < cases; ++i) end = text.find('\n', end + 1);
    out_.write("journal.jsonl", text.substr(0, end + 1));
  }

  record made() const { return read_record(out_.path() / "record.json"); }

  /// The specimens of each n.
  std::map<std::string, std::set<std::string>> specimens() const {
    std::map<std::string, std::set<std::string>> out;
    for (const measured_case& c : made().cases) out[*find_word(c.axes, "n")].insert(c.specimen);
    return out;
  }

  std::map<std::string, std::set<std::string>> expected(std::set<std::string> one, std::set<std::string> two,
                                                        std::set<std::string> three) const {
    return {{"1", one}, {"2", two}, {"3", three}};
  }

  device_identity device_{"scripted", "GPU-1", "580.1"};
  std::vector<bundle_join> joins_;
  test_support::temporary_directory out_;
  test_support::scripted_operation operation_;
};

TEST_F(OtherSpecimen, MeasuresABegunBundleAnewAndKeepsAWholeOne) {
  ASSERT_EQ(run({1, 2, 3}), 0);
  kill_after(3);
  device_.uuid = "GPU-2";
  ASSERT_EQ(run({1, 2, 3}), 0);
  EXPECT_EQ(specimens(), expected({"GPU-1"}, {"GPU-2"}, {"GPU-2"}));
  std::vector<std::string> parts;
  for (const record::part& part : made().parts) parts.push_back(part.specimen);
  EXPECT_THAT(parts, UnorderedElementsAre("GPU-1", "GPU-2"));
  EXPECT_THAT(made().unmeasured, IsEmpty());
}

TEST_F(OtherSpecimen, GoesOnWithABegunBundleOnItsOwn) {
  ASSERT_EQ(run({1, 2, 3}), 0);
  kill_after(3);
  // Had it measured the first case of 2 again, it would be wrong.
  const std::string before = test_support::slurp(out_.path() / "journal.jsonl");
  ASSERT_EQ(run({1, 2, 3}), 0);
  EXPECT_EQ(test_support::slurp(out_.path() / "journal.jsonl").find(before), 0u);
  EXPECT_EQ(specimens(), expected({"GPU-1"}, {"GPU-1"}, {"GPU-1"}));
  EXPECT_THAT(made().parts, IsEmpty());
}

TEST_F(OtherSpecimen, KeepsTheCasesInTheOrderOfThePlanOnAllOfThem) {
  ASSERT_EQ(run({1, 2, 3}), 0);
  kill_after(1);
  device_.uuid = "GPU-2";
  ASSERT_EQ(run({1, 2, 3}), 0);
  kill_after(6);  // one case there, the next begin and context, three cases here
  device_.uuid = "GPU-3";
  ASSERT_EQ(run({1, 2, 3}), 0);
  std::vector<std::string> names;
  for (const measured_case& c : made().cases) names.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("scripted/only/n=1/@cold-clean", "scripted/only/n=1/@hot",
                                 "scripted/only/n=2/@cold-clean", "scripted/only/n=2/@hot",
                                 "scripted/only/n=3/@cold-clean", "scripted/only/n=3/@hot"));
  for (const auto& [n, of] : specimens()) EXPECT_EQ(of.size(), 1u) << n;
}

TEST_F(OtherSpecimen, MeasuresAMendedBundleAnewThere) {
  ASSERT_EQ(run({1, 2, 3}, {{2, fate::out_of_memory}}), 0);
  device_.uuid = "GPU-2";
  ASSERT_EQ(run({1, 2, 3}), 0);
  EXPECT_EQ(specimens(), expected({"GPU-1"}, {"GPU-2"}, {"GPU-1"}));
}

TEST_F(OtherSpecimen, TakesWhatAComparisonJoinsForOneBundle) {
  joins_ = {{{"scripted"}, {"n"}}};
  ASSERT_EQ(run({1, 2, 3}), 0);
  kill_after(4);
  device_.uuid = "GPU-2";
  ASSERT_EQ(run({1, 2, 3}), 0);
  EXPECT_EQ(specimens(), expected({"GPU-2"}, {"GPU-2"}, {"GPU-2"}));
}

TEST_F(OtherSpecimen, LeavesAFinishedRunAsItIs) {
  ASSERT_EQ(run({1, 2, 3}), 0);
  device_.uuid = "GPU-2";
  ASSERT_EQ(run({1, 2, 3}), 0);
  EXPECT_EQ(specimens(), expected({"GPU-1"}, {"GPU-1"}, {"GPU-1"}));
  EXPECT_THAT(made().parts, IsEmpty());
}

TEST_F(OtherSpecimen, MakesTheSameRecordFromItsJournal) {
  ASSERT_EQ(run({1, 2, 3}), 0);
  kill_after(3);
  device_.uuid = "GPU-2";
  ASSERT_EQ(run({1, 2, 3}), 0);
  const auto journal = out_.path() / "journal.jsonl", again = out_.path() / "again.json";
  const finished_run done = finish_run(read_journal(journal), journal, again);
  EXPECT_EQ(test_support::slurp(again), test_support::slurp(out_.path() / "record.json"));
  EXPECT_EQ(done.cases, 6u);
  EXPECT_EQ(done.measured, 6u);
}

}  // namespace
}  // namespace ablate::other_specimen_test
