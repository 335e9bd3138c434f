#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/quotes/quoted_figure.h"

namespace ablate::reports {

/// A figure of a document with what its mark asks.
struct quoted_mark {
  std::size_t line;
  std::string found, expected;  ///< as written; a range as "1.2 to 3.4"
  std::string query;
};

struct quote_fault {
  std::size_t line;
  std::string says;  ///< what was found, what was expected, and what to do
};

/// A document whose figures are marked (docs/quotes.md).
struct quoted_document {
  std::string text;  ///< with the figures of the records
  std::vector<quoted_mark> marks;
  std::vector<quote_fault> faults;  ///< in the order of their lines
};

/// Whether a document has marks, or says that a figure is not measured.
bool is_quoted(const std::string& markdown);

/// Holds a document against the records that it names. `path` is where it is: records are named from its
/// folder.
quoted_document read_quotes(const std::string& markdown, const std::filesystem::path& path, quote_sources&);

}  // namespace ablate::reports
