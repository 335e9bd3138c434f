#include "reports/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/reports/counted_record.h"
#include "tests/reports/question/asked_launches.h"
#include "tests/support/run_program.h"

namespace ablate::reports::trace_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ordered_json traced(const std::vector<const record*>& launches, const std::vector<std::string>& words = {}) {
  return ordered_json::parse(
      trace_of(launches, selection(words, all_case_words(*launches.front()), "test")).json);
}

std::vector<ordered_json> slices(const ordered_json& trace, const std::string& category) {
  std::vector<ordered_json> out;
  for (const ordered_json& event : trace["traceEvents"])
    if (event["ph"] == "X" && event["cat"] == category) out.push_back(event);
  return out;
}

double end_of(const ordered_json& slice) { return slice["ts"].get<double>() + slice["dur"].get<double>(); }

bool is_within(const ordered_json& inner, const ordered_json& outer) {
  return inner["pid"] == outer["pid"] && inner["tid"] == outer["tid"] && inner["ts"] >= outer["ts"] &&
         end_of(inner) <= end_of(outer);
}

/// What the slices of samples lack of a launch's record, or have wrong; process `pid`.
std::vector<std::string> faults(const ordered_json& trace, const record& r, int pid) {
  std::map<std::string, std::vector<ordered_json>> by_case;
  std::vector<std::string> out;
  for (const ordered_json& slice : slices(trace, "sample"))
    if (slice["pid"] == pid) by_case[slice["args"]["case"].get<std::string>()].push_back(slice);
  std::map<std::string, ordered_json> cases;
  for (const ordered_json& slice : slices(trace, "case"))
    if (slice["pid"] == pid) cases[slice["args"]["case"].get<std::string>()] = slice;
  for (const measured_case& c : r.cases) {
    const auto& of = by_case[c.name];
    if (of.size() != c.time.samples_us.size()) {
      out.push_back(c.name + ": another number of samples");
      continue;
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i]["dur"] != c.time.samples_us[i] || of[i]["args"]["µs"] != c.time.samples_us[i] ||
          of[i]["name"] != c.variant)
        out.push_back(c.name + ": another sample");
      for (const auto& [axis, value] : c.axes)
        if (of[i]["args"][axis] != value) out.push_back(c.name + ": another " + axis);
      if (i > 0 && of[i]["ts"].get<double>() < end_of(of[i - 1])) out.push_back(c.name + ": slices overlap");
      if (!is_within(of[i], cases[c.name])) out.push_back(c.name + ": a sample outside of its case");
    }
  }
  return out;
}

TEST(Trace, SlicesAreTheSamplesOfTheRecord) {
  const record r = read_record(counted_record(fresh_folder()));
  const ordered_json trace = traced({&r});
  EXPECT_THAT(faults(trace, r, 1), IsEmpty());
  double in_slices = 0, in_record = 0;
  for (const ordered_json& slice : slices(trace, "sample")) in_slices += slice["dur"].get<double>();
  for (const measured_case& c : r.cases)
    for (const double us : c.time.samples_us) in_record += us;
  EXPECT_NEAR(in_slices, in_record, 1e-9 * in_record);
}

TEST(Trace, ALostSampleIsSeen) {
  const record r = read_record(counted_record(fresh_folder()));
  ordered_json trace = traced({&r});
  ordered_json& events = trace["traceEvents"];
  const auto sample = std::find_if(events.begin(), events.end(),
                                   [](const ordered_json& e) { return e.value("cat", "") == "sample"; });
  const std::string name = (*sample)["args"]["case"];
  events.erase(sample);
  EXPECT_THAT(faults(trace, r, 1), ElementsAre(name + ": another number of samples"));
}

TEST(Trace, KernelsOfATimelineAreNestedInIt) {
  const record r = read_record(counted_record(fresh_folder()));
  const ordered_json trace = traced({&r});
  const auto timelines = slices(trace, "timeline"), kernels = slices(trace, "kernel");
  ASSERT_EQ(timelines.size(), 1u);
  ASSERT_EQ(kernels.size(), 6u);  // two a launch, of three
  for (const ordered_json& kernel : kernels) {
    EXPECT_TRUE(is_within(kernel, timelines[0])) << kernel;
    EXPECT_EQ(kernel["args"]["case"], timelines[0]["args"]["case"]);
  }
  EXPECT_DOUBLE_EQ(kernels[1]["ts"].get<double>() - kernels[0]["ts"].get<double>(), 6);
  EXPECT_DOUBLE_EQ(kernels[1]["dur"], 21);
  std::size_t counters = 0;
  for (const ordered_json& event : trace["traceEvents"]) counters += event["ph"] == "C";
  EXPECT_EQ(counters, 5u * 90 - 1) << "one could not be read";
}

TEST(Trace, KernelsThatRunBesideOthersHaveATrackOfTheirOwn) {
  record r = read_record(counted_record(fresh_folder()));
  for (measured_case& c : r.cases)
    if (c.timeline) c.timeline->kernels = {{"first", 0, 10}, {"second", 5, 12}, {"third", 10, 20}};
  const auto kernels = slices(traced({&r}), "kernel");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0]["tid"], 1);
  EXPECT_EQ(kernels[1]["tid"], 2);
  EXPECT_EQ(kernels[2]["tid"], 1);
}

TEST(Trace, EachLaunchIsAProcess) {
  const auto out = fresh_folder();
  const ordered_json second = launch_of(with_moved_baseline(1.4), 2, "GPU-two");
  const auto files = files_of_launches({launch_of(asked_cases(), 1, "GPU-one"), second}, out);
  const record first = read_record(files[0]);
  record later = read_record(files[1]);
  for (measured_case& c : later.cases) c.time.samples_per_block = 7;
  const ordered_json trace = traced({&first, &later});
  EXPECT_THAT(faults(trace, first, 1), IsEmpty());
  EXPECT_THAT(faults(trace, later, 2), IsEmpty());
  std::vector<std::string> names;
  for (const ordered_json& event : trace["traceEvents"])
    if (event["name"] == "process_name") names.push_back(event["args"]["name"].get<std::string>());
  EXPECT_THAT(names, ElementsAre(HasSubstr("GPU-one, launch 1"), HasSubstr("GPU-two, launch 2")));
  for (const ordered_json& slice : slices(trace, "sample"))
    EXPECT_EQ(slice["args"].contains("median of samples"), slice["pid"] == 2);
}

TEST(TraceCommand, WritesTheCasesAskedFor) {
  const auto out = fresh_folder();
  const auto record_path = counted_record(out);
  const record r = read_record(record_path);
  const auto file = out / "trace.json";
  const auto made = test_support::run_ablate(
      {"dev", "trace", record_path.string(), "variant=merged", "layout=rows", "--out", file.string()});
  ASSERT_EQ(made.exit_code, 0) << made.error;
  EXPECT_THAT(made.out, HasSubstr("280 samples of 7 cases"));
  for (const ordered_json& slice : slices(ordered_json::parse(text_of(file)), "sample")) {
    EXPECT_EQ(slice["args"]["variant"], "merged");
    EXPECT_EQ(slice["args"]["layout"], "rows");
  }
  const auto none = test_support::run_ablate(
      {"dev", "trace", record_path.string(), "variant=mergd", "--out", file.string()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.error, HasSubstr("did you mean 'merged'?"));
}

}  // namespace
}  // namespace ablate::reports::trace_test
