#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "reports/claims/claims_judge.h"

namespace ablate::reports {

/// What figures are read off, each file once.
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
  std::string text;  ///< rounded, as the document has it
};

/// What a figure's specification (docs/quotes.md) says. Nothing where it is of a record that has no such
/// case. Throws bad_input naming `file` and `place` where several cases answer, where a figure is missing
/// although its case is there, and where it lies outside of what the sentence allows.
std::optional<quoted_figure> figure_to_quote(const nlohmann::ordered_json& specification,
                                             const std::string& file, const std::string& place,
                                             quote_sources&);

}  // namespace ablate::reports
