#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text/bad_input.h"
#include "harness/cli/record_files.h"
#include "harness/cli/search_launches.h"
#include "harness/cli/search_run.h"
#include "harness/registry/registry.h"
#include "reports/ablation/processes.h"
#include "reports/search/outputs.h"
#include "tests/reports/made_record.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_directory.h"

// Searches through the runner of `ablate run`, on a GPU that is made up: times are told by point and launch.

namespace ablate::search_command_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// What the made GPU makes of each variant.
struct told_times {
  std::map<std::string, double> us;           ///< by variant; 100 otherwise
  std::map<std::string, std::string> faults;  ///< wrong, failed or out_of_memory
};

class told_executor final : public executor {
 public:
  told_executor(const told_times& told, double shift) : told_(told), shift_(shift) {}

  nlohmann::ordered_json device_facts() override {
    return {{"kind", "gpu"}, {"name", "made"}, {"uuid", "GPU-made"}, {"compute_capability", "9.0"}};
  }
  std::vector<record::evidence_rung> evidence() override { return {}; }
  measurement run(const suite_case& c, const workload&, const input_library&, const sampling&) override {
    const std::string name(c.variant_name());
    if (const auto fault = told_.faults.find(name); fault != told_.faults.end()) {
      if (fault->second == "wrong") return {"wrong", "element 3 differs"};
      if (fault->second == "out_of_memory") throw out_of_memory("no 4 TB");
      throw std::runtime_error("the launch was refused");
    }
    const auto told = told_.us.find(name);
    const double us = (told == told_.us.end() ? 100 : told->second) * shift_;
    measurement out{"ok"};
    out.facts.time = {.median_us = us,
                      .min_us = us,
                      .mad_us = 0.001 * us,
                      .ci95_low_us = 0.999 * us,
                      .ci95_high_us = 1.001 * us,
                      .method = "events",
                      .launches_per_sample = 1,
                      .warmup_launches = 0,
                      .stopped_by = "precision",
                      .samples_us = std::vector<double>(32, us),
                      .clock = {}};
    out.facts.counters.set = "none";
    out.facts.counters.reason = "made up";
    return out;
  }

 private:
  told_times told_;
  double shift_;
};

class SearchCommand : public testing::Test {
 protected:
  const operation& of_ = *find_operation("reduction");
  searched_space space_ = searched_space_of(of_, {"elements=1024"}, {.compute_capability = 90});

  /// `kill_at`: before that run begins, from 1.
  search::result run(bool resume = false, std::size_t kill_at = 0, double budget_s = 1e6) {
    search_options how;
    how.budget_s = budget_s;
    how.resume = resume;
    how.gpu = "GPU-made";
    how.run.out = out();
    std::size_t runs = 0;
    const search_tools with{[&](const suite& from, const run_options& options) {
                              if (++runs == kill_at) throw std::runtime_error("killed");
                              asked_.push_back(options);
                              // A launch moves all of its times.
                              const double shift = 1 + 0.01 * static_cast<double>(asked_.size() % 5);
                              const told_times told = told_;
                              return run_suite_on(
                                  from, options, {.compute_capability = 90}, {"made", "GPU-made", "1"},
                                  [=] { return std::make_unique<told_executor>(told, shift); });
                            },
                            wait_, [&] { return now_s_ += 0.5; }};
    return run_search(of_, space_, how, with);
  }

  std::filesystem::path out() const { return folder_.path() / "out"; }
  std::string winner(const search::result& r) const {
    return r.found.found ? space_.points.points()[r.found.found->winner].name : "none";
  }

  test_support::temporary_directory folder_;
  told_times told_ = {{{"smem_tree", 80}, {"smem_shuffles", 50.2}, {"smem_shuffles+loads=strided", 50}}, {}};
  std::vector<run_options> asked_;
  std::function<void()> wait_ = [] {};
  double now_s_ = 0;
};

