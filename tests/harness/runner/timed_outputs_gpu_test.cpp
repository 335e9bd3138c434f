// Kernels that are right when they are checked before timing, and wrong or idle later: each must be found
// out, with the launches that were wrong.
#include <gtest/gtest.h>

#include <numeric>

#include "harness/registry/define.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/runner/timed_outputs_kernels.cuh"
#include "tests/support/capability.h"
#include "tests/support/executor_test.cuh"

namespace ablate::timed_outputs_test {

using test_support::executor_test;

struct faulty_problem {
  bool adds = false;  ///< to the contents of `out`
  region_clock clock = region_clock::device;
  const unsigned* in = nullptr;
  unsigned* out = nullptr;
  unsigned* queue = nullptr;  ///< one word: 0, or the work is taken
};

/// The harness has asked for figures of the output: nothing but counters and timelines follows.
bool figures_were_taken = false;
const unsigned* first_out = nullptr;

bool is_captured(launcher& to) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  to.call("nothing", [&](cudaStream_t stream) { cudaStreamIsCapturing(stream, &status); });
  return status != cudaStreamCaptureStatusNone;
}

fault fault_of(launcher& to, const faulty_problem& p, const std::string& word) {
  constexpr unsigned always = 0, after_some = 3;
  if (!first_out) first_out = p.out;
  if (word == "late") return {.wrong_from = after_some};
  if (word == "idle_later") return {.idle_from = after_some};
  if (word == "drains") return {.drains = true};
  const bool now = (word == "other_sets" && p.out != first_out) ||
                   (word == "in_a_graph" && is_captured(to)) || (word == "profiled" && figures_were_taken);
  return {.wrong_from = now ? always : ~0u};
}

void launch_faulty(launcher& to, const faulty_problem& p, const switches& s) {
  const fault f = fault_of(to, p, s.word("fault"));
  launch(to, double_numbers, dim3(blocks_for(numbers, 256)), dim3(256), 0, p.in, p.out, p.queue, p.adds, f);
  launch(to, count_launch, dim3(1), dim3(1), 0, p.queue);
}

workload doubling_workload() {
  const auto in = std::make_shared<std::vector<unsigned>>(numbers);
  std::iota(in->begin(), in->end(), 1u);
  workload w;
  w.contents = {std::as_bytes(std::span(*in)), {}, {}};
  w.check = [](std::span<const std::byte* const> out) -> check_result {
    for (unsigned i = 0; i < numbers; ++i)
      if (reinterpret_cast<const unsigned*>(out[1])[i] != 2 * (i + 1))
        return {false, "number " + std::to_string(i) + " differs", 1};
    return {.ok = true, .max_error = 0.25, .accepted_error = 0.5};
  };
  w.quality = [](std::span<const std::byte* const>) {
    figures_were_taken = true;
    return nlohmann::ordered_json::object();
  };
  w.input = {{"hash", "0123456789abcdef"}};
  w.storage = in;
  return w;
}

const bool faulty_is_defined = define<faulty_problem>(
    {.name = "made_faulty",
     .description = "numbers doubled, by kernels that do not always do so",
     .axes = {axis::of_words("out", {"written", "added_to"}, "what a launch does to the outputs"),
              axis::of_words("host", {"absent", "waits", "graph"}, "whose clock times")},
     .baseline = "none",
     .problem =
         [](const axis_values& at, const input_library&) {
           const std::string& host = at.word("host");
           return faulty_problem{.adds = at.word("out") == "added_to",
                                 .clock = host == "absent"  ? region_clock::device
                                          : host == "waits" ? region_clock::host
                                                            : region_clock::host_graph};
         },
     .buffers =
         [](faulty_problem& p) {
           return bound_buffers{bind("in", p.in, 4 * numbers),
                                bind("out", p.out, 4 * numbers, buffer_role::output,
                                     p.adds ? buffer_reset::zeros : buffer_reset::poison),
                                bind("queue", p.queue, 4, buffer_role::scratch, buffer_reset::zeros)};
         },
     .prepare = [](const faulty_problem&, const axis_values&,
                   const input_library&) { return doubling_workload(); },
     .clock = [](const faulty_problem& p) { return p.clock; },
     .variants = {{"none", launch_faulty, {{"fault", "none"}}, "right always"},
                  {"late", launch_faulty, {{"fault", "late"}}, "wrong from the fourth launch on"},
                  {"idle_later", launch_faulty, {{"fault", "idle_later"}}, "idle from the fourth launch on"},
                  {"drains", launch_faulty, {{"fault", "drains"}}, "idle until its queue is reset"},
                  {"other_sets", launch_faulty, {{"fault", "other_sets"}}, "right in one set of buffers"},
                  {"in_a_graph", launch_faulty, {{"fault", "in_a_graph"}}, "wrong in a graph"},
                  {"profiled", launch_faulty, {{"fault", "profiled"}}, "wrong while profiled"}}});

