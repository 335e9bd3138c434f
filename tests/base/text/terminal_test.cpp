#include "base/text/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ablate::reports::terminal_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Terminal, WithoutAWidthNothingIsBroken) {
  EXPECT_EQ(laid_out({{{"a"}, {"one two three"}}, {{"bcd"}, {"x"}}}, {.wrap = {1}}, {}),
            "a    one two three\nbcd  x\n");
  EXPECT_EQ(wrapped("one two three", {}), "one two three\n");
}

TEST(Terminal, AColumnThatMayWrapDoesWhereTheLineIsTooWide) {
  EXPECT_EQ(laid_out({{{"a"}, {"twelve chars here and more"}}, {{"bcd"}, {"x"}}}, {.wrap = {1}}, {22, false}),
            "a    twelve chars here\n     and more\nbcd  x\n");
}

TEST(Terminal, LongWordsBreakAtTheSeparatorsOfIdsOrAnywhere) {
  EXPECT_EQ(laid_out({{{"scatter/merged/items=4096"}}}, {.wrap = {0}}, {18, false}),
            "scatter/merged/\nitems=4096\n");
  EXPECT_EQ(laid_out({{{"abcdefghijklmnopqrstuvwxyz"}}}, {.wrap = {0}}, {20, false}),
            "abcdefghijklmnopqrst\nuvwxyz\n");
}

TEST(Terminal, NumbersStandAtTheRightAndCharactersCountNotBytes) {
  EXPECT_EQ(laid_out({{{"µ±×"}, {"1.5"}}, {{"abcd"}, {"12.25"}}}, {.right = {1}}, {}),
            "µ±×     1.5\nabcd  12.25\n");
  EXPECT_EQ(cut_to("µ±×≠", 3), "µ±…");
  EXPECT_EQ(cut_to("µ±×", 3), "µ±×");
}

TEST(Terminal, SeveralWrappedColumnsShareWhatIsLeft) {
  const std::string text =
      laid_out({{{"k"}, {std::string(40, 'a')}, {std::string(60, 'b')}}}, {.wrap = {1, 2}}, {61, false});
  EXPECT_THAT(text, HasSubstr(std::string(28, 'a') + "  " + std::string(28, 'b') + "\n"));
  EXPECT_THAT(laid_out({{{"k"}, {"short"}, {std::string(60, 'b')}}}, {.wrap = {1, 2}}, {50, false}),
              HasSubstr("k  short  " + std::string(40, 'b') + "\n"))
      << "a narrow column keeps its width";
}

TEST(Terminal, ColorIsOnlyForATerminalThatHasIt) {
  EXPECT_EQ(painted("x", ink::good, {80, false}), "x");
  EXPECT_EQ(painted("x", ink::good, {80, true}), "\033[1;32mx\033[0m");
  EXPECT_EQ(painted("x", ink::plain, {80, true}), "x");
  // Escapes take no columns.
  const std::string table = laid_out({{{"a", ink::bad}, {"b"}}, {{"long"}, {"c"}}}, {}, {0, true});
  EXPECT_EQ(table, "\033[1;31ma\033[0m     b\nlong  c\n");
}

TEST(Terminal, ASentenceIsBrokenAtSpaces) {
  EXPECT_EQ(wrapped("one two three four", {9, false}, "  "), "one two\n  three\n  four\n");
}

}  // namespace
}  // namespace ablate::reports::terminal_test
