#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ablate::reports {
class json_place;
}

namespace ablate {

/// Cases of an operation: of a variant or a rival, unless that is empty, with these values by axis; other
/// axes may have any.
struct exhibit_choice {
  std::string label, variant;
  bool is_rival = false;  ///< the variant is added by a script; no build has it
  std::vector<std::pair<std::string, std::string>> axes;
};

/// A quantity of a case, in a table beside the published value.
struct exhibit_quantity {
  std::string label, unit;
  /// Its paths in a case's entry, the first one present counts: "quality.peak_bytes", "memory.bytes".
  /// Empty: it cannot be had, `missing` says why.
  std::vector<std::string> values;
  std::vector<std::pair<std::string, std::string>> axes;  ///< of its cases, beside the rows' and columns'
  double scale = 1;                                       ///< from the entry's unit to this one
  std::vector<std::optional<double>> published;           ///< one for each row; null where there is none
  std::string missing;
};

/// A published figure or table, made again from a record's cases. A figure has curves: what sampled forwards
/// do on the device, against the number of points. A table has rows and columns, which together choose a
/// case, and quantities of it.
struct suite_exhibit {
  std::string name;  ///< of its files; unlike those of the suite's other exhibits
  std::string title, source, operation, cache_state;
  std::vector<std::pair<std::string, std::string>> axes;  ///< of all its cases
  std::vector<exhibit_choice> curves;
  std::vector<exhibit_choice> rows, columns;
  std::vector<exhibit_quantity> quantities;

  bool is_figure() const { return !curves.empty(); }
};

/// How an exhibit's words are read: what is known of them decides which are refused and how they are spelled.
struct exhibit_words {
  std::function<std::string(const reports::json_place&)> variant;
  std::function<std::string(const reports::json_place&, const std::string& axis)> value;
};

/// The value of the key `exhibits` of a suite's question or of a record's, whose names are not checked.
/// Throws bad_input, also for a table whose published figures are not one for each row.
std::vector<suite_exhibit> exhibits_of(const reports::json_place&);
/// The same, with the words of each exhibit's operation.
std::vector<suite_exhibit> exhibits_of(
    const reports::json_place&, const std::function<exhibit_words(const reports::json_place& operation)>&);
/// As exhibits_of reads them.
nlohmann::ordered_json exhibits_json(const std::vector<suite_exhibit>&);

}  // namespace ablate
