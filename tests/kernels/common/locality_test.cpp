#include "kernels/common/locality.h"

#include <gtest/gtest.h>

#include <vector>

namespace ablate::locality_test {
namespace {

using points = std::vector<std::array<double, 3>>;

void add(slice_locality& to, const points& slice) {
  to.add(static_cast<std::int64_t>(slice.size()),
         [&](std::int64_t i, std::size_t axis) { return slice[static_cast<std::size_t>(i)][axis]; });
}

TEST(SliceLocality, IsTheMeanOverSlicesOfTheRmsDistanceToTheirCenter) {
  slice_locality of;
  add(of, {{10, 0, 0}, {16, 0, 0}});                        // 3 from the center
  add(of, {{0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});  // 1 from it
  ASSERT_TRUE(of.mean_rms());
  EXPECT_DOUBLE_EQ(*of.mean_rms(), 2);
}

TEST(SliceLocality, OfOnePointIsZero) {
  slice_locality of;
  add(of, {{1e6, -3, 7}});
  EXPECT_EQ(of.mean_rms(), 0.0);
}

TEST(SliceLocality, OfNoSlicesIsNone) { EXPECT_EQ(slice_locality().mean_rms(), std::nullopt); }

TEST(SliceLocality, DoesNotLoseDigitsFarFromTheOrigin) {
  slice_locality of;
  add(of, {{1e8, 0, 0}, {1e8 + 2, 0, 0}});
  EXPECT_DOUBLE_EQ(*of.mean_rms(), 1);
}

}  // namespace
}  // namespace ablate::locality_test
