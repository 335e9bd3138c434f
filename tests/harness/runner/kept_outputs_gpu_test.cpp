// Comparing outputs on the device with the first ones: a byte anywhere, in any of the outputs, is found.
#include <gtest/gtest.h>

#include "harness/runner/kept_outputs.cuh"
#include "tests/support/gpu.cuh"

namespace ablate::kept_outputs_test {

class KeptOutputsOnGpu : public test_support::gpu_test {
 protected:
  /// Outputs of these sizes, all bytes 7.
  void make(const std::vector<std::size_t>& sizes) {
    memory_.clear();
    outputs_.clear();
    for (const std::size_t size : sizes) {
      memory_.emplace_back(size);
      if (size > 0) ABLATE_CUDA_CHECK(cudaMemset(memory_.back().address(), 7, size));
      outputs_.push_back({memory_.back().address(), size});
    }
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  void set(std::size_t output, std::size_t byte, int value) {
    ABLATE_CUDA_CHECK(cudaMemset(static_cast<char*>(memory_[output].address()) + byte, value, 1));
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  bool are_kept() const { return kept_.are(outputs_, stream_); }

  void expect_found(std::size_t output, std::size_t byte) {
    set(output, byte, 6);
    EXPECT_FALSE(are_kept()) << "output " << output << ", byte " << byte;
    set(output, byte, 7);
    EXPECT_TRUE(are_kept()) << "output " << output << ", byte " << byte;
  }

  static constexpr cudaStream_t stream_ = nullptr;
  std::vector<device_memory> memory_;
  std::vector<device_bytes> outputs_;
  kept_outputs kept_;
};

TEST_F(KeptOutputsOnGpu, FindsAnyByteOfAnyOutput) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17},
                                 std::size_t{8192}, (std::size_t{64} << 20) + 13}) {
    make({5, size, 0, 32});
    kept_.keep(outputs_, stream_);
    ASSERT_TRUE(are_kept()) << size << " bytes";
    for (const std::size_t byte : {std::size_t{0}, size / 2, size - 1}) expect_found(1, byte);
    expect_found(0, 4);
    expect_found(3, 31);
  }
}

TEST_F(KeptOutputsOnGpu, CountsTheBytesThatDiffer) {
  make({5, 8192 + 3, 0, 32});
  EXPECT_FALSE(kept_.differing(outputs_, stream_)) << "nothing is kept";
  kept_.keep(outputs_, stream_);
  EXPECT_EQ(kept_.differing(outputs_, stream_)->differing, 0u);
  for (const std::size_t byte : {0, 1, 2, 3, 17, 8192, 8194}) set(1, byte, 6);
  set(0, 4, 255);
  const auto found = kept_.differing(outputs_, stream_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->differing, 8u);
  EXPECT_EQ(found->all, 5u + 8195 + 32);
}

TEST_F(KeptOutputsOnGpu, NothingIsKeptAtFirstAndOthersAreOthers) {
  make({64});
  EXPECT_FALSE(are_kept());
  kept_.keep(outputs_, stream_);
  EXPECT_TRUE(are_kept());
  make({64, 16});
  EXPECT_FALSE(are_kept()) << "more outputs";
  make({80});
  EXPECT_FALSE(are_kept()) << "a longer one";
  make({});
  kept_.keep(outputs_, stream_);
  EXPECT_TRUE(are_kept()) << "of no outputs none differs";
}

TEST_F(KeptOutputsOnGpu, WhatTheDeviceHasNoMemoryForIsNotKept) {
  make({64});
  kept_.keep(outputs_, stream_);
  ASSERT_TRUE(are_kept());
  std::size_t free = 0, total = 0;
  ABLATE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  // Sizes alone are looked at: nothing of it is read.
  const std::vector<device_bytes> too_much = {{memory_[0].address(), total}};
  kept_.keep(too_much, stream_);
  EXPECT_FALSE(are_kept()) << "what was kept before is no more";
  kept_.keep(outputs_, stream_);
  EXPECT_TRUE(are_kept());
}

}  // namespace ablate::kept_outputs_test