namespace {

class TimedOutputs : public executor_test {
 protected:
  static suite_case faulty(const std::string& variant, cache_state state = cache_state::cold_clean,
                           const std::string& out = "written", const std::string& host = "absent") {
    return case_of("made_faulty", variant, {{"out", out}, {"host", host}}, state);
  }

  measurement measured(const suite_case& c, const profiling_request& wanted = {}) const {
    EXPECT_EQ(forget_launches(), cudaSuccess);
    figures_were_taken = false;
    first_out = nullptr;
    return run(c, wanted);
  }

  void expect_wrong(const suite_case& c, const std::string& when) const {
    const measurement m = measured(c);
    EXPECT_EQ(m.status, "wrong") << c.id;
    EXPECT_TRUE(m.reason.starts_with(when)) << c.id << ": " << m.reason;
  }
};

constexpr auto cold = cache_state::cold_clean, hot = cache_state::hot, rotating = cache_state::rotating;
const std::string batches_again = "timed launches again on cleared outputs";
const std::string once_more = "one launch on cleared outputs, after the timed ones";

TEST_F(TimedOutputs, ThatAreRightAreSaidToHaveBeenCompared) {
  for (const cache_state state : {cold, hot, rotating})
    for (const std::string out : {"written", "added_to"}) {
      const measurement m = measured(faulty("none", state, out));
      ASSERT_EQ(m.status, "ok") << to_string(state) << ", " << out << ": " << m.reason;
      const measured_case::output_check& check = m.facts.check;
      EXPECT_EQ(check.timed, state != cold && out == "added_to" ? "accumulated" : "ok");
      EXPECT_EQ(check.max_error, 0.25);
      EXPECT_EQ(check.accepted_error, 0.5);
      EXPECT_EQ(check.changed_share, 0);
    }
}

TEST_F(TimedOutputs, ThatAreWrongFromSomeLaunchOnAreFound) {
  for (const cache_state state : {cold, hot, rotating}) expect_wrong(faulty("late", state), "timed launches");
  for (const char* host : {"waits", "graph"})
    expect_wrong(faulty("late", cold, "written", host), "timed launches: number 0 differs");
  for (const cache_state state : {hot, rotating}) expect_wrong(faulty("late", state, "added_to"), once_more);
}

TEST_F(TimedOutputs, OfLaunchesThatWriteNothingAreNotTakenForRight) {
  expect_wrong(faulty("idle_later"), "timed launches: number 0 differs");
  for (const char* host : {"waits", "graph"})
    expect_wrong(faulty("idle_later", cold, "written", host), "timed launches: number 0 differs");
  expect_wrong(faulty("idle_later", hot), batches_again + ": number 0 differs");
  expect_wrong(faulty("idle_later", rotating), "timed launches");
  expect_wrong(faulty("idle_later", hot, "added_to"), once_more);
}

TEST_F(TimedOutputs, OfADrainedQueueAreFoundWhereItIsNotResetBetweenLaunches) {
  EXPECT_EQ(measured(faulty("drains")).status, "ok") << "reset before every sample";
  for (const cache_state state : {hot, rotating}) expect_wrong(faulty("drains", state), batches_again);
  expect_wrong(faulty("drains", hot, "added_to"), once_more);
}

TEST_F(TimedOutputs, OfEverySetOfBuffersAreCompared) {
  expect_wrong(faulty("other_sets", rotating), "timed launches, set 2 of ");
  expect_wrong(faulty("other_sets", rotating, "added_to"), once_more + ", set 2 of ");
  EXPECT_EQ(measured(faulty("other_sets", hot)).status, "ok") << "there is one set";
}

TEST_F(TimedOutputs, OfAGraphAreCompared) {
  expect_wrong(faulty("in_a_graph", hot), "timed launches: number 0 differs");
  expect_wrong(faulty("in_a_graph", rotating), "timed launches, set 1 of ");
  expect_wrong(faulty("in_a_graph", cold, "written", "graph"), "timed launches: number 0 differs");
  expect_wrong(faulty("in_a_graph", hot, "added_to"), once_more);
  EXPECT_EQ(measured(faulty("in_a_graph", cold)).status, "ok") << "no graph there";
}

TEST_F(TimedOutputs, WrongOnesUnderCountersMakeACaseWrong) {
  suite_case c = faulty("profiled");
  EXPECT_EQ(measured(c).status, "ok") << "nothing is read";
  c.protocol.observed->counters = "core";
  const measurement m = measured(c, {.counters = true});
  if (m.status == "ok" && !m.facts.counters.reason.empty()) ABLATE_LACKS("counters", m.facts.counters.reason);
  EXPECT_EQ(m.status, "wrong");
  EXPECT_TRUE(m.reason.starts_with("while counters of group '") &&
              m.reason.ends_with("' were read: number 0 differs"))
      << m.reason;
}

TEST_F(TimedOutputs, WrongOnesOfATimelineMakeACaseWrong) {
  suite_case c = faulty("profiled");
  c.protocol.observed->timeline = true;
  const measurement m = measured(c, {.timeline = true});
  if (m.status == "ok" && m.facts.timeline.is_absent())
    ABLATE_LACKS("counters", "PM sampling cannot be had here");
  EXPECT_EQ(m.status, "wrong");
  EXPECT_EQ(m.reason, "while a timeline was sampled: number 0 differs");
}

TEST_F(TimedOutputs, WrongOnesOfSampledForwardsMakeACaseWrong) {
  suite_case c = faulty("profiled");
  c.protocol.observed->sampled = true;
  const measurement m = measured(c, {.sampled = true});
  if (m.status == "ok" && !m.facts.sampled) ABLATE_LACKS("counters", m.facts.sampled_reason);
  EXPECT_EQ(m.status, "wrong");
  EXPECT_EQ(m.reason, "while forwards were sampled: number 0 differs");
}

/// Runs cases on one executor, and counts what the oracle is asked.
class OutputsOfOneWorkload : public TimedOutputs {
 protected:
  measurement run_next(const std::string& variant, cache_state state = cold) {
    if (!on_) {
      const suite_case c = faulty(variant);
      work_ = c.operation->prepare(c.axes, inputs_);
      work_.check = [this, check = work_.check](std::span<const std::byte* const> out) {
        ++asked_;
        return check(out);
      };
      on_ = make_cuda_executor(0, {});
    }
    EXPECT_EQ(forget_launches(), cudaSuccess);
    first_out = nullptr;
    on_->begin_workload(number_);
    return on_->run(faulty(variant, state), work_, inputs_, rule_);
  }

