#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ablate::reports {

/// A document whose figures a file of quotes (docs/quotes.md) names.
struct quoted_document {
  std::string text;  ///< with the figures that the records have
  std::string
      bare;  ///< the same without them, and without the numbers that are no measurements: # for each digit
};

/// Brings a document up to date with the records and files in the folder of the quotes. Throws bad_input
/// naming the quote where the document does not have its text exactly once, and as figure_to_quote does.
quoted_document quote_figures(const std::filesystem::path& document, const std::filesystem::path& quotes);

struct number_in_text {
  std::size_t line;
  std::string number;
};

/// The numbers that are left in a bare document: measurements that nothing holds to a record. What stands in
/// code, in the target of a link or in a name (H200, fp32, sm_80) is no number.
std::vector<number_in_text> numbers_in(const std::string& markdown);

}  // namespace ablate::reports
