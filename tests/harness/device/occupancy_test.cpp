#include "harness/device/occupancy.h"

#include <gtest/gtest.h>

namespace ablate::occupancy_test {
namespace {

constexpr std::size_t kib = 1024;

#if ABLATE_HAS_CUDA

struct expectation {
  int threads;
  std::size_t shared_bytes;
  int registers;
  double share;
};

// 228 KB a multiprocessor, 1 KB reserved per block, 64 warps, 64 K registers in units of 256 a warp.
TEST(Occupancy, OfAHopperFollowsThePublishedTable) {
  const expectation table[] = {
      {256, 0, 32, 1.0},          {256, 0, 33, 0.75},         {256, 0, 40, 0.75},
      {256, 0, 41, 0.625},        {256, 3 * kib, 32, 1.0},    {256, 3 * kib, 40, 0.75},
      {256, 3 * kib, 48, 0.625},  {256, 16 * kib, 32, 1.0},   {256, 16 * kib, 40, 0.75},
      {256, 16 * kib, 48, 0.625}, {256, 32 * kib, 32, 0.75},  {256, 32 * kib, 40, 0.75},
      {256, 32 * kib, 48, 0.625}, {256, 64 * kib, 32, 0.375}, {256, 64 * kib, 40, 0.375},
      {256, 64 * kib, 48, 0.375}, {512, 32 * kib, 32, 1.0},   {512, 32 * kib, 40, 0.75},
      {512, 32 * kib, 48, 0.5}};
  for (const char* name : {"h100", "h200"})
    for (const expectation& e : table) {
      const chip& c = *find_chip(name);
      EXPECT_EQ(theoretical_occupancy(c, {e.threads, e.registers, 0, e.shared_bytes}), e.share)
          << name << ": " << e.threads << " threads, " << e.shared_bytes << " bytes, " << e.registers
          << " registers";
      EXPECT_EQ(theoretical_occupancy(c, {e.threads, e.registers, e.shared_bytes, 0}), e.share)
          << "as static memory";
    }
}

TEST(Occupancy, OfAnA100HasLessSharedMemoryToGive) {
  const chip& a100 = *find_chip("a100");
  EXPECT_EQ(theoretical_occupancy(a100, {256, 32, 0, 0}), 1.0);
  EXPECT_EQ(theoretical_occupancy(a100, {256, 32, 0, 32 * kib}), 0.5);  // 164 / 33 = 4 blocks
  EXPECT_EQ(theoretical_occupancy(a100, {256, 32, 0, 163 * kib}), 0.125);
}

TEST(Occupancy, OfABlockThatDoesNotFitIsZero) {
  EXPECT_EQ(theoretical_occupancy(*find_chip("h200"), {256, 32, 0, 228 * kib}), 0.0);
}

#else

TEST(Occupancy, HasNoValueInABuildWithoutCuda) {
  EXPECT_EQ(theoretical_occupancy(*find_chip("h200"), {256, 32, 0, 32 * kib}), std::nullopt);
}

#endif

}  // namespace
}  // namespace ablate::occupancy_test
