#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ablate {

/// A closed interval; a missing end is open.
struct claim_bounds {
  std::optional<double> at_least, at_most;
};

/// What is read from one case: the sum of the `value` paths over the sum of the `per` paths, times `scale`.
/// Each path leads into the case's entry in the record: "time_us.median", "kernels[-1].grid[0]".
struct claim_measure {
  std::vector<std::string> value, per;
  double scale = 1;
};

/// Which cases: those of one operation that match one of the words for every criterion given here.
struct claim_selection {
  using words_by_name = std::vector<std::pair<std::string, std::vector<std::string>>>;
  enum class best_of { none, lowest, highest };

  std::string pointer;  ///< its location in the file
  std::string operation;
  std::vector<std::string> variants, cache;
  std::vector<std::string> rivals;  ///< those of `variants` that scripts add to records
  words_by_name switches, axes;
  best_of best = best_of::none;  ///< of variants that are otherwise equal, only the one with this figure
};

struct claim_condition {
  claim_measure measure;
  claim_bounds bounds;
};

/// A whole around what is measured, such as a network around one of its layers: so many times the figure of a
/// case, and a rest that is stated and not measured.
struct claim_model {
  std::string name, title;
  double layers = 1;
  double rest_us = 0;   ///< for each unit that the figure is per
  claim_measure whole;  ///< how many of these units the whole has, in the same case
  std::vector<std::string> assumptions;
};

struct claim_quantity {
  enum class aggregation { each, smallest, largest, median, count, share };

  claim_measure measure;
  std::optional<claim_model> model;  ///< the measure is one of its layers
  std::string unit;                  ///< empty for a pure number
  claim_selection of;
  std::vector<claim_condition> where;
  enum class comparison { ratio, difference };

  /// Each case is compared with the one that differs from it only in what is named here.
  std::optional<claim_selection> counterpart;
  comparison compared_by = comparison::ratio;  ///< divided by it (`over`), or minus it (`minus`)
  aggregation aggregate = aggregation::each;
  claim_bounds within;  ///< for `count` and `share`: which figures count
};

/// What a claim needs before it can be measured.
struct claim_wait {
  std::string operation;
  std::string
      lacks;  ///< variants, axis values … that the operation lacks; empty if the operation itself is missing
};

/// A published statement, as data.
struct claim {
  std::string file, pointer;  ///< its location
  std::string list;           ///< the name that its file gives itself
  std::string id, document, section, statement, note;
  std::string registered;                  ///< the day on which it was written down, "2026-11-20"
  std::string chip;                        ///< which the statement is about; empty if it names none
  std::optional<claim_quantity> quantity;  ///< a waiting claim may lack it, and is not judged by it
  std::optional<claim_wait> waits_for;
  std::optional<claim_bounds> expectation, prediction;
  std::optional<double> published;  ///< the number that the expectation is around
  /// The share of the figures that must meet the expectation. Nothing: the statement does not say, so they
  /// must agree for a verdict. 0 means "some".
  std::optional<double> holds_for;
};

/// The source of our own predictions and aims.
inline constexpr const char* own_document = "Ablate";

/// Reads a claims file (reports/schema/claims.schema.json). Throws bad_input naming the file, the JSON
/// pointer, what was expected there and the nearest name.
std::vector<claim> read_claims(const std::filesystem::path&);

}  // namespace ablate
