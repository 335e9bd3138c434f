#include "reports/quotes/mark.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/refusal.h"

namespace ablate::reports::mark_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const named_mark_words names = {{"lidar", {"distribution=lidar", "points=1000"}}};

quote_query asked(const std::string& words, const quote_query& before = {}) {
  return changed(before, read_mark(split_words(words), names));
}

std::string refused(const std::string& words) {
  return test_support::refusal_from<std::invalid_argument>([&] { asked(words); });
}

TEST(Mark, ItsWordsAreApartBySpacesAndMayBeQuoted) {
  EXPECT_THAT(split_words(" a\n b=\"c  d\"\te "), ElementsAre("a", "b=c  d", "e"));
  EXPECT_THROW(split_words("a=\"b"), std::invalid_argument);
}

TEST(Mark, SaysOfWhichCaseAFigureIsAndHowItIsTold) {
  EXPECT_THAT(asked("record=psh items=1,2 direct #3 %more >=1 <=2.5 range n=4 median=1.5"),
              ElementsAre(Pair("aggregate", "range"), Pair("as", "%more"), Pair("axis.items", "1,2"),
                          Pair("high", "2.5"), Pair("low", "1"), Pair("median", "1.5"), Pair("n", "4"),
                          Pair("record", "psh"), Pair("round", "#3"), Pair("variant", "direct")));
  EXPECT_THAT(
      asked("direct / merged+pad=1 items=2"),
      ElementsAre(Pair("/axis.items", "2"), Pair("/variant", "merged+pad=1"), Pair("variant", "direct")));
  EXPECT_THAT(asked("merged minus direct"),
              ElementsAre(Pair("/variant", "direct"), Pair("minus", "1"), Pair("variant", "merged")));
  EXPECT_THAT(
      asked("@lidar axis.n=7 switch.merge=on count>=1 fastest"),
      ElementsAre(Pair("aggregate", "count>=1"), Pair("axis.distribution", "lidar"), Pair("axis.n", "7"),
                  Pair("axis.points", "1000"), Pair("fastest", "yes"), Pair("switch.merge", "on")));
}

TEST(Mark, ChangesWhatIsAboveIt) {
  const quote_query before = asked("record=psh @lidar variant=direct rival=library / merged .2 max");
  EXPECT_EQ(asked("points=*", before).count("axis.points"), 0u);
  EXPECT_EQ(asked("/ *", before).count("/variant"), 0u);
  EXPECT_EQ(asked("packed", before).count("rival"), 0u) << "a case's variants are named as a whole";
  EXPECT_EQ(asked("packed rival=other", before).at("rival"), "other");
  EXPECT_EQ(asked("/ packed", before).at("variant"), "direct");
  EXPECT_EQ(asked("aggregate=*", before).count("aggregate"), 0u);
  EXPECT_TRUE(read_mark({"^", "packed"}, names).continues);
  EXPECT_THAT(without_judgement(asked("direct >=1 <=2 n=3 median=4 leads=items fastest named")),
              ElementsAre(Pair("variant", "direct")));
}

TEST(Mark, IsWrittenAsItIsRead) {
  for (const std::string words : {"points=1 direct / merged .2", "direct minus merged #1"})
    EXPECT_EQ(text_of(asked(words)), words);
  EXPECT_EQ(text_of(asked("file=a.md matching=\"of ([0-9]+) x\"")), "file=a.md matching=\"of ([0-9]+) x\"");
  EXPECT_EQ(asked(text_of(asked("axis.n=7 @lidar direct / best=lowest #2 >=1 fastest"))),
            asked("axis.n=7 @lidar direct / best=lowest #2 >=1 fastest"));
}

TEST(Mark, WhatSaysNothingIsRefused) {
  EXPECT_THAT(refused("@absent"), HasSubstr("'@absent': no <!--quotes--> above gives this name"));
  EXPECT_THAT(refused("#x"), HasSubstr("expected a number of digits"));
  EXPECT_THAT(refused("#0"), HasSubstr("1 to 17 digits"));
  EXPECT_THAT(refused(".99"), HasSubstr("1 to 17 digits"));
  EXPECT_THAT(refused(">=few"), HasSubstr("expected a number"));
  EXPECT_THAT(refused("n=few"), HasSubstr("expected a number"));
  EXPECT_THAT(refused("best=middle"), HasSubstr("expected lowest or highest"));
  EXPECT_THAT(refused("a / b / c"), HasSubstr("the mark already has another case"));
  EXPECT_THAT(refused("items="), HasSubstr("expected a value"));
  EXPECT_THAT(refused("?!"), HasSubstr("is not a word of a mark"));
}

}  // namespace
}  // namespace ablate::reports::mark_test
