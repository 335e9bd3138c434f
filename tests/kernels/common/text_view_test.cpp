#include "kernels/common/text_view.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ablate::text_view_test {
namespace {

TEST(TextView, IsEqualToTheSameCharactersWhereverTheyStand) {
  const std::string hopper = "hopper";
  const text_view word = hopper;
  EXPECT_TRUE(word == "hopper");
  EXPECT_TRUE(word == hopper);
  EXPECT_TRUE("hopper" == word);
  EXPECT_TRUE(word != "hoppe");
  EXPECT_TRUE(word != "hopper_wave_fit");
  EXPECT_TRUE(word != "");
  EXPECT_TRUE(text_view("") == std::string());
}

TEST(TextView, StartsWithItsHead) {
  const text_view word = "mma_fixed_max";
  EXPECT_TRUE(word.starts_with("mma_"));
  EXPECT_TRUE(word.starts_with("mma_fixed_max"));
  EXPECT_TRUE(word.starts_with(""));
  EXPECT_FALSE(word.starts_with("mma_first_tiles"));
  EXPECT_FALSE(word.starts_with("hopper"));
}

TEST(TextView, BecomesTheStringThatIsExpected) {
  const text_view word = std::string_view("2048, 4096").substr(0, 4);
  const std::string copied = word;
  const std::string_view seen = word;
  EXPECT_EQ(copied, "2048");
  EXPECT_EQ(seen, "2048");
  EXPECT_EQ(std::stoi(word), 2048);
}

}  // namespace
}  // namespace ablate::text_view_test
