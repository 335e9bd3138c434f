// Lines that a kernel asks L2 to keep are as cold after a flush as any other. How cold is measured by the
// latency of dependent loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "harness/device/l2_flush.cuh"
#include "harness/device/l2_persistence.cuh"
#include "harness/inputs/random.h"
#include "harness/timing/gpu_timing.cuh"
#include "harness/timing/statistics.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/device/l2_flush_kernels.cuh"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"

namespace ablate::l2_flush_test {

class L2Flush : public test_support::gpu_test {
 protected:
  static constexpr unsigned lines = 32768, steps = 8192;

  void SetUp() override {
    test_support::gpu_test::SetUp();
    if (IsSkipped()) return;
    limits_ = {properties().multiProcessorCount, properties().sharedMemPerBlockOptin};
    made_stream_.emplace();
    before_.emplace();
    memory_ = device_memory(sizeof(line) * lines);
    sum_ = device_memory(sizeof(unsigned));
    cycles_ = device_memory(sizeof(float));
    traffic_ = device_memory(2 * static_cast<std::size_t>(properties().l2CacheSize));
    make_chain();
  }

  void TearDown() override {
    if (before_) before_->restore(stream());
  }

  void make_chain() const {
    std::vector<unsigned> order(lines);
    std::iota(order.begin(), order.end(), 0u);
    random_stream random(1, "chain");
    for (unsigned i = lines - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    std::vector<line> chain(lines);
    for (unsigned i = 0; i < lines; ++i) chain[order[i]].next = order[(i + 1) % lines];
    ABLATE_CUDA_CHECK(cudaMemcpy(memory_.address(), chain.data(), memory_.bytes(), cudaMemcpyHostToDevice));
  }

  const line* chain() const { return static_cast<const line*>(memory_.address()); }

  void read(bool keeps) const {
    launcher to(stream(), limits_);
    for (int i = 0; i < 3; ++i)
      launch(to, read_lines, dim3(256), dim3(128), 0, chain(), lines, keeps,
             static_cast<unsigned*>(sum_.address()));
  }

  /// Makes the lines of all loads of the chain persist, when launched on the stream.
  void set_window() const {
    ABLATE_CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize,
                                         static_cast<std::size_t>(properties().persistingL2CacheMaxSize)));
    cudaStreamAttrValue window{};
    window.accessPolicyWindow.base_ptr = memory_.address();
    window.accessPolicyWindow.num_bytes = memory_.bytes();
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    ABLATE_CUDA_CHECK(cudaStreamSetAttribute(stream(), cudaLaunchAttributeAccessPolicyWindow, &window));
  }

  void pin() const {
    set_window();
    read(false);
  }

  /// Twice the size of L2 written, then read: a flush that lets go of no line.
  void evict_ordinary_lines() const {
    ABLATE_CUDA_CHECK(cudaMemsetAsync(traffic_.address(), 1, traffic_.bytes(), stream()));
    launcher to(stream(), limits_);
    launch(to, read_words, dim3(1024), dim3(512), 0, static_cast<const uint4*>(traffic_.address()),
           traffic_.bytes() / sizeof(uint4), static_cast<unsigned*>(sum_.address()));
  }

  void flush() const { l2_flush(static_cast<std::size_t>(properties().l2CacheSize)).enqueue(stream()); }

  float latency() const {
    launcher to(stream(), limits_);
    launch(to, follow_chain, dim3(1), dim3(1), 0, chain(), steps, static_cast<float*>(cycles_.address()),
           static_cast<unsigned*>(sum_.address()));
    float cycles = 0;
    ABLATE_CUDA_CHECK(
        cudaMemcpyAsync(&cycles, cycles_.address(), sizeof cycles, cudaMemcpyDeviceToHost, stream()));
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream()));
    return cycles;
  }

  float hot() const {
    read(false);
    return latency();
  }
  float cold() const {
    read(false);
    flush();
    return latency();
  }

  cudaStream_t stream() const { return *made_stream_; }

  device_limits limits_;
  std::optional<ablate::stream> made_stream_;
  std::optional<l2_persistence> before_;
  device_memory memory_, sum_, cycles_, traffic_;
};

TEST_F(L2Flush, LetsGoOfLinesThatAWindowOfTheStreamKeeps) {
  if (properties().persistingL2CacheMaxSize < static_cast<int>(memory_.bytes()))
    ABLATE_LACKS("l2_set_aside", "no part of this L2 can be set aside");
  latency();  // loads the code
  const float hot_cycles = hot(), cold_cycles = cold(), between = (hot_cycles + cold_cycles) / 2;
  ASSERT_GT(cold_cycles, 1.2f * hot_cycles);
  pin();
  evict_ordinary_lines();
  EXPECT_LT(latency(), between) << "lines stay, or this test shows nothing; hot " << hot_cycles << ", cold "
                                << cold_cycles;
  pin();
  flush();
  EXPECT_GT(latency(), between) << "hot " << hot_cycles << ", cold " << cold_cycles;
}

TEST_F(L2Flush, EvictsLinesThatLoadsAskToEvictLast) {
  latency();
  const float hot_cycles = hot(), cold_cycles = cold(), between = (hot_cycles + cold_cycles) / 2;
  read(true);
  flush();
  EXPECT_GT(latency(), between) << "hot " << hot_cycles << ", cold " << cold_cycles;
}

TEST_F(L2Flush, ColdTimesOfAKernelThatKeepsItsInputAreCold) {
  if (properties().persistingL2CacheMaxSize < static_cast<int>(memory_.bytes()))
    ABLATE_LACKS("l2_set_aside", "no part of this L2 can be set aside");
  const l2_flush flush(static_cast<std::size_t>(properties().l2CacheSize));
  const auto median_us = [&](bool pins) {
    // Before the samples: changing the limit waits for the device, and a region that waits is not timed at
    // all.
    if (pins) set_window();
    const timed_region region{.launches = {[&](launcher& to) {
                                launch(to, follow_chain, dim3(1), dim3(1), 0, chain(), steps,
                                       static_cast<float*>(cycles_.address()),
                                       static_cast<unsigned*>(sum_.address()));
                              }}};
    return summarize(time_cold_clean(region, stream(), limits_, flush, {.maximum_samples = 30}).samples_us)
        .median;
  };
  const double plain = median_us(false), pinned = median_us(true);
  EXPECT_GT(pinned, 0.9 * plain);
}

TEST_F(L2Flush, WhatACaseSetAsideIsTakenBack) {
  if (properties().persistingL2CacheMaxSize == 0)
    ABLATE_LACKS("l2_set_aside", "no part of this L2 can be set aside");
  const std::size_t first = l2_set_aside();
  set_window();
  ASSERT_GT(l2_set_aside(), first);
  before_->restore(stream());
  EXPECT_EQ(l2_set_aside(), first);
  cudaStreamAttrValue window{};
  ABLATE_CUDA_CHECK(cudaStreamGetAttribute(stream(), cudaLaunchAttributeAccessPolicyWindow, &window));
  EXPECT_EQ(window.accessPolicyWindow.num_bytes, 0u);
}

}  // namespace ablate::l2_flush_test
