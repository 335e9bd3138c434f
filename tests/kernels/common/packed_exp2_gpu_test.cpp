// Powers of two by pairs, against powers in fp64: every fraction, where the range ends, what is subtracted,
// and that the halves of a pair do not touch each other.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "oracles/common/generated_element.h"
#include "tests/kernels/common/packed_exp2_kernels.cuh"
#include "tests/support/gpu.cuh"

namespace ablate::packed_exp2_gpu_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

class PackedExp2OnGpu : public test_support::gpu_test {
 protected:
  using pair = std::pair<float, float>;

  static std::vector<pair> powers_of(const std::vector<pair>& scores, float c, float subtracted) {
    const device_memory from(sizeof(float2) * scores.size()), to(sizeof(unsigned) * scores.size());
    std::vector<float2> given;
    for (const auto& [low, high] : scores) given.push_back({low, high});
    ABLATE_CUDA_CHECK(cudaMemcpy(from.address(), given.data(), from.bytes(), cudaMemcpyHostToDevice));
    const int count = static_cast<int>(scores.size());
    take_powers(static_cast<const float2*>(from.address()), static_cast<unsigned*>(to.address()), count, c,
                subtracted);
    ABLATE_CUDA_CHECK(cudaGetLastError());
    std::vector<unsigned> found(scores.size());
    ABLATE_CUDA_CHECK(cudaMemcpy(found.data(), to.address(), to.bytes(), cudaMemcpyDeviceToHost));
    std::vector<pair> powers;
    for (const unsigned bits : found)
      powers.emplace_back(window_attention::float_of_bf16(static_cast<std::uint16_t>(bits)),
                          window_attention::float_of_bf16(static_cast<std::uint16_t>(bits >> 16)));
    return powers;
  }
};

TEST_F(PackedExp2OnGpu, EveryFractionIsAsNearAsItsBoundSays) {
  constexpr float c = 0.25f;  // so that a score times it is exact
  constexpr int steps = 8192;
  for (const float subtracted : {0.0f, 3.25f, -7.5f, 150.0f, 1000.0f, -1000.0f}) {
    std::vector<pair> scores;
    for (int whole = -125; whole < 127; whole += 18)
      for (int i = 0; i < steps; ++i) {
        const float x = static_cast<float>(whole) + static_cast<float>(i) / steps;
        scores.emplace_back((subtracted + x) / c, (subtracted - x) / c);
      }
    const std::vector<pair> powers = powers_of(scores, c, subtracted);
    double greatest = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      for (const auto& [score, power] :
           {pair{scores[i].first, powers[i].first}, pair{scores[i].second, powers[i].second}}) {
        const double error = power / std::exp2(static_cast<double>(score) * c - subtracted) - 1;
        greatest = std::max(greatest, std::fabs(error));
        sum += error;
        squares += error * error;
      }
    const auto count = static_cast<double>(2 * scores.size());
    EXPECT_LE(greatest, 4.12e-3 + 1e-7 * std::fabs(subtracted)) << subtracted;
    EXPECT_LE(std::sqrt(squares / count), 1.8e-3) << subtracted;
    EXPECT_LE(std::fabs(sum / count), 1e-4) << subtracted;
  }
}

TEST_F(PackedExp2OnGpu, EndsOfTheRangeAndWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<pair> found = powers_of(
      {{0, 1}, {-127, -1e30f}, {-infinity, 0}, {128, 1e30f}, {infinity, 0}, {nan, 0}, {0, nan}}, 1, 0);
  const std::vector<pair> expected = {{1, 2},        {0, 0},        {0, 1},       {infinity, infinity},
                                      {infinity, 1}, {infinity, 1}, {1, infinity}};
  EXPECT_EQ(found, expected);
}

TEST_F(PackedExp2OnGpu, WhatIsTooLargeToSubtractOrNoNumberLeavesNoFinitePower) {
  for (const float subtracted : {1025.0f, -1025.0f, infinity, -infinity, std::nanf("")})
    EXPECT_EQ(powers_of({{0, subtracted}}, 1, subtracted), (std::vector<pair>{{infinity, infinity}}))
        << subtracted;
}

}  // namespace
}  // namespace ablate::packed_exp2_gpu_test
