// Counters of kernels whose work is known.
#include "tests/harness/counters/counted.cuh"
#include "tests/harness/counters/range_profiler_kernels.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/variant_run.cuh"

namespace ablate::range_profiler_test {
namespace {

constexpr double mib = 1 << 20;

class KnownKernels : public test_support::counted_test {
 protected:
  static counter_readings read_of(const device_memory& in, const std::string& set = "core") {
    const long long vectors = static_cast<long long>(in.bytes() / sizeof(uint4));
    static const device_memory out(4);
    return counted(
        set, 1,
        [&] {
          read_vectors(static_cast<const uint4*>(in.address()), vectors,
                       static_cast<unsigned*>(out.address()));
        },
        flush);
  }

  static device_memory zeros(std::size_t bytes) {
    device_memory made(bytes);
    ABLATE_CUDA_CHECK(cudaMemset(made.address(), 0, bytes));
    return made;
  }
};

TEST_F(KnownKernels, TheTensorProductReadsItsOwnFlops) {
  const operation& op = *find_operation("ceilings");
  const input_library inputs(3, {}, {});
  test_support::variant_run run(op, {{"resource", "tensor_bf16_flops"}}, inputs);
  const variant_facts& v = test_support::named_variant(op, "mma_sync_bf16");
  const auto counters = counted("core,tensor_bf16", 1, [&] { run.launch(v); });
  const std::string kind = on("GA100") ? "src" : "op_hmma_src";
  const double flops = value(counters, "sm__ops_path_tensor_" + kind + "_bf16_dst_fp32_sparsity_off.sum");
  EXPECT_NEAR(flops / run.work().work.flops, 1, 0.01)
      << flops << " counted, " << run.work().work.flops << " done";
  EXPECT_GT(value(counters, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"), 50);
  EXPECT_GT(value(counters, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"), 90);
  EXPECT_EQ(counters.coherent, true);
  EXPECT_TRUE(run.check(v).ok);
}

TEST_F(KnownKernels, ACopyReadsAndWritesItsBytes) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const device_memory in = zeros(bytes), out = zeros(bytes);
  constexpr long long vectors = bytes / sizeof(uint4);
  const auto counters = counted(
      "core,memory_l2", 1,
      [&] {
        copy_vectors(static_cast<const uint4*>(in.address()), static_cast<uint4*>(out.address()), vectors);
      },
      flush);
  EXPECT_NEAR(value(counters, "dram__bytes_read.sum") / bytes, 1, 0.02);
  // What the kernel wrote last may still be in L2 when it ends; the rest is in memory.
  const double written = value(counters, "dram__bytes_write.sum");
  EXPECT_LE(written, 1.02 * bytes);
  EXPECT_GE(written, bytes - static_cast<double>(properties().l2CacheSize));
  EXPECT_GE(value(counters, "lts__t_sectors_op_write.sum") * 32, bytes);
}

TEST_F(KnownKernels, EveryWarpInstructionIsCounted) {
  constexpr unsigned blocks = 264;
  const device_memory out(4);
  auto* address = static_cast<float*>(out.address());
  const auto instructions = [&](int steps) {
    const auto counters = counted("core", 1, [&] { multiply_add(steps, blocks, address); });
    return value(counters, "smsp__inst_executed.sum");
  };
  constexpr double warps = blocks * multiply_add_threads / 32;
  EXPECT_EQ(instructions(448) - instructions(64), 384 * warps);
  EXPECT_EQ(instructions(64), instructions(64));
}

TEST_F(KnownKernels, PatchedCountersCountTheSameInstructions) {
  const device_memory out(4);
  auto* address = static_cast<float*>(out.address());
  const auto ffma = [&](int steps) {
    const auto counters = counted("core,roofline", 1, [&] { multiply_add(steps, 132, address); });
    EXPECT_EQ(counters.coherent, true);
    return value(counters, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
  };
  EXPECT_EQ(ffma(448) - ffma(64), 384.0 * 132 * 256);
}

TEST_F(KnownKernels, EveryReductionIsFoundInTheSectors) {
  const operation& op = *find_operation("ceilings");
  const input_library inputs(3, {}, {});
  test_support::variant_run run(op, {{"resource", "atomics_distinct"}}, inputs);
  const auto counters = counted("core,atomics,memory_l2_tex", 1,
                                [&] { run.launch(test_support::named_variant(op, "red_scattered")); });
  const double reductions = run.work().work.atomics;
  EXPECT_NEAR(value(counters, "smsp__inst_executed_op_global_red.sum") * 32 / reductions, 1, 0.01);
  // As the SMs request them; the plain counter counts those that cross between the halves of L2 twice.
  if (on("GH100")) {
    EXPECT_NEAR(value(counters, "lts__t_sectors_srcunit_tex_op_red.sum") / reductions, 1, 0.01);
  }
  EXPECT_GE(value(counters, "lts__t_sectors_op_red.sum") / reductions, 0.99);
  EXPECT_LE(value(counters, "lts__t_sectors_op_red.sum") / reductions, 2.01);
}

TEST_F(KnownKernels, AGroupThatWasJustOpenedSeesCleanCachesToo) {
  const device_memory in = zeros(256 << 20);
  read_of(in, "stall_a");
  EXPECT_LT(value(read_of(in), "dram__bytes_write.sum"), 1 * mib);
}

TEST_F(KnownKernels, ColdAndCleanMeansNoHitsAndNoForeignWrites) {
  const device_memory in = zeros(256 << 20);
  const auto counters = read_of(in);
  EXPECT_NEAR(value(counters, "dram__bytes_read.sum") / static_cast<double>(in.bytes()), 1, 0.02);
  EXPECT_LT(value(counters, "lts__t_request_hit_rate.pct"), 3);
  EXPECT_LT(value(counters, "dram__bytes_write.sum"), 1 * mib);
}

TEST_F(KnownKernels, CountersOfTwoRunsAgree) {
  const device_memory in = zeros(128 << 20);
  const auto first = read_of(in), second = read_of(in);
  const auto same = [&](const char* metric, double within) {
    EXPECT_NEAR(value(first, metric) / value(second, metric), 1, within) << metric;
  };
  same("smsp__inst_executed.sum", 0);
  same("dram__bytes_read.sum", 0.01);
  same("lts__t_requests.sum", 0.01);
  same("sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 0.03);
}

TEST_F(KnownKernels, EachKernelHasItsOwnValuesInLaunchOrder) {
  const device_memory out(4);
  auto* address = static_cast<float*>(out.address());
  const auto counters = counted("core", 3, [&] {
    multiply_add(64, 132, address);
    multiply_add(448, 132, address);
    multiply_add(64, 264, address);
  });
  std::vector<double> instructions;
  for (const counter_readings::kernel& kernel : counters.kernels)
    instructions.push_back(find_counter(kernel.values, "smsp__inst_executed.sum").value());
  ASSERT_EQ(instructions.size(), 3u);
  EXPECT_EQ(instructions[2], 2 * instructions[0]);
  EXPECT_EQ(instructions[1] - instructions[0], 384.0 * 132 * 8);
  EXPECT_EQ(value(counters, "smsp__inst_executed.sum"), instructions[0] + instructions[1] + instructions[2]);
}

TEST_F(KnownKernels, AKernelTooManyOrTooFewIsNoNumber) {
  const device_memory out(4);
  auto* address = static_cast<float*>(out.address());
  for (const std::size_t claimed : {std::size_t{1}, std::size_t{3}}) {
    const auto counters = counted("core", claimed, [&] {
      multiply_add(64, 132, address);
      multiply_add(64, 132, address);
    });
    EXPECT_FALSE(counters.value("smsp__inst_executed.sum"));
    EXPECT_NE(counters.reason.find("2 kernels"), std::string::npos) << counters.reason;
  }
}

TEST_F(KnownKernels, AFailedLaunchLeavesTheProfilerUsable) {
  const device_memory out(4);
  auto* address = static_cast<float*>(out.address());
  EXPECT_THROW(counted("core", 1, [] { throw std::runtime_error("refused"); }), std::runtime_error);
  const auto counters = counted("core", 1, [&] { multiply_add(64, 132, address); });
  EXPECT_GT(value(counters, "smsp__inst_executed.sum"), 64 * 132 * 8);
}

TEST_F(KnownKernels, TheCoreSetCostsLittleOnTheHost) {
  const device_memory in = zeros(16 << 20);
  read_of(in);
  const auto counters = read_of(in);
  EXPECT_LT(counters.host_ms.value(), 40);
  EXPECT_LT(counters.open_ms.value(), 1) << "the group that is open is not opened again";
}

}  // namespace
}  // namespace ablate::range_profiler_test
