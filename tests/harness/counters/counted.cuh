#pragma once

#include <map>

#include "harness/counters/case_profiler.h"
#include "harness/device/cuda_memory.cuh"
#include "harness/device/l2_flush.cuh"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"

namespace ablate::test_support {

/// Skips its tests, with the reason, where there is no GPU or no access to its counters. One profiler serves
/// all of them, as one serves a run.
class counted_test : public gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    cudaFree(nullptr);
    if (profiler().why_not()) ABLATE_LACKS("counters", *profiler().why_not());
  }

  static case_profiler& profiler() {
    static case_profiler one(0, "");
    return one;
  }

  static bool on(const std::string& silicon) { return profiler().silicon() == silicon; }

  /// A record's counters of what `launch` does, which may be asynchronous.
  static counter_readings counted(
      const std::string& set, std::size_t kernels, const std::function<void()>& launch,
      const std::function<void()>& prepare = [] {}) {
    profiled_case c;
    for (std::size_t i = 0; i < kernels; ++i) c.kernels.push_back("kernel " + std::to_string(i));
    c.prepare = [&] {
      prepare();
      ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
    };
    c.launch = [&] {
      launch();
      ABLATE_CUDA_CHECK(cudaGetLastError());
      ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
    };
    c.expect_right_output = [](const std::string&) {};
    return profiler().collect(set, c);
  }

  /// Fails the test where the counter was not read.
  static double value(const counter_readings& counters, const std::string& metric) {
    if (const auto found = counters.value(metric)) return *found;
    ADD_FAILURE() << metric << " was not read: " << counters.reason;
    for (const auto& [name, why] : counters.missing) ADD_FAILURE() << name << ": " << why;
    return 0;
  }

  static void flush() {
    static const l2_flush one(static_cast<std::size_t>(properties().l2CacheSize));
    one.enqueue(nullptr);
  }
};

}  // namespace ablate::test_support
