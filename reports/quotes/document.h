#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ablate::reports {

/// A document whose figures are named in a quotes file (docs/quotes.md).
struct quoted_document {
  std::string text;  ///< with the figures from the records
  std::string
      bare;  ///< the same without them, and without the numbers that are no measurements: # for each digit
};

/// Updates a document from the records and files in the quotes' folder, or in the one that they name. Throws
/// bad_input naming the quote if its text is not in the document exactly once, and as figure_to_quote does.
quoted_document quote_figures(const std::filesystem::path& document, const std::filesystem::path& quotes);

struct number_in_text {
  std::size_t line;
  std::string number;
};

/// The numbers left in a bare document: measurements that are not tied to any record. Digits in code, link
/// targets or names (H200, fp32, sm_80) do not count as numbers.
std::vector<number_in_text> numbers_in(const std::string& markdown);

}  // namespace ablate::reports
