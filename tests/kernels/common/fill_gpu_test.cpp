// Spans of unlike length in one launch: each gets its value to its last word, nothing else is touched.
#include "kernels/common/fill.h"

#include <algorithm>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "tests/support/gpu.cuh"

namespace ablate::fill_gpu_test {
namespace {

class FillOnGpu : public test_support::gpu_test {
 protected:
  /// Fills spans of so many words, each followed by guard words, and checks all of both.
  static void expect_filled(const std::vector<std::int64_t>& words) {
    constexpr std::uint32_t guard = 0x5a5a5a5a;
    constexpr std::int64_t guard_words = 4096;
    std::int64_t all = 0;
    std::vector<std::int64_t> begins;
    for (const std::int64_t count : words) {
      begins.push_back(all);
      all += (count + 3) / 4 * 4 + guard_words;  // the next one begins at 16 bytes too
    }
    const device_memory memory(sizeof(std::uint32_t) * static_cast<std::size_t>(all));
    ABLATE_CUDA_CHECK(cudaMemset(memory.address(), 0x5a, memory.bytes()));
    const auto span = [&](std::size_t k) {
      return word_span{static_cast<std::uint32_t*>(memory.address()) + begins[k], words[k],
                       static_cast<std::uint32_t>(k + 1)};
    };
    launcher to(nullptr, device_limits{});
    if (words.size() == 4)
      fill(to, {span(0), span(1), span(2), span(3)});
    else
      fill(to, {span(0)});
    std::vector<std::uint32_t> found(static_cast<std::size_t>(all));
    ABLATE_CUDA_CHECK(cudaMemcpy(found.data(), memory.address(), memory.bytes(), cudaMemcpyDeviceToHost));
    std::vector<std::uint32_t> expected(found.size(), guard);
    for (std::size_t k = 0; k < words.size(); ++k)
      std::fill_n(expected.begin() + begins[k], words[k], static_cast<std::uint32_t>(k + 1));
    const auto differs = std::mismatch(found.begin(), found.end(), expected.begin()).first - found.begin();
    EXPECT_EQ(differs, all) << "the first word that is wrong";
  }
};

TEST_F(FillOnGpu, FillsSpansOfUnlikeLength) {
  expect_filled({1000000, 5, 4097, 1023});
  expect_filled({3, 1024, 1, 700001});
  expect_filled({1});
  expect_filled({123457});
}

TEST_F(FillOnGpu, PassesOverEmptySpans) {
  expect_filled({0, 4096, 0, 17});
  expect_filled({1025, 0, 0, 0});
  expect_filled({0, 0, 0, 1025});
  expect_filled({0, 0, 0, 0});
}

}  // namespace
}  // namespace ablate::fill_gpu_test
