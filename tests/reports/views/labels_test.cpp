#include "reports/views/labels.h"

#include <gtest/gtest.h>

namespace ablate::reports::labels_test {
namespace {

TEST(Labels, TheIntervalHasTheDigitsOfTheMedian) {
  measured_case::timing time{};
  time.median_us = 51.2;
  time.ci95_low_us = 51.1;
  time.ci95_high_us = 51.36;
  EXPECT_EQ(median_with_interval(time), "51.20 ± 0.13");
}

TEST(Labels, AxesAreThoseThatAPointHas) {
  const named_words point = {{"distribution", "lidar"}, {"grid", "128"}};
  EXPECT_EQ(axes_text(point, {"grid", "distribution"}), "grid=128, distribution=lidar");
  EXPECT_EQ(axes_text(point, {"points", "grid"}), "grid=128");
}

}  // namespace
}  // namespace ablate::reports::labels_test
