#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "harness/cli/help.h"
#include "harness/cli/old_spellings.h"
#include "tests/support/run_program.h"

namespace ablate::commands_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using words = std::vector<std::string>;

words and_then(words of, const words& more) {
  of.insert(of.end(), more.begin(), more.end());
  return of;
}

words words_of(const std::string& text) {
  std::istringstream in(text);
  words out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string help(const words& command, const std::string& flag = "--help") {
  const program_result said = run_ablate(and_then(command, {flag}));
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_EQ(said.error, "");
  return said.out;
}

/// The first words of the lines that begin an entry.
words entries(const std::string& text) {
  words out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
  return out;
}

words commands_of(const std::string& help_text) {
  const std::string title = "\nSubcommands:\n";
  const std::size_t begin = help_text.find(title);
  return begin == std::string::npos ? words() : entries(help_text.substr(begin + title.size()));
}

/// "--help" of "-h,--help", each once.
words options_of(const std::string& help_text) {
  words out;
  for (const std::string& entry : entries(help_text.substr(0, help_text.find("\nSubcommands:\n"))))
    if (entry.starts_with("-"))
      out.push_back(entry.substr(entry.starts_with("--") ? 0 : entry.find(',') + 1));
  return out;
}

/// The words that call each command, those of commands among them.
void add_commands(const words& of, std::vector<words>& to) {
  for (const std::string& name : commands_of(help(of))) {
    const words command = and_then(of, {name});
    to.push_back(command);
    add_commands(command, to);
  }
}

std::vector<words> all_commands() {
  std::vector<words> out;
  add_commands({}, out);
  return out;
}

TEST(Commands, TheFirstScreenHasWhatPeopleComeFor) {
  EXPECT_THAT(commands_of(help({})),
              ElementsAre("run", "list", "plan", "best", "predict", "search", "explain", "attribute",
                          "report", "compare", "gate", "static", "claims", "wrap", "new", "doctor", "dev"));
}

TEST(Commands, EveryOneExplainsItself) {
  const std::vector<words> all = all_commands();
  EXPECT_THAT(all, Contains(words{"static", "check"}));
  EXPECT_THAT(all, Contains(words{"dev", "calibrate"}));
  EXPECT_THAT(all, Contains(words{"dev", "history", "changes"}));
  for (const words& command : all) EXPECT_GT(help(command).size(), 150u) << command.back();
}

TEST(Commands, NoFirstScreenHasMoreOptionsThanAPersonReads) {
  bool any_has_more = false;
  for (const words& command : all_commands()) {
    SCOPED_TRACE(command.back());
    const std::string first = help(command), whole = help(command, "--help-all");
    const words shown = options_of(first), all = options_of(whole);
    EXPECT_GE(shown.size(), 2u);
    EXPECT_LE(shown.size(), static_cast<std::size_t>(most_options_of_a_first_screen));
    for (const std::string& option : shown) EXPECT_THAT(all, Contains(option));
    EXPECT_EQ(first.find("More with --help-all: ") != std::string::npos, all.size() > shown.size());
    any_has_more = any_has_more || all.size() > shown.size();
  }
  EXPECT_TRUE(any_has_more);
}

TEST(Commands, HelpIsBrokenAtTheTerminalsWidth) {
  constexpr std::size_t width = 90;
  const auto longest = [](const words& command, const words& environment) {
    std::istringstream lines(run_ablate(and_then(command, {"--help"}), environment).out);
    std::size_t out = 0;
    for (std::string line; std::getline(lines, line);) out = std::max(out, line.size());
    return out;
  };
  for (const words& command : {words{}, words{"run"}, words{"gate"}, words{"dev"}, words{"dev", "verify"}}) {
    EXPECT_LE(longest(command, {"COLUMNS=90"}), width) << "ablate " << testing::PrintToString(command);
    EXPECT_GT(longest(command, {"COLUMNS="}), width) << "a pipe has no width";
  }
}

/// A command of today where one is named by an old spelling: `dev record` of `ablate dev record RECORD...
/// --out FILE`.
words command_in(const std::string& spelling) {
  words out;
  for (const std::string& word : words_of(spelling)) {
    const bool is_name = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    if (word != "ablate" && is_name) out.push_back(word);
  }
  return out;
}

TEST(Commands, EveryOldSpellingIsRefusedWithTodaysWhichExists) {
  ASSERT_FALSE(old_spellings().empty());
  for (const old_spelling& old : old_spellings()) {
    const std::string command(old.command), option(old.option), today(old.today);
    SCOPED_TRACE(command + " " + option);
    words given = words_of(command);
    if (!option.empty()) given = and_then(given, {option, "x=1"});
    const program_result said = run_ablate(given);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.error,
                StartsWith("ablate: no " + std::string(option.empty() ? "command" : "option") + " '"));
    EXPECT_THAT(said.error, HasSubstr(today.empty() ? std::string(old.instead) : "`" + today + "`"));
    EXPECT_EQ(std::count(said.error.begin(), said.error.end(), '\n'), 1) << said.error;

    const words options =
        options_of(help(option.empty() ? command_in(today) : words_of(command), "--help-all"));
    for (const std::string& word : words_of(today))
      if (word.starts_with("--")) {
        EXPECT_THAT(options, Contains(word));
      }
    if (!option.empty()) {
      EXPECT_THAT(options, Not(Contains(option)));
    }
  }
}

TEST(Commands, AnOldSpellingBehindWrappedFilesIsNoFile) {
  EXPECT_THAT(run_ablate({"wrap", "/no/such/file.json", "merge", "a"}).error,
              HasSubstr("/no/such/file.json"));
}

TEST(Commands, AWrongWordOfDevNamesTheNearest) {
  EXPECT_THAT(run_ablate({"dev", "recrd"}).error,
              HasSubstr("no command 'recrd' (did you mean 'record'?); expected one of 'record', "));
  EXPECT_THAT(run_ablate({"dev", "record", "x", "--ot", "y"}).error,
              HasSubstr("no option '--ot' (did you mean '--out'?); see `ablate dev record --help`"));
  EXPECT_THAT(run_ablate({"dev"}).error, HasSubstr("A subcommand is required; see `ablate dev --help`"));
}

}  // namespace
}  // namespace ablate::commands_test