TEST_F(SearchCommand, LeavesAnOrdinaryRecordThatSaysTheSame) {
  wait_ = wait_for_another_second;  // by which readers tell launches apart
  const search::result found = run();
  EXPECT_EQ(winner(found), "smem_shuffles+loads=strided");
  ASSERT_TRUE(found.found.found);
  EXPECT_TRUE(found.found.found->holds()) << search::result_text(found, {});
  EXPECT_EQ(exit_code_of(found), 0);
  EXPECT_EQ(found.device, "made");

  std::vector<record> records;
  for (const auto& file : files_of_launches({out().string()})) records.push_back(read_record(file));
  ASSERT_EQ(records.size(), found.found.seen.launches());
  require_checked(records.front());
  std::vector<const record*> more;
  for (std::size_t i = 1; i < records.size(); ++i) {
    reports::expect_launch_of(records.front(), records[i]);
    more.push_back(&records[i]);
  }
  const reports::process_launches reported(records.front(), more, found.found.seen.limits());
  const auto of_point = [&](std::size_t p) {
    return std::ranges::find(records.front().cases, space_.ids[p], &measured_case::name);
  };
  std::size_t compared = 0;
  for (const search::compared_neighbor& n : found.found.found->neighbors) {
    if (!n.over) continue;
    ASSERT_NE(of_point(n.point), records.front().cases.end());
    const reports::effect told = reported.between(*of_point(found.found.found->winner), *of_point(n.point));
    EXPECT_NEAR(told.time.estimate, n.over->time.estimate, 1e-9);
    EXPECT_EQ(told.processes, n.over->launches);
    ++compared;
  }
  EXPECT_GT(compared, 0u);
  EXPECT_THAT(run_ablate({"best", out().string()}).out, HasSubstr("* 1  smem_shuffles+loads=strided"));
  EXPECT_EQ(run_ablate({"attribute", out().string(), "--to", "smem_shuffles"}).exit_code, 0);
  if (reports::why_no_node("vega").empty()) {
    const program_result report =
        run_ablate({"report", out().string(), "--out", (folder_.path() / "report").string()});
    EXPECT_EQ(report.exit_code, 0) << report.error;
  }
}

TEST_F(SearchCommand, ChecksEachPointOnceAndOnlyTimesLater) {
  run();
  ASSERT_GT(asked_.size(), 1u);
  for (const run_options& asked : asked_) {
    const bool is_first = asked.out == out();
    EXPECT_EQ(asked.launch.unchecked, !is_first);
    EXPECT_FALSE(asked.launch.only.empty());
    EXPECT_THAT(asked.launch.ceilings, testing::ElementsAre("none"));
    EXPECT_EQ(asked.launch.order_seed.has_value(), !is_first) << "later launches have orders of their own";
  }
}

TEST_F(SearchCommand, AFaultyPointIsOutAndTheExitCodeSaysSo) {
  for (const auto& [fault, code] :
       {std::pair<std::string, int>("wrong", 3), {"failed", 75}, {"out_of_memory", 0}}) {
    told_.faults = {{"smem_shuffles+loads=strided", fault}};
    std::filesystem::remove_all(out());
    asked_.clear();
    const search::result found = run();
    EXPECT_EQ(winner(found), "smem_shuffles") << fault;
    EXPECT_EQ(exit_code_of(found), code) << fault;
    EXPECT_THAT(search::result_text(found, {}), HasSubstr("smem_shuffles+loads=strided: " + fault));
    std::size_t tries = 0;
    for (const run_options& asked : asked_) tries += asked.tries_failed_again ? 1 : 0;
    EXPECT_EQ(tries, 0u) << "a batch that resumes the run does not try again what failed";
  }
}

TEST_F(SearchCommand, GoesOnAfterAKillAndRepeatsNothing) {
  const std::string whole = winner(run());
  const std::size_t runs = asked_.size();
  for (std::size_t kill_at = 1; kill_at <= runs; ++kill_at) {
    std::filesystem::remove_all(out());
    asked_.clear();
    EXPECT_THROW(run(false, kill_at), std::runtime_error);
    EXPECT_EQ(winner(run(true)), whole);
    EXPECT_EQ(asked_.size(), runs) << "killed before run " << kill_at;
  }
}

TEST_F(SearchCommand, AKillBetweenRecordAndJournalCostsNothing) {
  const std::string whole = winner(run());
  const std::size_t runs = asked_.size();
  std::string journal = test_support::slurp(out() / "search.jsonl");
  journal.pop_back();
  std::filesystem::resize_file(out() / "search.jsonl", journal.rfind('\n') + 1);
  EXPECT_EQ(winner(run(true)), whole);
  EXPECT_EQ(asked_.size(), runs) << "the last launch has its record";
}

