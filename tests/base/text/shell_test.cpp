#include "base/text/shell.h"

#include <gtest/gtest.h>

#include "tests/support/run_program.h"

namespace ablate::reports::shell_test {
namespace {

TEST(Shell, TakesAWordAsItWas) {
  for (const std::string word : {"plain/@hot", "two words", "it's", "$HOME`x`", "", "a\\b", "^x$", "{a,b}",
                                 "~", "über", "two\nlines", "caf\xe9", "\xff it's $x % \\ \xc3"})
    EXPECT_EQ(test_support::run_program({"sh", "-c", "printf %s " + shell_word(word)}).out, word);
}

TEST(Shell, AWordOfOtherBytesIsStillText) { EXPECT_EQ(shell_word("caf\xe9"), "\"$(printf 'caf\\351')\""); }

TEST(Shell, WordsThatMeanThemselvesAreNotQuoted) {
  EXPECT_EQ(shell_word("plain/@hot"), "plain/@hot");
  EXPECT_EQ(shell_word("--out=a_b/c-1.5,2%+x:y"), "--out=a_b/c-1.5,2%+x:y");
  EXPECT_EQ(shell_word("^x"), "'^x'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Shell, TheFirstCommandOfALineLosesItsQuotes) {
  for (const std::string word : {"two words", "it's", "$HOME", "", "a\\b", "a;b", "über"})
    EXPECT_EQ(first_command("ablate run " + shell_word(word) + " --x; ablate list"),
              (std::vector<std::string>{"ablate", "run", word, "--x"}));
}

}  // namespace
}  // namespace ablate::reports::shell_test
