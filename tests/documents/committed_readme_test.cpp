#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "reports/quotes/marked_text.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::committed_readme_test {
namespace {

std::string readme() { return test_support::slurp(test_support::source_path("README.md")); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

/// A command that a document shows after "$ ", and what it shows below.
struct shown_command {
  std::vector<std::string> arguments;  ///< after `ablate`
  std::vector<std::string> output;
};

std::vector<shown_command> shown_commands(const std::string& markdown) {
  const std::string prompt = "$ ablate ";
  std::vector<shown_command> out;
  bool in_output = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with(prompt)) {
      std::istringstream words(line.substr(prompt.size()));
      out.emplace_back();
      for (std::string word; words >> word;) out.back().arguments.push_back(word);
      in_output = true;
    } else if (line.starts_with("```")) {
      in_output = false;
    } else if (in_output && !line.empty()) {
      out.back().output.push_back(line);
    }
  }
  return out;
}

/// Whether `line` is `shown`, in which "…" matches whatever was left out.
bool is_shortened_to(const std::string& line, const std::string& shown) {
  const std::string gap = "…";
  const std::size_t first_gap = shown.find(gap);
  if (first_gap == std::string::npos) return line == shown;
  if (!line.starts_with(shown.substr(0, first_gap))) return false;
  std::size_t at = first_gap;
  for (std::size_t begin = first_gap + gap.size(); begin < shown.size();) {
    const std::size_t end = std::min(shown.find(gap, begin), shown.size());
    const std::string part = shown.substr(begin, end - begin);
    if (end == shown.size()) return line.size() >= at + part.size() && line.ends_with(part);
    const std::size_t found = line.find(part, at);
    if (found == std::string::npos) return false;
    at = found + part.size();
    begin = end + gap.size();
  }
  return true;
}

/// The first shown line that is not printed, in the order shown; empty where all are.
std::string line_not_printed(const std::vector<std::string>& shown, const std::vector<std::string>& printed) {
  auto next = printed.begin();
  for (const std::string& line : shown) {
    if (line == "…") continue;
    next =
        std::find_if(next, printed.end(), [&](const std::string& one) { return is_shortened_to(one, line); });
    if (next == printed.end()) return line;
    ++next;
  }
  return "";
}

TEST(CommittedReadme, FitsOnAPage) { EXPECT_LE(lines_of(readme()).size(), 110u); }

TEST(CommittedReadme, HasFewNumbersBeforeTheFirstCommand) {
  const std::string shown = reports::without_comments(readme());
  const std::size_t first_command = shown.find("```");
  ASSERT_NE(first_command, std::string::npos);
  const std::string numbers = reports::numbers_alone(shown);
  std::size_t count = 0;
  for (reports::number_span at = reports::next_number(numbers, 0, first_command); at.is_found();
       at = reports::next_number(numbers, at.end, first_command))
    ++count;
  EXPECT_LE(count, 25u);
  EXPECT_GE(count, 1u) << "the picture's caption has one";
}

TEST(CommittedReadme, ShowsWhatItsCommandsPrint) {
  const auto commands = shown_commands(readme());
  ASSERT_FALSE(commands.empty());
  for (const shown_command& one : commands) {
    const auto ran = test_support::run_ablate(one.arguments, {}, test_support::source_path());
    EXPECT_EQ(ran.exit_code, 0) << ran.error;
    ASSERT_GE(one.output.size(), 2u) << one.arguments.front();
    EXPECT_EQ(line_not_printed(one.output, lines_of(ran.out + ran.error)), "") << ran.out << ran.error;
  }
}

TEST(CommittedReadme, ALineThatIsNotPrintedIsFound) {
  const std::vector<std::string> printed = {"a, b, c, d", "1 fast 2.50 us", "2 slow 9.00 us"};
  EXPECT_EQ(line_not_printed({"a, …, d", "1 fast 2.50 us", "…", "2 slow 9.00 us"}, printed), "");
  EXPECT_EQ(line_not_printed({"a, …", "…, c, …"}, printed), "…, c, …") << "one line is shown twice";
  EXPECT_EQ(line_not_printed({"a, …, e"}, printed), "a, …, e");
  EXPECT_EQ(line_not_printed({"1 fast 2.51 us"}, printed), "1 fast 2.51 us");
  EXPECT_EQ(line_not_printed({"1 fast 2.50"}, printed), "1 fast 2.50") << "a cut that is not marked";
  EXPECT_EQ(line_not_printed({"2 slow 9.00 us", "1 fast 2.50 us"}, printed), "1 fast 2.50 us");
}

}  // namespace
}  // namespace ablate::committed_readme_test
