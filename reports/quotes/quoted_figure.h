#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "reports/claims/claims_judge.h"

namespace ablate::reports {

/// The files that figures are read from, each read once.
class quote_sources {
 public:
  /// `folder` holds the records, FOLDER/<record>/record.json, and other files by their path in it.
  explicit quote_sources(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const claim_evidence& record(const std::string& name);
  const nlohmann::ordered_json& json(const std::string& file);
  const std::string& text(const std::string& file);
  std::string path_of(const std::string& file) const { return (folder_ / file).string(); }

 private:
  std::filesystem::path folder_;
  std::map<std::string, claim_evidence> records_;
  std::map<std::string, nlohmann::ordered_json> jsons_;
  std::map<std::string, std::string> texts_;
};

struct quoted_figure {
  double value;
  std::string text;  ///< rounded, as in the document
};

/// The value of a figure's specification (docs/quotes.md). Nothing if its record has no such case. Throws
/// bad_input naming `file` and `place` if several cases match, if a figure is missing although its case
/// exists, or if it is outside what the sentence allows.
std::optional<quoted_figure> figure_to_quote(const nlohmann::ordered_json& specification,
                                             const std::string& file, const std::string& place,
                                             quote_sources&);

}  // namespace ablate::reports
