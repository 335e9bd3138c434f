#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/process/find_program.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::paper_figures_test {
namespace {

const std::filesystem::path source = test_support::source_path();
const std::filesystem::path figures = source / "docs" / "figures" / "paper";

/// The words of a command as a shell has them; quotes hold several together.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> out;
  bool quoted = false, begun = false;
  for (const char c : command) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      begun = false;
    } else {
      if (!begun) out.emplace_back();
      begun = true;
      out.back() += c;
    }
  }
  return out;
}

std::vector<std::string> commands() {
  std::vector<std::string> out;
  std::istringstream lines(test_support::slurp(figures / "README.md"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("    ablate ")) out.push_back(line.substr(4));
  return out;
}

TEST(PaperFigures, WordsAreAsAShellHasThem) {
  EXPECT_EQ(words_of("a --font \"Times New Roman\"  --no-title"),
            (std::vector<std::string>{"a", "--font", "Times New Roman", "--no-title"}));
}

// By the commands above them, unedited.
TEST(PaperFigures, AreWhatTheirCommandsDraw) {
  const auto node = process::find_program("node");
  if (!node || !std::filesystem::exists(source / "reports" / "node_modules" / "vega-lite"))
    ABLATE_LACKS("node", "node or the npm package vega-lite is not installed (npm ci --prefix reports)");
  const test_support::temporary_directory files;
  const auto programs = files.path() / "programs";  // no converter: PDF and PNG are not compared
  std::filesystem::create_directories(programs);
  std::filesystem::create_symlink(*node, programs / "node");
  const auto out = files.path() / "out";
  ASSERT_EQ(commands().size(), 5u);
  for (const std::string& command : commands()) {
    std::vector<std::string> words = words_of(command);
    words.erase(words.begin());
    ASSERT_EQ(words.back(), "out/paper") << command;
    words.back() = out.string();
    const auto result = test_support::run_ablate(words, {"PATH=" + programs.string()}, source);
    ASSERT_EQ(result.exit_code, 0) << command << "\n" << result.error;
  }
  std::set<std::string> drawn, committed;
  for (const auto& entry : std::filesystem::directory_iterator(out))
    if (entry.path().extension() == ".svg") drawn.insert(entry.path().filename().string());
  for (const auto& entry : std::filesystem::directory_iterator(figures))
    if (entry.path().extension() == ".svg") committed.insert(entry.path().filename().string());
  EXPECT_EQ(drawn, committed);
  for (const std::string& name : drawn) {
    EXPECT_TRUE(test_support::slurp(out / name) == test_support::slurp(figures / name))
        << name << " is not what its command draws; scripts/report_results.sh --figures draws it anew";
    EXPECT_LT(std::filesystem::file_size(figures / name), 60'000u) << name;
  }
}

}  // namespace
}  // namespace ablate::paper_figures_test
