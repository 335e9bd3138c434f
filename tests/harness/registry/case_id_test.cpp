#include "harness/registry/case_id.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/registry/cache_state.h"

namespace ablate::case_id_test {
namespace {

TEST(CaseId, IsOperationVariantAxesAndCacheState) {
  EXPECT_EQ(case_id("voxelize", "smem_hashed", {{"mode", "count_i32"}, {"points", "131072"}}, "cold-clean"),
            "voxelize/smem_hashed/mode=count_i32/points=131072/@cold-clean");
  EXPECT_EQ(case_id("a", "b", {}, "hot"), "a/b/@hot");
}

TEST(CaseId, NamesAnAxisThatIsSilentAtItsDefaultOnlyElsewhere) {
  const std::vector<axis> axes = {axis::of_words("mode", {"a", "b"}, ""),
                                  axis::of_words("rule", {"none", "some"}, "").silent_at_default()};
  const auto named = [&](const char* mode, const char* rule) {
    return case_id("o", "v", named_in_id(axes, {{"mode", mode}, {"rule", rule}}), "hot");
  };
  EXPECT_EQ(named("a", "none"), "o/v/mode=a/@hot");
  EXPECT_EQ(named("b", "some"), "o/v/mode=b/rule=some/@hot");
}

TEST(CaseId, OnlyPlainCharactersMayStandInIt) {
  EXPECT_TRUE(is_case_id_word("aZ09_.=+-"));
  for (const char* word : {"", "a b", "a/b", "a@b", "ä", "a\n"}) EXPECT_FALSE(is_case_id_word(word)) << word;
}

TEST(CacheState, EveryStateReadsBackFromItsName) {
  for (const cache_state state :
       {cache_state::cold_clean, cache_state::hot, cache_state::rotating, cache_state::host})
    EXPECT_EQ(parse_cache_state(to_string(state)), state);
  EXPECT_EQ(parse_cache_state("cold"), std::nullopt);
}

}  // namespace
}  // namespace ablate::case_id_test
