// The timers against what is known: a kernel that lasts as long as it is told to, a buffer that fits into L2,
// the same kernel again.
#include "harness/timing/gpu_timing.cuh"

#include <chrono>
#include <thread>

#include "harness/timing/spin.cuh"
#include "harness/timing/statistics.h"
#include "kernels/common/kernel_launch.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/timing/gpu_timing_kernels.cuh"
#include "tests/support/gpu.cuh"

namespace ablate::gpu_timing_test {
namespace {

class GpuTiming : public test_support::gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    limits_ = {properties().multiProcessorCount, properties().sharedMemPerBlockOptin};
  }

  timed_region read_of(const device_memory& buffer, const device_memory& sum) const {
    return {{[&](launcher& to) {
              launch(to, sum_words, dim3(4 * limits_.multiprocessors), dim3(512), 0,
                     static_cast<const uint4*>(buffer.address()), buffer.bytes() / sizeof(uint4),
                     static_cast<unsigned*>(sum.address()));
            }},
            {}};
  }

  double cold_us(const timed_region& region, const stream& on) const {
    const l2_flush flush(properties().l2CacheSize);
    return summarize(time_cold_clean(region, on, limits_, flush, rule_).samples_us).median;
  }
  double hot_us(const timed_region& region, const stream& on) const {
    return summarize(time_graph_batches(region, on, limits_, rule_).samples_us).median;
  }

  timed by_host(const timed_region& region, const stream& on, bool as_graph) const {
    const l2_flush flush(properties().l2CacheSize);
    return time_on_host_clock(region, on, limits_, flush, as_graph, rule_);
  }

  device_limits limits_;
  sampling rule_;
};

TEST_F(GpuTiming, StampsCountTheClockThatAKernelOfKnownCyclesRunsAt) {
  const stream on;
  clock_stamps stamps(1, limits_.multiprocessors);
  EXPECT_FALSE(stamps.counted(on).mhz()) << "nothing was stamped";
  constexpr long long cycles =
      20'000'000;  // 10 ms, so that a host that is late by 10 us moves the clock by 0.1 %
  event start, stop;
  enqueue_spin_cycles(on, 1);  // a kernel's first launch loads it, which must not be between the events
  stamps.before(on, 0);
  ABLATE_CUDA_CHECK(cudaEventRecord(start, on));
  enqueue_spin_cycles(on, cycles);
  ABLATE_CUDA_CHECK(cudaEventRecord(stop, on));
  stamps.after(on, 0);
  const auto mhz = stamps.counted(on).mhz();
  ASSERT_TRUE(mhz);
  EXPECT_NEAR(*mhz, cycles / elapsed_us(start, stop), 0.01 * *mhz);
  EXPECT_FALSE(stamps.counted(on).mhz()) << "each stamp counts once";
}

TEST_F(GpuTiming, WaitsForASteadyClockAndTimesTheSame) {
  const stream on;
  const l2_flush flush(properties().l2CacheSize);
  constexpr double known_us = 1000;
  const timed_region region{{[&](launcher&) { enqueue_spin(on, 1000 * 1000); }}, {}};
  const clock_wait wait{5, 700, [] { return device_load{100, std::vector<std::string>{}}; }};
  const timed cold = time_cold_clean(region, on, limits_, flush, rule_, &wait);
  const timed batches = time_graph_batches(region, on, limits_, rule_, &wait);
  const timed host = time_on_host_clock(region, on, limits_, flush, false, rule_, &wait);
  for (const timed& result : {cold, batches, host}) {
    EXPECT_NEAR(summarize(result.samples_us).median, known_us, 0.02 * known_us) << result.method;
    ASSERT_TRUE(result.clock) << result.method;
    EXPECT_TRUE(result.clock->steady) << result.method;
    EXPECT_GT(result.clock->sm_mhz.value().median, 200) << result.method;
    EXPECT_LT(result.clock->seconds, 3) << result.method;
  }
  EXPECT_FALSE(time_cold_clean(region, on, limits_, flush, rule_).clock);
}

TEST_F(GpuTiming, DropsABatchThatTheHostEnqueuedTooLate) {
  const stream on;
  constexpr double known_us = 100;
  constexpr auto late = std::chrono::milliseconds(2);  // a batch lasts half a millisecond
  timed_region region{{[&](launcher&) { enqueue_spin(on, 100 * 1000); }}, {}};
  region.at_end = [&](cudaStream_t) { std::this_thread::sleep_for(late); };
  EXPECT_NEAR(hot_us(region, on), known_us, 0.02 * known_us);
}

TEST_F(GpuTiming, MeasuresAKernelOfKnownDurationWithinOnePercent) {
  const stream on;
  constexpr double known_us = 1000;
  const timed_region region{{[&](launcher&) { enqueue_spin(on, 1000 * 1000); }}, {}};
  EXPECT_NEAR(cold_us(region, on), known_us, 0.01 * known_us);
  // A graph cannot be captured from another launch than the region's own stream gives it; it is the same
  // stream.
  EXPECT_NEAR(hot_us(region, on), known_us, 0.01 * known_us);
}

