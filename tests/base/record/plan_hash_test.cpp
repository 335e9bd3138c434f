#include "base/record/plan_hash.h"

#include <gtest/gtest.h>

#include "harness/inputs/input_library.h"

namespace ablate::plan_hash_test {
namespace {

TEST(PlanHash, IsThatOfAllItsParts) {
  const std::string all = "00ff||2|a/b/@hot 1|a/c/@hot 2";
  EXPECT_EQ(plan_hash("00ff|", 2, {{"a/b/@hot", 1}, {"a/c/@hot", 2}}), hash_hex(all.data(), all.size()));
}

TEST(PlanHash, ChangesWithACaseItsShardAndItsOrder) {
  const std::string whole = plan_hash("s|", 1, {{"a", 1}, {"b", 1}});
  EXPECT_NE(plan_hash("s|", 1, {{"a", 1}}), whole);
  EXPECT_NE(plan_hash("s|", 1, {{"b", 1}, {"a", 1}}), whole);
  EXPECT_NE(plan_hash("s|", 1, {{"a", 1}, {"b", 2}}), whole);
  EXPECT_NE(plan_hash("t|", 1, {{"a", 1}, {"b", 1}}), whole);
}

}  // namespace
}  // namespace ablate::plan_hash_test
