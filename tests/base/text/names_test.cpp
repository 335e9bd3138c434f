#include "base/text/names.h"

#include <gtest/gtest.h>

namespace ablate::names_test {
namespace {

TEST(Names, TheNearestNameIsTheOneWithTheFewestEdits) {
  EXPECT_EQ(nearest("voxelise", {"ceilings", "voxelize"}), "voxelize");
  EXPECT_EQ(nearest("cach", {"axes", "cache", "exclude"}), "cache");
  EXPECT_EQ(nearest("rotatin", {"cold-clean", "hot", "rotating"}), "rotating");
}

TEST(Names, AnotherWordHasNoNearestName) {
  EXPECT_EQ(nearest("attention", {"voxelize"}), std::nullopt);
  EXPECT_EQ(nearest("x", {"hot"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
  EXPECT_EQ(nearest("", {"a"}), std::nullopt);
}

TEST(Names, ARefusalListsWhatThereIs) {
  EXPECT_EQ(no_such("chip", "h20", {"a100", "h200"}),
            "no chip 'h20' (did you mean 'h200'?); expected one of 'a100', 'h200'");
  EXPECT_EQ(no_such("variant", "x", {}), "no variant 'x'; there is none");
}

}  // namespace
}  // namespace ablate::names_test