TEST_F(GpuTiming, SeesAnL2ResidentBufferFasterHotThanColdClean) {
  const stream on;
  const device_memory buffer(16 << 20), sum(4);
  ASSERT_EQ(cudaMemset(buffer.address(), 1, buffer.bytes()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const timed_region region = read_of(buffer, sum);
  const double cold = cold_us(region, on), hot = hot_us(region, on);
  RecordProperty("cold_us", std::to_string(cold));
  RecordProperty("hot_us", std::to_string(hot));
  EXPECT_GE(cold / hot, 1.3) << "cold " << cold << " us, hot " << hot << " us";
}

TEST_F(GpuTiming, RotatingOverMoreThanL2IsSlowerThanHot) {
  const stream on;
  std::vector<device_memory> buffers;
  const device_memory sum(4);
  timed_region rotating;
  for (int i = 0; i < 16; ++i) {
    buffers.emplace_back(16 << 20);
    ASSERT_EQ(cudaMemset(buffers.back().address(), 1, buffers.back().bytes()), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const device_memory& buffer : buffers)
    rotating.launches.push_back(read_of(buffer, sum).launches.front());
  EXPECT_GE(hot_us(rotating, on) / hot_us(read_of(buffers.front(), sum), on), 1.2);
}

TEST_F(GpuTiming, WhatGoesAheadFollowsTheResetAndPrecedesEveryLaunch) {
  const stream on;
  std::string order;
  const timed_region region{{[&](launcher&) { order += 'l'; }},
                            [&](cudaStream_t) { order += 'r'; },
                            [&](launcher&) { order += 'a'; }};
  const l2_flush flush(properties().l2CacheSize);
  const timed result = time_cold_clean(region, on, limits_, flush, rule_);
  ASSERT_EQ(order.size() % 3, 0u);
  EXPECT_GE(order.size() / 3, result.samples_us.size() + static_cast<std::size_t>(result.warmup_launches));
  for (std::size_t i = 0; i < order.size(); i += 3)
    ASSERT_EQ(order.substr(i, 3), "ral") << "launch " << i / 3;
  EXPECT_THROW(time_graph_batches(region, on, limits_, rule_), std::logic_error);
}

TEST_F(GpuTiming, LongLaunchesAreNoMoreThanTheRuleNeeds) {
  const stream on;
  int launches = 0;
  const timed_region region{{[&](launcher&) {
                              enqueue_spin(on, 250 * 1000 * 1000);
                              ++launches;
                            }},
                            {}};
  const l2_flush flush(properties().l2CacheSize);
  sampling rule = rule_;
  rule.minimum_samples = 2;
  rule.maximum_seconds = 0.1;
  const timed result = time_cold_clean(region, on, limits_, flush, rule);
  EXPECT_EQ(result.warmup_launches, 2);
  EXPECT_EQ(result.samples_us.size(), 2u);
  EXPECT_EQ(launches, 4);
  EXPECT_NEAR(summarize(result.samples_us).median, 250e3, 0.01 * 250e3);
}

// Calls, launches and the waiting for their end come on top: some microseconds.
constexpr double max_host_us = 100;

TEST_F(GpuTiming, TheHostsClockSeesAllOfARegion) {
  const stream on;
  constexpr double known_us = 1000;
  const timed_region region{{[&](launcher&) { enqueue_spin(on, 1000 * 1000); }}, {}};
  for (const bool as_graph : {false, true}) {
    const timed result = by_host(region, on, as_graph);
    EXPECT_EQ(result.method, as_graph ? "host_clock_graph" : "host_clock");
    EXPECT_GE(result.samples_us.size(), 30u);
    const double median = summarize(result.samples_us).median;
    EXPECT_GE(median, 0.99 * known_us) << result.method;
    EXPECT_LE(median, known_us + max_host_us) << result.method;
  }
}

TEST_F(GpuTiming, TheHostsClockSeesWhatTheHostWaitsForInARegion) {
  const stream on;
  const device_memory word(sizeof(int));
  ASSERT_EQ(cudaMemset(word.address(), 7, word.bytes()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  int launches = 0, wrong = 0;
  const timed_region region{{[&](launcher& to) {
                              enqueue_spin(on, 300 * 1000);
                              wrong += to.read(static_cast<const int*>(word.address()), 0) != 0x07070707;
                              enqueue_spin(on, 300 * 1000);
                              ++launches;
                            }},
                            {}};
  const timed result = by_host(region, on, false);
  const double median = summarize(result.samples_us).median;
  EXPECT_GE(median, 0.99 * 600);
  EXPECT_LE(median, 600 + 2 * max_host_us);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(static_cast<std::size_t>(launches),
            result.samples_us.size() + static_cast<std::size_t>(result.warmup_launches));
}

TEST_F(GpuTiming, AGraphCannotWaitForTheHost) {
  const stream on;
  const device_memory word(sizeof(int));
  ASSERT_EQ(cudaMemset(word.address(), 0, word.bytes()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const timed_region region{{[&](launcher& to) { to.read(static_cast<const int*>(word.address()), 0); }}, {}};
  EXPECT_THROW(by_host(region, on, true), launch_error);
  cudaGetLastError();
  EXPECT_GE(by_host(region, on, false).samples_us.size(), 30u);
}

TEST_F(GpuTiming, TheHostsClockSeesNeitherResetNorWhatGoesAhead) {
  const stream on;
  std::string order;
  const timed_region region{{[&](launcher&) { order += 'l'; }},
                            [&](cudaStream_t) { order += 'r'; },
                            [&](launcher&) {
                              enqueue_spin(on, 1000 * 1000);
                              order += 'a';
                            }};
  const timed result = by_host(region, on, false);
  EXPECT_LE(summarize(result.samples_us).median, max_host_us);
  ASSERT_EQ(order.size() % 3, 0u);
  for (std::size_t i = 0; i < order.size(); i += 3)
    ASSERT_EQ(order.substr(i, 3), "ral") << "launch " << i / 3;
}

TEST_F(GpuTiming, DropsNoSampleSilently) {
  const stream on;
  const timed_region nothing{{[](launcher&) {}}, {}};
  const l2_flush flush(properties().l2CacheSize);
  const timed result = time_cold_clean(nothing, on, limits_, flush, rule_);
  EXPECT_GE(result.samples_us.size(), 30u);
  EXPECT_EQ(result.method, "events");
}

}  // namespace
}  // namespace ablate::gpu_timing_test
