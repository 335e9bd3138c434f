#include "kernels/common/switches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/switch_entry.h"

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

TEST(Switches, KeepTheirWordsWhenTheyAreCopiedMovedAndReplaced) {
  switches s = {{"smem", std::string("on")}}, none;
  const switches copied = s, from_none = none.with({{"tile", "8"}});
  const switches moved = std::move(s);
  s = from_none;
  none = copied;
  EXPECT_EQ(copied.word("smem"), "on");
  EXPECT_EQ(moved.word("smem"), "on");
  EXPECT_EQ(s.integer("tile"), 8);
  EXPECT_EQ(none.word("smem"), "on");
  EXPECT_TRUE(switches().empty());
  EXPECT_FALSE(switches().has("smem"));
  EXPECT_THROW(switches().word("smem"), std::out_of_range);
}

TEST(Switches, RefuseWhatIsNotThere) {
  const switches s = {{"smem", "on"}};
  EXPECT_THROW(s.word("entries"), std::out_of_range);
  EXPECT_THROW(s.integer("smem"), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::switches_test
