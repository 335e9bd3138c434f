#include <cstring>

#include "kernels/ceilings/ceilings.h"
#include "kernels/common/poison.h"
#include "tests/support/gpu.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/variant_run.cuh"

namespace ablate::ceilings_gpu_test {
namespace {

class CeilingsOnGpu : public test_support::gpu_test {
 protected:
  /// Runs the variants of a resource and returns their number.
  static int check_all(const axis_values& axes, int times) {
    const operation& op = *find_operation("ceilings");
    const input_library inputs(3, {}, {});
    test_support::variant_run run(op, axes, inputs);
    int tried = 0;
    for (const variant_facts& v : op.variants) {
      if (!run.applies(v)) continue;
      ++tried;
      for (int i = 0; i < times; ++i) {
        const check_result result = run.check(v);
        EXPECT_TRUE(result.ok) << v.name << ", launch " << i << ": " << result.message;
      }
    }
    return tried;
  }
};

TEST_F(CeilingsOnGpu, EveryProbeComputesWhatItClaims) {
  for (const calibration& c : find_operation("ceilings")->calibrations) {
    const bool is_hopper_only = c.ceiling == "tensor_bf16_wgmma_flops";
    EXPECT_EQ(check_all(c.axes, 1), is_hopper_only && compute_capability() < 90 ? 0 : 1) << c.ceiling;
  }
}

TEST_F(CeilingsOnGpu, OperandsThatAreNotWhatTheyShouldBeAreFoundOut) {
  const operation& op = *find_operation("ceilings");
  const input_library inputs(3, {}, {});
  for (const auto& [resource, variant] : {std::pair{"tensor_bf16_flops", "mma_sync_bf16"},
                                          {"tensor_bf16_wgmma_flops", "tensor_wgmma"},
                                          {"fma_f32_flops", "fma_f32"}}) {
    const variant_facts& v = test_support::named_variant(op, variant);
    if (v.minimum_compute_capability > compute_capability()) continue;
    test_support::variant_run run(op, {{"resource", resource}}, inputs);
    ASSERT_TRUE(run.check(v).ok) << resource;
    // The last four bytes of the input: B's last column, or what a lane's last sum starts from.
    const axis_values axes = {{"resource", resource}, {"footprint", "fixed"}};
    const std::size_t bytes = op.buffers(axes, inputs)[0].bytes;
    ABLATE_CUDA_CHECK(cudaMemset(static_cast<char*>(run.address(0)) + bytes - 4, 0x3c, 4));
    EXPECT_FALSE(run.check(v).ok) << resource;
  }
}

TEST_F(CeilingsOnGpu, RandomAccessesAreRightEachTime) {
  for (const char* resource :
       {"random_read_sectors", "random_read_16b", "random_read_pairs", "random_read_blocks",
        "random_write_sectors", "random_cas", "random_add", "random_min"})
    for (const char* footprint : {"64KiB", "128KiB", "8MiB", "1GiB"})
      EXPECT_EQ(check_all({{"resource", resource}, {"footprint", footprint}}, 2), 1)
          << resource << " " << footprint;
  for (const char* resource : {"one_word_cas", "one_word_add"})
    EXPECT_EQ(check_all({{"resource", resource}}, 2), 1) << resource;
}

TEST_F(CeilingsOnGpu, ReductionsOfEveryKindAndOperandAreCounted) {
  for (const char* kind : {"atomics_distinct", "atomics_full_sectors", "atomics_equal"})
    for (const char* operand : {"", "_f32", "_u64", "_f32x2"}) {
      const bool is_hopper_only = std::strcmp(operand, "_f32x2") == 0;
      EXPECT_EQ(check_all({{"resource", std::string(kind) + operand}}, 2),
                is_hopper_only && compute_capability() < 90 ? 0 : 1)
          << kind << operand;
    }
}

TEST_F(CeilingsOnGpu, AMemoryThatIsNotWhatItShouldBeIsFoundOut) {
  const operation& op = *find_operation("ceilings");
  const input_library inputs(3, {}, {});
  for (const auto& [resource, variant] : {std::pair{"random_read_sectors", "load_8"},
                                          {"random_read_16b", "load_16"},
                                          {"random_read_pairs", "load_8_twice"},
                                          {"random_read_blocks", "gather_4kib"},
                                          {"random_cas", "cas_64"}}) {
    test_support::variant_run run(op, {{"resource", resource}, {"footprint", "64KiB"}}, inputs);
    ABLATE_CUDA_CHECK(cudaMemset(static_cast<char*>(run.address(2)) + 32 * 1000, 0x11, 8));
    EXPECT_FALSE(run.check(test_support::named_variant(op, variant)).ok) << resource;
  }
  for (const auto& [resource, variant] : {std::pair{"random_write_sectors", "store_4"},
                                          {"random_add", "red_add_64"},
                                          {"random_min", "red_min_64"}}) {
    test_support::variant_run run(op, {{"resource", resource}, {"footprint", "64KiB"}}, inputs);
    const variant_facts& v = test_support::named_variant(op, variant);
    const axis_values axes = {{"resource", resource}, {"footprint", "64KiB"}};
    void* const addresses[] = {run.address(0), run.address(1), run.address(2)};
    launcher to(nullptr, {});
    ASSERT_TRUE(run.check(v).ok) << resource;
    ABLATE_CUDA_CHECK(cudaMemset(run.address(2), poison_byte, 32));
    op.bind_readback(v, axes, inputs, addresses)(to);
    EXPECT_FALSE(run.work().check(run.download()).ok) << resource;
  }
}

}  // namespace
}  // namespace ablate::ceilings_gpu_test
