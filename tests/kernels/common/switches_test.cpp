#include "kernels/common/switches.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ablate {
namespace {

TEST(Switches, GiveWordsAndIntegersByName) {
  const switches s = {{"smem", "on"}, {"entries", "2048"}};
  EXPECT_EQ(s.word("smem"), "on");
  EXPECT_EQ(s.integer("entries"), 2048);
  EXPECT_TRUE(s.has("smem"));
  EXPECT_FALSE(s.has("tile"));
}

TEST(Switches, RefuseWhatIsNotThere) {
  const switches s = {{"smem", "on"}};
  EXPECT_THROW(s.word("entries"), std::out_of_range);
  EXPECT_THROW(s.integer("smem"), std::invalid_argument);
}

}  // namespace
}  // namespace ablate
