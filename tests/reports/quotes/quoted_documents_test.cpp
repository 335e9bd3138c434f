#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text/text_file.h"
#include "reports/quotes/document.h"
#include "reports/quotes/marked_text.h"
#include "tests/support/paths.h"

namespace ablate::reports::quoted_documents_test {
namespace {

std::vector<std::filesystem::path> quoted_documents() {
  std::vector<std::filesystem::path> out = {test_support::source_path("README.md")};
  for (const auto& page : std::filesystem::directory_iterator(test_support::source_path("docs/findings")))
    if (page.path().extension() == ".md") out.push_back(page.path());
  return out;
}

/// Each is read from records once for all tests.
quote_sources& sources() {
  static quote_sources all;
  return all;
}

TEST(QuotedDocuments, HaveTheFiguresOfTheCommittedRecords) {
  std::size_t marks = 0;
  for (const auto& path : quoted_documents()) {
    const std::string text = read_text_file(path);
    EXPECT_TRUE(is_quoted(text))
        << path << " has neither marks nor a word on numbers that are not measured (docs/quotes.md)";
    const quoted_document out = read_quotes(text, path, sources());
    for (const auto& [line, says] : out.faults) ADD_FAILURE() << path.string() << ":" << line << ": " << says;
    marks += out.marks.size();
  }
  EXPECT_GT(marks, 2000u);
}

/// Where shown digits are that a record or a phrase holds: not in code, links or names.
std::vector<std::size_t> digits_of(const marked_text& text) {
  std::vector<std::size_t> out;
  const std::string numbers = numbers_alone(text.shown);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (is_digit(numbers[i])) out.push_back(text.origin[i]);
  return out;
}

/// Every seventeenth; each one with ABLATE_PLANT_ALL, which scripts/nightly.sh sets.
TEST(QuotedDocuments, AreFoundWrongInEveryDigit) {
  const std::size_t stride = std::getenv("ABLATE_PLANT_ALL") ? 1 : 17;
  std::size_t next = 0, planted = 0;
  for (const auto& path : quoted_documents()) {
    const std::string right = read_text_file(path);
    for (const std::size_t at : digits_of(read_marked_text(right))) {
      if (next++ % stride != 0) continue;
      std::string wrong = right;
      wrong[at] = wrong[at] == '9' ? '0' : static_cast<char>(wrong[at] + 1);
      ++planted;
      EXPECT_FALSE(read_quotes(wrong, path, sources()).faults.empty())
          << path << ": nobody sees that a digit is wrong: " << wrong.substr(at > 60 ? at - 60 : 0, 90);
    }
  }
  RecordProperty("planted", static_cast<int>(planted));
  EXPECT_GT(planted, 5000 / stride);
}

}  // namespace
}  // namespace ablate::reports::quoted_documents_test
