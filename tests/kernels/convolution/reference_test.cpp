#include <gmock/gmock.h>

#include <cmath>

#include "harness/inputs/random_floats.h"
#include "oracles/convolution/reference.h"

namespace ablate::convolution::reference_test {
namespace {

using ::testing::ElementsAre;

TEST(ConvolutionReference, FiltersByHand) {
  const float image[] = {1, 2, 3, 4, 5, 6};
  problem p{.width = 3, .height = 2, .filter = 3, .in = image};
  p.weights[4] = 10;   // the middle
  p.weights[5] = 1;    // its right neighbor
  p.weights[1] = 100;  // the row above
  EXPECT_THAT(exact(p), ElementsAre(12, 23, 30, 145, 256, 360));
}

TEST(ConvolutionReference, SmallerThanItsFilter) {
  const float image[] = {2};
  problem p{.width = 1, .height = 1, .filter = 15, .in = image};
  p.weights.fill(1);
  EXPECT_THAT(exact(p), ElementsAre(2));
}

// Written as it is defined, tap by tap.
TEST(ConvolutionReference, IsTheDefinition) {
  const std::vector<float> image = random_floats(21 * 17, 1, "image"), weights = random_floats(225, 1, "w");
  for (const int filter : {3, 5, 15}) {
    problem p{.width = 21, .height = 17, .filter = filter, .in = image.data()};
    std::copy_n(weights.begin(), filter * filter, p.weights.begin());
    const std::vector<float> found = exact(p), accepted = accepted_errors(p);
    const int r = filter / 2;
    for (int y = 0; y < 17; ++y)
      for (int x = 0; x < 21; ++x) {
        double sum = 0, squares = 0;
        float in_fp32 = 0;
        for (int dy = 0; dy < filter; ++dy)
          for (int dx = 0; dx < filter; ++dx) {
            const int from_y = y + dy - r, from_x = x + dx - r;
            if (from_y < 0 || from_y >= 17 || from_x < 0 || from_x >= 21) continue;
            const float weight = p.weights[static_cast<std::size_t>(dy * filter + dx)];
            const float pixel = image[static_cast<std::size_t>(from_y * 21 + from_x)];
            in_fp32 += weight * pixel;
            sum += static_cast<double>(weight) * static_cast<double>(pixel);
            squares += static_cast<double>(pixel) * static_cast<double>(pixel);
          }
        const auto at = static_cast<std::size_t>(y * 21 + x);
        ASSERT_EQ(found[at], static_cast<float>(sum)) << y << ", " << x;
        ASSERT_NEAR(in_fp32, found[at], accepted[at]) << y << ", " << x;
        // No more than 17 roundings of the largest sum that there may be.
        ASSERT_LE(accepted[at], 17 * 0x1p-24 * 1.01 * filter * std::sqrt(squares)) << y << ", " << x;
      }
  }
}

}  // namespace
}  // namespace ablate::convolution::reference_test
