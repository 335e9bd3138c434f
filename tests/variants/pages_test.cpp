// docs/operations: a page for each operation, and nothing else that claims to be one.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"
#include "tests/support/slurp.h"

namespace ablate::pages_test {
namespace {

const std::filesystem::path pages = test_support::source_path("docs/operations");

std::set<std::string> operation_names() {
  std::set<std::string> names;
  for (const auto& of : operations())
    if (!test_support::is_made_up(*of)) names.insert(of->name);
  return names;
}

TEST(OperationPages, EveryOperationHasOneThatTheListLinks) {
  const std::string list = test_support::slurp(pages / "README.md");
  for (const std::string& name : operation_names()) {
    EXPECT_TRUE(std::filesystem::exists(pages / (name + ".md"))) << name;
    EXPECT_NE(list.find("[" + name + "](" + name + ".md)"), list.npos) << name;
  }
}

TEST(OperationPages, AreOfOperations) {
  const std::set<std::string> names = operation_names();
  const std::set<std::string> of_several = {"README", "attention_on_hopper"};
  for (const auto& page : std::filesystem::directory_iterator(pages)) {
    const std::string name = page.path().stem().string();
    EXPECT_TRUE(names.contains(name) || of_several.contains(name)) << page.path();
  }
}

/// The names in code at the start of a line "- `points`, `batch`: …".
std::vector<std::string> names_at_start(const std::string& line) {
  std::vector<std::string> names;
  const std::size_t end = line.find_first_of(":(=");
  for (std::size_t at = line.find('`'); at < end && at != line.npos; at = line.find('`', at + 1)) {
    const std::size_t close = line.find('`', at + 1);
    const std::string code = line.substr(at + 1, close - at - 1);
    names.push_back(code.substr(0, code.find('=')));  // `values=offset` is of the axis values
    at = close;
  }
  return names;
}

TEST(OperationPages, ListAxesThatThereAre) {
  for (const auto& of : operations()) {
    if (test_support::is_made_up(*of)) continue;
    const std::string page = test_support::slurp(pages / (of->name + ".md"));
    const std::size_t from = page.find("\n## Axes\n");
    ASSERT_NE(from, page.npos) << of->name;
    std::set<std::string> axes;
    for (const axis& a : of->axes) axes.insert(a.name);
    std::istringstream lines(page.substr(from + 9, page.find("\n## ", from + 9) - from - 9));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("- `")) continue;
      for (const std::string& name : names_at_start(line))
        EXPECT_TRUE(axes.contains(name)) << of->name << ".md: no axis '" << name << "'";
    }
  }
}

}  // namespace
}  // namespace ablate::pages_test
