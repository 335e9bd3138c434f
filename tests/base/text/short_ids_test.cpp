#include "base/text/short_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ablate::reports::short_ids_test {
namespace {

using ::testing::ElementsAre;

const std::string direct = "scatter/direct/items=1024/layout=rows/@cold-clean",
                  merged = "scatter/merged/items=2048/layout=rows/@cold-clean",
                  hot = "scatter/direct/items=1024/layout=rows/@hot", other = "gather/plain/rows=7/@hot";

TEST(ShortIds, KeepWhatDiffersAndSayTheRestOnce) {
  const short_ids ids = shortened({direct, merged});
  EXPECT_EQ(ids.of(direct), "scatter/direct/items=1024");
  EXPECT_EQ(ids.of(merged), "scatter/merged/items=2048");
  EXPECT_THAT(ids.shared, ElementsAre("scatter: layout=rows, cold-clean"));
  EXPECT_EQ(ids.shared_text(), "Common to the cases shown of scatter: layout=rows, cold-clean\n");
}

TEST(ShortIds, AreOfEachOperationByItself) {
  const short_ids ids = shortened({direct, hot, other});
  EXPECT_EQ(ids.of(direct), "scatter/direct/@cold-clean");
  EXPECT_EQ(ids.of(hot), "scatter/direct/@hot");
  EXPECT_EQ(ids.of(other), other) << "the only one of its operation";
  EXPECT_THAT(ids.shared, ElementsAre("scatter: items=1024, layout=rows"));
}

TEST(ShortIds, TellTheSameIdsApart) {
  const std::vector<std::string> all = {direct, merged, hot, other, direct};
  const short_ids ids = shortened(all);
  std::set<std::string> whole(all.begin(), all.end()), shorts;
  for (const std::string& id : whole) shorts.insert(ids.of(id));
  EXPECT_EQ(shorts.size(), whole.size());
  EXPECT_EQ(ids.of("unknown/x"), "unknown/x");
}

TEST(ShortIds, AnAxisThatOneOfThemLacksIsNotShared) {
  const std::string older = "scatter/direct/items=1024/@cold-clean";
  const short_ids ids = shortened({direct, older});
  EXPECT_EQ(ids.of(direct), "scatter/direct/layout=rows");
  EXPECT_EQ(ids.of(older), "scatter/direct");
}

TEST(ShortIds, StandInSentencesThatBeginWithTheId) {
  const short_ids ids = shortened({direct, merged});
  EXPECT_EQ(ids.in(direct + ": gone", direct), "scatter/direct/items=1024: gone");
  EXPECT_EQ(ids.in("all of it", direct), "all of it");
}

}  // namespace
}  // namespace ablate::reports::short_ids_test
