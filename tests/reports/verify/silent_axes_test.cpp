#include "reports/verify/silent_axes.h"

#include <gtest/gtest.h>

namespace ablate::verify::silent_axes_test {
namespace {

nlohmann::ordered_json entry(const std::string& name, const std::string& rows, const std::string& geometry) {
  return {{"name", name}, {"operation", "layer"}, {"axes", {{"rows", rows}, {"geometry", geometry}}}};
}

TEST(SilentAxes, AreLeftOutAtOneValue) {
  const silent_axes silent(nlohmann::ordered_json::array(
      {entry("layer/fast/rows=1/@hot", "1", "plain"), entry("layer/fast/rows=2/@hot", "2", "plain"),
       entry("layer/fast/rows=2/geometry=cut/@hot", "2", "cut")}));
  EXPECT_TRUE(silent.is_left_out("layer", "geometry", "plain"));
  EXPECT_FALSE(silent.is_left_out("layer", "geometry", "cut"));
  EXPECT_FALSE(silent.is_left_out("layer", "rows", "1"));
  EXPECT_FALSE(silent.is_left_out("other", "geometry", "plain"));
}

TEST(SilentAxes, AForgedValueIsNoDefault) {
  const silent_axes silent(nlohmann::ordered_json::array({entry("layer/fast/rows=1/@hot", "1", "cut"),
                                                          entry("layer/slow/rows=1/@hot", "1", "plain"),
                                                          entry("layer/fast/rows=2/@hot", "2", "plain")}));
  EXPECT_TRUE(silent.is_left_out("layer", "geometry", "plain"));
  EXPECT_FALSE(silent.is_left_out("layer", "geometry", "cut"));
}

}  // namespace
}  // namespace ablate::verify::silent_axes_test
