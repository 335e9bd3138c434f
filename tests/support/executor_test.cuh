#pragma once

#include <string>

#include "harness/registry/registry.h"
#include "harness/runner/cuda_executor.cuh"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"

namespace ablate::test_support {

/// Tests of single cases as a run measures them on the first GPU.
class executor_test : public gpu_test {
 protected:
  static suite_case case_of(const std::string& operation, const std::string& variant, const axis_values& axes,
                            cache_state state = cache_state::cold_clean) {
    suite_case c;
    c.operation = find_operation(operation);
    c.variant = c.operation->find_variant(variant);
    c.axes = axes;
    c.state = state;
    c.id = operation + "/" + variant;
    for (const auto& [name, value] : axes) c.id += "/" + name + "=" + value;
    c.id += "/@" + std::string(to_string(state));
    return c;
  }

  measurement run(const suite_case& c, const profiling_request& wanted = {}) const {
    return make_cuda_executor(0, wanted)->run(c, c.operation->prepare(c.axes, inputs_), inputs_, rule_);
  }

  /// The one launch for a profiler is right, and of so many kernels.
  void expect_launch_of(const suite_case& c, std::size_t kernels) const {
    const auto launched =
        make_cuda_executor(0, {})->launch_once(c, c.operation->prepare(c.axes, inputs_), inputs_);
    EXPECT_EQ(launched.at("output"), "ok");
    EXPECT_EQ(launched.at("kernels").size(), kernels);
  }

  /// Counted passes leave the right output and see so many kernels; skips, with the reason, where nothing can
  /// be counted.
  void expect_counters_of(suite_case c, std::size_t kernels) const {
    c.protocol.observed->counters = "core,atomics";
    const measurement m = run(c, {.counters = true});
    ASSERT_EQ(m.status, "ok") << m.reason;
    const counter_readings& counters = m.facts.counters;
    if (!counters.reason.empty()) ABLATE_LACKS("counters", counters.reason);
    EXPECT_EQ(counters.output, "ok");
    EXPECT_EQ(counters.kernels.size(), kernels);
  }

  input_library inputs_{1, {}, {}};
  sampling rule_{.maximum_samples = 100};
};

}  // namespace ablate::test_support
