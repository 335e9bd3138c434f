// Reads by the host and work of libraries, as a launcher does and describes them on a GPU: what is read is
// what was launched before; a library's kernels are known by name, and are counted one by one.
#include <algorithm>

#include "harness/device/cuda_memory.cuh"
#include "harness/registry/define.h"
#include "harness/runner/cuda_executor.cuh"
#include "harness/timing/spin.cuh"
#include "kernels/common/kernel_launch.h"
#include "kernels/common/launch.cuh"
#include "tests/kernels/common/launcher_kernels.cuh"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"

namespace ablate::test_support {

std::vector<unsigned> unsorted_keys() {
  std::vector<unsigned> keys(sorted_keys);
  for (unsigned i = 0; i < sorted_keys; ++i) keys[i] = (i + 1) * 2654435769u;
  return keys;
}

std::vector<unsigned> keys_in_order() {
  std::vector<unsigned> keys = unsorted_keys();
  std::sort(keys.begin(), keys.end());
  return keys;
}

workload sorting_workload() {
  const auto keys = std::make_shared<std::vector<unsigned>>(unsorted_keys());
  workload w;
  w.contents = {std::as_bytes(std::span(*keys)), {}, {}};
  w.check = [expected = keys_in_order()](std::span<const std::byte* const> out) -> check_result {
    if (!std::equal(expected.begin(), expected.end(), reinterpret_cast<const unsigned*>(out[1])))
      return {false, "the keys are not in order", 1};
    return {.ok = true};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  w.storage = keys;
  return w;
}

const bool sorting_is_defined = define<sorting_problem>(
    {.name = "made_sorting",
     .description = "keys sorted by a library",
     .axes = {axis::of_words("order", {"rising"}, "of the keys")},
     .baseline = "library",
     .problem = [](const axis_values&, const input_library&) { return sorting_problem(); },
     .buffers =
         [](sorting_problem& p) {
           return bound_buffers{
               bind("in", p.in, 4 * sorted_keys),
               bind("out", p.out, 4 * sorted_keys, buffer_role::output, buffer_reset::poison),
               bind("memory", p.memory, p.room, buffer_role::scratch, buffer_reset::poison)};
         },
     .prepare = [](const sorting_problem&, const axis_values&,
                   const input_library&) { return sorting_workload(); },
     .variants = {{"library", launch_sorting, {}, "as the library does"}}});

namespace {

class LauncherOnGpu : public gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    limits_ = {properties().multiProcessorCount, properties().sharedMemPerBlockOptin};
  }
  device_limits limits_;
};

/// Keys, room for sorted ones, and memory to sort them.
struct sorting_buffers {
  sorting_buffers() {
    const std::vector<unsigned> keys = unsorted_keys();
    ABLATE_CUDA_CHECK(cudaMemcpy(in.address(), keys.data(), in.bytes(), cudaMemcpyHostToDevice));
    ABLATE_CUDA_CHECK(cudaMemset(out.address(), 0, out.bytes()));
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  }
  sorting_problem problem() const {
    return {static_cast<const unsigned*>(in.address()), static_cast<unsigned*>(out.address()),
            memory.address(), memory.bytes()};
  }
  std::vector<unsigned> sorted() const {
    std::vector<unsigned> keys(sorted_keys);
    ABLATE_CUDA_CHECK(cudaMemcpy(keys.data(), out.address(), out.bytes(), cudaMemcpyDeviceToHost));
    return keys;
  }
  device_memory in{4 * sorted_keys}, out{4 * sorted_keys}, memory{sorting_room};
};

TEST_F(LauncherOnGpu, ReadsWhatStandsThereAfterAllThatWasLaunchedBefore) {
  const stream on;
  const device_memory word(sizeof(int));
  int* const address = static_cast<int*>(word.address());
  launcher to(on, limits_);
  for (int value = 1; value <= 3; ++value) {
    enqueue_spin(on, 1000 * 1000);
    launch(to, write_word, dim3(1), dim3(1), 0, value, address);
    EXPECT_EQ(to.read(static_cast<const int*>(address), -1), value);
  }
  EXPECT_TRUE(to.described().empty());
  // What is chosen by a value is described as it was launched, where libraries are described too.
  launcher plain = launcher::describing(limits_), with_libraries = launcher::describing_libraries(limits_);
  EXPECT_EQ(plain.read(static_cast<const int*>(address), -1), -1);
  EXPECT_EQ(with_libraries.read(static_cast<const int*>(address), -1), 3);
}

TEST_F(LauncherOnGpu, WhatRunsBesideWaitsForWhatItIsToldToWaitFor) {
  const stream on;
  const device_memory word(sizeof(int));
  int* const address = static_cast<int*>(word.address());
  launcher to(on, limits_), second = to.beside();
  enqueue_spin(on, 1000 * 1000);
  launch(to, write_word, dim3(1), dim3(1), 0, 1, address);
  second.wait_for(to);
  launch(second, write_word, dim3(1), dim3(1), 0, 2, address);
  EXPECT_EQ(second.read(static_cast<const int*>(address), -1), 2);
  // And the other way round: this one waits for the second's.
  enqueue_spin(on, 1000);
  second.call("a spin", [](CUstream_st* aside) { enqueue_spin(aside, 1000 * 1000); });
  launch(second, write_word, dim3(1), dim3(1), 0, 3, address);
  to.wait_for(second);
  EXPECT_EQ(to.read(static_cast<const int*>(address), -1), 3);
}

TEST_F(LauncherOnGpu, SaysThatAReadFailed) {
  const stream on;
  launcher to(on, limits_);
  EXPECT_THROW(to.read(static_cast<const int*>(nullptr), 0), launch_error);
  cudaGetLastError();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(LauncherOnGpu, ALibraryWorksBehindWhatWasLaunchedBefore) {
  const stream on;
  const sorting_buffers buffers;
  launcher to(on, limits_);
  enqueue_spin(on, 1000 * 1000);
  launch_sorting(to, buffers.problem(), {});
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
  EXPECT_TRUE(buffers.sorted() == keys_in_order());
  EXPECT_TRUE(to.described().empty());
}

TEST_F(LauncherOnGpu, ALibrarysKernelsAreDescribedOneByOneAndNotLaunched) {
  const sorting_buffers buffers;
  launcher to = launcher::describing_libraries(limits_);
  launch(to, write_word, dim3(3), dim3(32), 0, 1, nullptr);
  launch_sorting(to, buffers.problem(), {});
  ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_TRUE(buffers.sorted() == std::vector<unsigned>(sorted_keys)) << "the library's kernels ran";

  ASSERT_GE(to.described().size(), 2u);
  EXPECT_EQ(to.described()[0].symbol, "");
  int named = 0;
  for (std::size_t i = 1; i < to.described().size(); ++i) {
    const kernel_launch& kernel = to.described()[i];
    EXPECT_NE(kernel.symbol, "");
    EXPECT_GE(kernel.grid.x, 1u);
    EXPECT_GE(kernel.block.x, 32u);
    named += kernel.symbol != sorting_library;
  }
  EXPECT_GE(named, 1) << "no kernel of the library has a name of its own";

  launcher without = launcher::describing(limits_);
  launch_sorting(without, buffers.problem(), {});
  ASSERT_EQ(without.described().size(), 1u);
  EXPECT_EQ(without.described()[0].symbol, sorting_library);
}

TEST_F(LauncherOnGpu, AFailingLibraryFailsTheCallAndNothingElse) {
  const sorting_buffers buffers;
  sorting_problem cramped = buffers.problem();
  cramped.room = 0;
  launcher describing = launcher::describing_libraries(limits_);
  EXPECT_THROW(launch_sorting(describing, cramped, {}), launch_error);
  EXPECT_TRUE(describing.described().empty());
  launch_sorting(describing, buffers.problem(), {});
  EXPECT_GE(describing.described().size(), 1u);
  const stream on;
  launcher to(on, limits_);
  EXPECT_THROW(launch_sorting(to, cramped, {}), launch_error);
  launch_sorting(to, buffers.problem(), {});
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
  EXPECT_TRUE(buffers.sorted() == keys_in_order());
}

class CountersOfLaunches : public gpu_test {};

TEST_F(CountersOfLaunches, AreOfAsManyKernelsOfALibraryAsAreDescribed) {
  suite_case c;
  c.operation = find_operation("made_sorting");
  c.variant = &c.operation->variants.front();
  c.axes = {{"order", "rising"}};
  c.id = "made_sorting/library/order=rising/@hot";
  c.protocol.observed->counters = "core";
  const input_library inputs(1, {}, {});
  for (const cache_state state : {cache_state::cold_clean, cache_state::hot}) {
    c.state = state;
    const measurement m = make_cuda_executor(0, {.counters = true})
                              ->run(c, c.operation->prepare(c.axes, inputs), inputs, {.maximum_samples = 50});
    ASSERT_EQ(m.status, "ok") << m.reason;
    const auto& kernels = m.facts.kernels;
    const auto named = [](const auto& kernel) { return kernel.name != sorting_library; };
    EXPECT_TRUE(std::any_of(kernels.begin(), kernels.end(), named));
    const counter_readings& counters = m.facts.counters;
    if (!counters.reason.empty()) ABLATE_LACKS("counters", counters.reason);
    EXPECT_EQ(counters.output, "ok");
    ASSERT_EQ(counters.kernels.size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) EXPECT_EQ(counters.kernels[i].name, kernels[i].name);
  }
}

}  // namespace
}  // namespace ablate::test_support
