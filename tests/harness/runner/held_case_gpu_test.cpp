// Calibrations that stay on the device, as the influence of neighbors is measured with them.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "harness/runner/neighbors.h"
#include "tests/support/executor_test.cuh"

namespace ablate::test_support::held_case_gpu_test {
namespace {

class HeldCase : public executor_test {
 protected:
  static suite_case ceiling(const char* variant, const char* resource, const char* footprint,
                            cache_state state) {
    suite_case c = case_of("ceilings", variant, {{"resource", resource}, {"footprint", footprint}}, state);
    c.protocol.observed.reset();
    return c;
  }

  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  }
};

TEST_F(HeldCase, TakesTheTimeOfARunEachTimeAndKeepsNoMemoryOfIt) {
  const auto on = make_cuda_executor(0, {});
  for (const suite_case& c : {ceiling("smallest_kernel", "launch", "fixed", cache_state::cold_clean),
                              ceiling("read_l2_vec16", "l2_bytes", "fixed", cache_state::hot),
                              ceiling("read_vec16", "dram_read_bytes", "fixed", cache_state::rotating),
                              ceiling("load_8", "random_read_sectors", "128MiB", cache_state::hot),
                              ceiling("fma_f32", "fma_f32_flops", "fixed", cache_state::hot)}) {
    const workload work = c.operation->prepare(c.axes, inputs_);
    const measurement run = on->run(c, work, inputs_, rule_);
    ASSERT_EQ(run.status, "ok") << run.reason;
    const double us = run.facts.time.median_us;
    const double near = us < 10 ? 0.15 : 0.05;  // a tick of the events is a hundredth of the shortest

    const auto held = on->hold(c, work, inputs_);
    EXPECT_NEAR(held->time_us(neighbor_sampling(rule_)) / us, 1, near) << c.id;
    const std::size_t left = free_bytes();
    int asked = 0;
    held->keep_busy(rule_, [&] { return ++asked == 3; });
    EXPECT_EQ(asked, 3) << c.id;
    EXPECT_NEAR(held->time_us(neighbor_sampling(rule_)) / us, 1, near) << c.id;
    EXPECT_GE(free_bytes() + (8 << 20), left)
        << c.id << " keeps memory of each time, but for the driver's own";
  }
}

TEST_F(HeldCase, SeveralAreHeldAtOnceAndLeaveTheDeviceToOthers) {
  const auto on = make_cuda_executor(0, {});
  const suite_case reads = ceiling("load_8", "random_read_sectors", "16MiB", cache_state::hot);
  suite_case sums = ceiling("read_l2_vec16", "l2_bytes", "fixed", cache_state::hot);
  const workload read_work = reads.operation->prepare(reads.axes, inputs_);
  const workload sum_work = sums.operation->prepare(sums.axes, inputs_);
  const auto first = on->hold(reads, read_work, inputs_), second = on->hold(sums, sum_work, inputs_);
  const double before_us = first->time_us(rule_);
  EXPECT_GT(second->time_us(rule_), 0);
  sums.protocol.observed.emplace();
  EXPECT_EQ(on->run(sums, sum_work, inputs_, rule_).status, "ok") << "a case beside what is held";
  EXPECT_NEAR(first->time_us(rule_) / before_us, 1, 0.05);
}

}  // namespace
}  // namespace ablate::test_support::held_case_gpu_test
