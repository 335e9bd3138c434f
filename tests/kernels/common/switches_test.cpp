#include "kernels/common/switches.h"
#include "kernels/common/switch_entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ablate::switches_test {
namespace {

TEST(Switches, GiveWordsAndIntegersByName) {
  const switches s = {{"smem", "on"}, {"entries", "2048"}};
  EXPECT_EQ(s.word("smem"), "on");
  EXPECT_EQ(s.integer("entries"), 2048);
  EXPECT_TRUE(s.has("smem"));
  EXPECT_FALSE(s.has("tile"));
}

TEST(Switches, TakeOtherValuesInPlaceAndNewNamesBehind) {
  const switches before = {{"smem", "on"}, {"entries", "2048"}};
  const switches after = before.with({{"smem", "off"}, {"tile", "8"}});
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"smem", "off"}, {"entries", "2048"}, {"tile", "8"}};
  EXPECT_TRUE(std::equal(after.begin(), after.end(), expected.begin(), expected.end()));
  EXPECT_EQ(before.word("smem"), "on");
}

TEST(Switches, RefuseWhatIsNotThere) {
  const switches s = {{"smem", "on"}};
  EXPECT_THROW(s.word("entries"), std::out_of_range);
  EXPECT_THROW(s.integer("smem"), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::switches_test