TEST_F(SearchCommand, ASpentBudgetIsNoProof) {
  const search::result found = run(false, 0, 1.5);
  EXPECT_TRUE(found.found.ran_out);
  ASSERT_TRUE(found.found.found);
  EXPECT_FALSE(found.found.found->holds());
  EXPECT_EQ(exit_code_of(found), 0);
}

TEST_F(SearchCommand, RefusesAnotherSearchsFolder) {
  run();
  try {
    run();
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("expected --resume, or another --out"));
  }
  space_ = searched_space_of(of_, {"elements=2048"}, {.compute_capability = 90});
  EXPECT_THROW(run(true), bad_input);
}

TEST_F(SearchCommand, LeavesTheRecordOfAnotherRunAlone) {
  std::filesystem::create_directories(out());
  for (const char* file : {"record.json", "journal.jsonl"}) {
    std::ofstream(out() / file) << "kept";
    for (const bool resume : {false, true}) EXPECT_THROW(run(resume), bad_input);
    EXPECT_EQ(test_support::slurp(out() / file), "kept");
    std::filesystem::remove(out() / file);
  }
}

TEST_F(SearchCommand, AnInterruptedRunEndsTheSearch) {
  search_options how;
  how.budget_s = 10;
  how.run.out = out();
  EXPECT_THROW(run_search(of_, space_, how,
                          {[](const suite&, const run_options&) { return 130; }, [] {}, [] { return 0.0; }}),
               search_interrupted);
}

TEST(SearchedSpace, HasEveryPointOnceAndSaysWhyNot) {
  const operation& of = *find_operation("voxelize");
  const searched_space on_hopper = searched_space_of(of, {"points=1024"}, {.compute_capability = 90});
  const searched_space on_ampere = searched_space_of(of, {"points=1024"}, {.compute_capability = 80});
  ASSERT_EQ(on_hopper.points.points().size(), on_ampere.points.points().size());
  EXPECT_GT(on_hopper.points.runnable(), on_ampere.points.runnable());
  EXPECT_EQ(on_hopper.begin.points.front(), *on_hopper.begin.baseline);
  const std::size_t pdl = *on_ampere.points.find("warp_match+pdl");
  EXPECT_FALSE(on_ampere.points.can_run(pdl));
  EXPECT_THAT(on_ampere.points.points()[pdl].why_not, HasSubstr("needs compute capability 9.0"));
  const std::size_t match = *on_hopper.points.find("warp_match");
  EXPECT_THAT(on_hopper.points.neighbors(match),
              Contains(AllOf(testing::Field(&search::neighbor::point, pdl),
                             testing::Field(&search::neighbor::differs_in, "pdl"))));
}

TEST(SearchProgram, RefusesWithTheReason) {
  const auto refused = [](std::vector<std::string> words, int code, const std::string& why) {
    words.insert(words.begin(), "search");
    const program_result said = run_ablate(words);
    EXPECT_EQ(said.exit_code, code) << said.out;
    EXPECT_THAT(said.error, HasSubstr(why));
    EXPECT_EQ(std::count(said.error.begin(), said.error.end(), '\n'), 1) << said.error;
  };
  refused({"voxelise", "--budget", "1"}, 2, "did you mean 'voxelize'?");
  refused({"voxelize"}, 2, "--budget is required");
  refused({"voxelize", "--budget", "0"}, 2, "--budget");
  refused({"voxelize", "--budget", "1", "--axes", "pointz=4"}, 2, "did you mean 'points'?");
  refused({"voxelize", "--budget", "1", "--axes", "points=4,8"}, 2, "expected one value of 'points'");
  refused({"voxelize", "--budget", "1", "--axes", "cache=hot,cold-clean"}, 2,
          "expected one value of 'cache'");
  refused({"voxelize", "--budget", "1", "--axes", "points"}, 2, "expected AXIS=VALUE");
  refused({"voxelize", "--budget", "1", "--axes", "variants=warp_match"}, 2, "expected values of axes");
  refused({"voxelize", "--budget", "1", "--strategy", "luck"}, 2, "--strategy");
  refused({"voxelize", "--budget", "1", "--device", "host"}, 2, "expected a GPU");
  if (!find_cuda_backend()) refused({"voxelize", "--budget", "1"}, 4, "a search times kernels");
}

}  // namespace
}  // namespace ablate::search_command_test
