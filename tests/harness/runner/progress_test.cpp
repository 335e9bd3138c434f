#include "harness/runner/progress.h"

#include <gtest/gtest.h>

namespace ablate::progress_test {
namespace {

TEST(Progress, BeforeAnyCaseEndsThePlanIsWhatIsLeft) { EXPECT_DOUBLE_EQ(seconds_left(0, 60, 0), 60); }

TEST(Progress, LongCasesToComeCountForMoreThanTheirNumber) {
  // Exactly as planned: 100 short cases are done, one long one is to come.
  EXPECT_NEAR(seconds_left(100, 300, 100), 300, 1e-9);
}

TEST(Progress, TheRestGoesAtThePaceOfWhatIsDone) {
  EXPECT_NEAR(seconds_left(200, 200, 400), 400, 4) << "twice as slow as planned";
  EXPECT_NEAR(seconds_left(200, 200, 100), 100, 2) << "twice as fast";
}

TEST(Progress, OneOddCaseAtTheBeginningSaysLittle) {
  EXPECT_LT(seconds_left(0.1, 9.9, 1), 15) << "ten times as long as planned, of 9.9 s";
}

TEST(Phases, TakeAllTheTimeAndAddUp) {
  worker_progress worker;
  EXPECT_FALSE(worker.has_worked());
  const long long began_ns = steady_ns();
  phase_clock clock(worker);
  clock.spent_on(work_phase::start_up);
  const long long running_ns = steady_ns();
  while (steady_ns() - running_ns < 2'000'000) {
  }
  clock.spent_on(work_phase::cases);
  const long long cases_ns = worker.spent_ns[static_cast<std::size_t>(work_phase::cases)];
  clock.spent_on(work_phase::cases);
  long long all_ns = 0;
  for (const auto& ns : worker.spent_ns) all_ns += ns;
  EXPECT_GE(cases_ns, 2'000'000);
  EXPECT_GE(worker.spent_ns[static_cast<std::size_t>(work_phase::cases)], cases_ns);
  EXPECT_TRUE(worker.has_worked());
  EXPECT_LE(all_ns, steady_ns() - began_ns) << "no time counts twice";
  EXPECT_EQ(worker.spent_ns[static_cast<std::size_t>(work_phase::waiting)], 0);
}

TEST(Phases, AreToldInTheOrderInWhichAWorkerHasThem) {
  worker_progress worker;
  worker.spent_ns[static_cast<std::size_t>(work_phase::cases)] = 90'140'000'000;
  worker.spent_ns[static_cast<std::size_t>(work_phase::start_up)] = 860'000'000;
  EXPECT_EQ(phases_text(worker),
            "start-up 0.9 s, calibrations 0.0 s, neighbors 0.0 s, cases 90.1 s, waiting 0.0 s, finish 0.0 s");
}

TEST(CasePhases, TakeAllTheTimeOfACaseAndTheRestIsWhatIsLeft) {
  case_clock clock;
  const stopwatch watch;
  while (watch.seconds() < 0.002) {
  }
  clock.spent_on(case_phase::checks);
  clock.spent_on(case_phase::samples);
  case_phases spent = clock.spent();
  EXPECT_GE(spent[case_phase::checks], 0.002);
  EXPECT_EQ(spent[case_phase::counters], 0);
  const double before = spent.all();
  EXPECT_LE(before, watch.seconds() + 0.001);
  spent.set_rest(before + 1);
  EXPECT_NEAR(spent[case_phase::rest], 1, 1e-9);
  spent.set_rest(0);
  EXPECT_EQ(spent[case_phase::rest], 0) << "never less than nothing";
}

TEST(CasePhases, AddUpOverTheCasesOfAWorker) {
  worker_progress worker;
  case_phases spent;
  spent[case_phase::inputs] = 0.25;
  spent[case_phase::counters] = 0.0004;
  EXPECT_EQ(phases_of(spent).inputs, 0.25);
  EXPECT_FALSE(phases_of(spent).rest) << "below a millisecond";
  worker.add(spent);
  worker.add(spent);
  EXPECT_EQ(
      phases_text(worker.spent_on_cases()),
      "inputs 0.5 s, buffers 0.0 s, checks 0.0 s, samples 0.0 s, counters 0.0 s, sampling 0.0 s, rest 0.0 s");
}

TEST(Progress, NothingIsLeftAtTheEnd) { EXPECT_EQ(seconds_left(3, 0, 5), 0); }

TEST(Progress, SeveralWorkersShareTheRest) {
  EXPECT_NEAR(seconds_left(200, 200, 100, 2), 100, 2) << "as planned";
}

}  // namespace
}  // namespace ablate::progress_test
