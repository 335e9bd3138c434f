#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "reports/claims/claims_judge.h"
#include "reports/claims/claims_select.h"
#include "reports/quotes/mark.h"

namespace ablate::reports {

/// The files that figures are read from, each read once, and what was asked of them, each computed once.
class quote_sources {
 public:
  const claim_evidence& record(const std::filesystem::path& folder);
  const nlohmann::ordered_json& json(const std::filesystem::path& file);
  const std::string& text(const std::filesystem::path& file);
  /// The number that the one group of a regular expression (ECMAScript) matches in a text.
  double match(const std::filesystem::path& file, const std::string& expression);
  /// Of the record in the folder; `quantity` as in claims (docs/claims.md).
  const selected_figures& figures(const std::filesystem::path& folder,
                                  const nlohmann::ordered_json& quantity);

 private:
  std::map<std::string, claim_evidence> records_;
  std::map<std::string, nlohmann::ordered_json> jsons_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, double> matches_;
  std::map<std::string, selected_figures> figures_;
};

/// What a mark's query gives.
struct quoted_figure {
  double value;
  std::string text;           ///< rounded, as in the document
  std::string upper;          ///< the larger end of a range; `text` is the smaller
  std::string count, median;  ///< of the figures that a range, a minimum or a maximum summarizes
};

/// Nothing if the record has no such case. `folder`: from which records and files are named. Throws bad_input
/// where a file cannot be read, and std::invalid_argument where the query gives no figure, gives several
/// without saying what becomes of them, or gives one that its mark does not allow.
std::optional<quoted_figure> figure_of(const quote_query&, const std::filesystem::path& folder,
                                       quote_sources&);

/// Throws std::invalid_argument, which names the case, where another variant of the record is faster than
/// those that the query says are fastest.
void expect_fastest(const quote_query&, const std::filesystem::path& folder, quote_sources&);

}  // namespace ablate::reports
