#include "reports/views/case_launches.h"

#include <cmath>

#include "reports/views/speed_up.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::case_launches_test {
namespace {

constexpr const char* direct = "scatter/direct/items=1024/layout=rows/@cold-clean";
constexpr const char* merged = "scatter/merged/items=1024/layout=rows/@cold-clean";

measured_case& named(record& r, const std::string& name) {
  for (measured_case& c : r.cases)
    if (c.name == name) return c;
  throw std::out_of_range(name);
}

/// All times of a record, as on a slower GPU.
record slower_by(const record& from, double factor) {
  record out = from;
  for (measured_case& c : out.cases)
    for (double* us : {&c.time.median_us, &c.time.ci95_low_us, &c.time.ci95_high_us}) *us *= factor;
  return out;
}

TEST(CaseLaunches, KnowHowFarATimeMoved) {
  record shown = read_record(made_record_path());
  record moved = shown, other_input = shown;
  named(moved, direct).time.median_us *= 1.4;
  named(other_input, direct).time.median_us *= 9;
  named(other_input, direct).input["hash"] = "another";
  const case_launches launches(shown, {&moved, &other_input});
  EXPECT_EQ(launches.count(), 3u);
  EXPECT_NEAR(launches.moved_pct(named(shown, direct)), 40, 1e-9) << "another input is another case";
  EXPECT_EQ(launches.moved_pct(named(shown, merged)), 0);
  EXPECT_EQ(launches.of(named(shown, direct)).size(), 2u);
  EXPECT_EQ(launches.of(named(shown, merged)).size(), 3u);
  EXPECT_EQ(pairs_of(launches, named(shown, direct), named(shown, merged)).size(), 2u);
}

TEST(CaseLaunches, CountTheGpus) {
  const record shown = read_record(made_record_path());
  record again = shown, other = shown;
  for (measured_case& c : other.cases) c.specimen = "GPU-other";
  EXPECT_EQ(case_launches(shown, {&again}).gpus(), 1u);
  EXPECT_EQ(case_launches(shown, {&again, &other}).gpus(), 2u);
}

// Three runs on two GPUs each: what the record says of its first GPU is nothing to a case of the second.
TEST(CaseLaunches, ARunOnSeveralGpusHasTheGpuOfEachCase) {
  record shown = read_record(made_record_path());
  const auto run_on = [](record& r, const std::string& gpu) {
    for (measured_case& c : r.cases) c.specimen = gpu;
  };
  record second = slower_by(shown, 1.1), third = slower_by(shown, 1.2);
  run_on(shown, "GPU-a");
  run_on(second, "GPU-b");
  run_on(third, "GPU-c");
  const case_launches launches(shown, {&second, &third});
  EXPECT_EQ(launches.gpus(), 3u);
  EXPECT_EQ(ratio_over_launches(launches, named(shown, direct), named(shown, merged), 0.95).specimens, 3u);
}

// Were times of one GPU divided by those of another, the factor would be 2 or a half.
TEST(CaseLaunches, RatiosAreFormedWithinARecord) {
  record shown = read_record(made_record_path());
  record slow = slower_by(shown, 2);
  const case_launches launches(shown, {&slow});
  const speed_up alone = speed_up_between(named(shown, direct), named(shown, merged));
  const speed_up both = speed_up_between(launches, named(shown, direct), named(shown, merged));
  EXPECT_NEAR(both.ratio, alone.ratio, 1e-9);
  // Launches that agree are surer than one by the root of two, no more.
  EXPECT_NEAR(std::log(both.high / both.low), std::log(alone.high / alone.low) / 2,
              0.3 * std::log(alone.high / alone.low));
  EXPECT_EQ(both.launches, 2u);
  EXPECT_NEAR(both.base_moved_pct, 100, 1e-9);
  EXPECT_TRUE(both.is_unsteady());
}

TEST(CaseLaunches, AnIntervalIsAsWideAsLaunchesAreApart) {
  record shown = read_record(made_record_path());
  record moved = shown;
  for (double* us : {&named(moved, direct).time.median_us, &named(moved, direct).time.ci95_low_us,
                     &named(moved, direct).time.ci95_high_us})
    *us *= 1.4;
  const case_launches launches(shown, {&moved});
  const speed_up alone = speed_up_between(named(shown, direct), named(shown, merged));
  const speed_up both = speed_up_between(launches, named(shown, direct), named(shown, merged));
  EXPECT_NEAR(both.ratio, std::sqrt(1.4) * alone.ratio, 1e-9) << "the mean of the two in logarithms";
  EXPECT_NEAR(std::log(both.high / both.ratio), 12.706 * std::log(1.4) / 2, 1e-3)
      << "Student's, of two launches";
}

TEST(CaseLaunches, AMarkSaysHowFarOnlyWhereThatIsMuch) {
  EXPECT_EQ(moved_mark(40.2), " † 40 %");
  EXPECT_EQ(moved_mark(4.9), "");
}

}  // namespace
}  // namespace ablate::reports::case_launches_test
