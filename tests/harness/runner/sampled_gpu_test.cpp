// Forwards of known activity, sampled: what is idle counts, and is told apart.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "base/record/sampled.h"
#include "harness/counters/device_marks.cuh"
#include "harness/counters/sampled_ranges.h"
#include "harness/registry/define.h"
#include "harness/runner/executor.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/runner/sampled_kernels.cuh"
#include "tests/harness/runner/sevens.h"
#include "tests/support/capability.h"
#include "tests/support/executor_test.cuh"

namespace ablate::sampled_gpu_test {

using test_support::executor_test;

constexpr double kernel_us = 400, gap_us = 500;

struct gapped_problem {
  bool has_gap = false, is_narrow = false;
  region_clock clock = region_clock::device;
  unsigned* out = nullptr;
};

void wait_on_host() {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() <
         gap_us) {
  }
}

void launch_gapped(launcher& to, const gapped_problem& p, const switches&) {
  constexpr auto nanoseconds = static_cast<unsigned long long>(1000 * kernel_us);
  const auto multiprocessors = static_cast<unsigned>(to.device().multiprocessors);
  launch(to, occupy, dim3(p.is_narrow ? 1 : multiprocessors), dim3(32), 0, p.out, nanoseconds);
  if (!p.has_gap) return;
  to.read(p.out, 7u);
  if (!to.only_describes()) wait_on_host();
  launch(to, occupy, dim3(multiprocessors), dim3(32), 0, p.out, nanoseconds);
}

const bool gapped_is_defined = define<gapped_problem>(
    {.name = "made_gapped",
     .description = "every multiprocessor occupied, or one, with a gap or without",
     .axes = {axis::of_words("region", {"whole", "narrow", "gap", "graph"},
                             "what is launched, by which clock")},
     .baseline = "plain",
     .problem =
         [](const axis_values& at, const input_library&) {
           const std::string& region = at.word("region");
           return gapped_problem{.has_gap = region == "gap",
                                 .is_narrow = region == "narrow",
                                 .clock = region == "gap"     ? region_clock::host
                                          : region == "graph" ? region_clock::host_graph
                                                              : region_clock::device};
         },
     .buffers =
         [](gapped_problem& p) {
           return bound_buffers{bind("out", p.out, 4, buffer_role::output, buffer_reset::poison)};
         },
     .prepare = [](const gapped_problem&, const axis_values&, const input_library&) { return sevens(); },
     .clock = [](const gapped_problem& p) { return p.clock; },
     .variants = {{"plain", launch_gapped, {}, "one after the other"}}});

namespace {

class SamplesOfActivity : public executor_test {
 protected:
  /// What was sampled; nothing, with the test skipped, where that cannot be.
  std::optional<sampled_activity> sampled(const std::string& region, measured_case* facts = nullptr) {
    suite_case c = case_of("made_gapped", "plain", {{"region", region}});
    c.protocol.observed->sampled = true;
    c.protocol.observed->counters = "core";
    rule_.maximum_samples = 10;
    const measurement m = run(c, {.counters = true, .sampled = true});
    EXPECT_EQ(m.status, "ok") << m.reason;
    if (m.status != "ok") return std::nullopt;
    if (facts) *facts = m.facts;
    why_ = m.facts.sampled_reason;
    return m.facts.sampled;
  }

  std::string why_;
};

TEST_F(SamplesOfActivity, AKernelOnAllMultiprocessorsHasNoGaps) {
  for (const char* region : {"whole", "graph"}) {
    measured_case facts;
    const auto s = sampled(region, &facts);
    if (!s) ABLATE_LACKS("counters", why_);
    EXPECT_EQ(s->ranges, 12);
    EXPECT_GE(s->range_us, kernel_us);
    EXPECT_NEAR(s->busy_share, kernel_us / s->range_us, 0.05) << region;
    EXPECT_NEAR(find_activity(s->without_gaps, "sm_active_pct").value(), 100, 6) << region;
    EXPECT_EQ(find_activity(s->mean, "tensor_pct"), 0) << region;
    EXPECT_LT(std::abs(s->cost_pct.value()), 5) << region;
    // Counters of the kernel alone say the same.
    if (const auto active = facts.counters.value("sm__cycles_active.avg.pct_of_peak_sustained_elapsed")) {
      EXPECT_NEAR(find_activity(s->without_gaps, "sm_active_pct").value(), *active, 6) << region;
    }
  }
}

TEST_F(SamplesOfActivity, TheHostsGapsCount) {
  const auto s = sampled("gap");
  if (!s) ABLATE_LACKS("counters", why_);
  EXPECT_GE(s->range_us, 2 * kernel_us + gap_us);
  const double busy = 2 * kernel_us / s->range_us;
  EXPECT_NEAR(s->busy_share, busy, 0.05);
  EXPECT_NEAR(find_activity(s->mean, "sm_active_pct").value(), 100 * busy, 6);
  EXPECT_NEAR(find_activity(s->without_gaps, "sm_active_pct").value(), 100, 8);
}

TEST_F(SamplesOfActivity, OneBusyMultiprocessorIsNoGap) {
  const auto s = sampled("narrow");
  if (!s) ABLATE_LACKS("counters", why_);
  EXPECT_NEAR(s->busy_share, kernel_us / s->range_us, 0.05);
  EXPECT_LT(find_activity(s->mean, "sm_active_pct").value(), 5);
}

TEST_F(SamplesOfActivity, AnotherPartOfTheProgramIsSampledByItsStamps) {
  std::unique_ptr<device_sampler> sampler;
  try {
    sampler = find_cuda_backend()->make_sampler(0);
  } catch (const counters_unavailable& why) {
    ABLATE_LACKS("counters", why.what());
  }
  const device_marks marks(0, 2 * forwards_a_round);
  const device_memory out(sizeof(unsigned));
  launcher to(nullptr, {properties().multiProcessorCount, properties().sharedMemPerBlockOptin});
  const auto run_alone = [&] {
    for (std::size_t i = 0; i < forwards_a_round; ++i) {
      marks.enqueue_stamp(nullptr, 2 * i);
      launch(to, occupy, dim3(1), dim3(32), 0, static_cast<unsigned*>(out.address()),
             static_cast<unsigned long long>(1000 * kernel_us));
      marks.enqueue_stamp(nullptr, 2 * i + 1);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
    const std::vector<std::uint64_t> at = marks.stamps();
    std::vector<device_range> ranges;
    for (std::size_t i = 0; i < at.size(); i += 2) ranges.push_back({at[i], at[i + 1]});
    return ranges;
  };
  try {
    const auto json = to_json(sampled_of(sampler->keys(), sample_forwards(*sampler, run_alone)));
    EXPECT_NEAR(json.at("busy_share").get<double>(), kernel_us / json.at("range_us").get<double>(), 0.05);
  } catch (const counters_unavailable& why) {
    ABLATE_LACKS("counters", why.what());
  }
}

}  // namespace
}  // namespace ablate::sampled_gpu_test