  std::uint64_t number_ = 1;
  workload work_;
  std::unique_ptr<executor> on_;
  int asked_ = 0;
};

TEST_F(OutputsOfOneWorkload, AreComparedWithThoseOfItsFirstVariant) {
  for (const cache_state state : {cold, hot, rotating}) {
    const measurement m = run_next("none", state);
    ASSERT_EQ(m.status, "ok") << m.reason;
    EXPECT_EQ(m.facts.check.max_error, 0.25);
    EXPECT_EQ(m.facts.check.changed_share, 0);
    EXPECT_GT(m.spent[case_phase::samples], 0);
  }
  EXPECT_EQ(asked_, 1);
  const measurement late = run_next("late");
  EXPECT_EQ(late.status, "wrong");
  EXPECT_EQ(late.reason, "timed launches: number 0 differs");
  EXPECT_EQ(run_next("idle_later").reason, "timed launches: number 0 differs");
  EXPECT_EQ(asked_, 3);
  EXPECT_EQ(run_next("none").status, "ok");
  EXPECT_EQ(asked_, 3);
}

TEST_F(OutputsOfOneWorkload, AreNotComparedWithThoseOfAnother) {
  EXPECT_EQ(run_next("none").status, "ok");
  number_ = 2;
  EXPECT_EQ(run_next("none").status, "ok");
  EXPECT_EQ(asked_, 2);
  number_ = 0;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run_next("none").status, "ok");
  EXPECT_EQ(asked_, 4) << "of what is not known to be one workload nothing is shared";
}

}  // namespace
}  // namespace ablate::timed_outputs_test
