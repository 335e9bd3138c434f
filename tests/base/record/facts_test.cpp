#include "base/record/facts.h"

#include <gmock/gmock.h>

namespace ablate::reports::facts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const nlohmann::ordered_json facts = {{"name", "a GPU"},
                                      {"mig", false},
                                      {"cap_w", 700.5},
                                      {"uuid", nullptr},
                                      {"reasons", {"idle", 7, "power"}}};

TEST(Facts, AsTextAreStringsAsTheyStandAndOthersAsJson) {
  EXPECT_EQ(fact(facts, "name"), "a GPU");
  EXPECT_EQ(fact(facts, "mig"), "false");
  EXPECT_EQ(fact(facts, "uuid"), std::nullopt);
  EXPECT_EQ(fact(facts, "none"), std::nullopt);
}

TEST(Facts, OfAnotherKindAreNone) {
  EXPECT_EQ(number_fact(facts, "cap_w"), 700.5);
  EXPECT_EQ(number_fact(facts, "name"), std::nullopt);
  EXPECT_THAT(word_facts(facts, "reasons"), ElementsAre("idle", "power"));
  EXPECT_THAT(word_facts(facts, "name"), IsEmpty());
}

TEST(Facts, SourcesAreThoseOfTheProgramAndOfTheAblateInIt) {
  program_build build;
  build.source_hash = "aa";
  EXPECT_EQ(build.sources(), "aa");
  build.ablate = {.version = "2.0.0", .commit = "", .source_hash = "bb"};
  EXPECT_EQ(build.sources(), "aa+bb");
}

TEST(Facts, OfWhatIsNoObjectAreNone) {
  const nlohmann::ordered_json nothing;
  EXPECT_EQ(fact(nothing, "name"), std::nullopt);
  EXPECT_EQ(number_fact(nothing, "cap_w"), std::nullopt);
  EXPECT_THAT(word_facts(nothing, "reasons"), IsEmpty());
}

}  // namespace
}  // namespace ablate::reports::facts_test
