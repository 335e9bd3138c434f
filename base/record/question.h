#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/exhibit.h"
#include "base/record/ladder.h"

namespace ablate::reports {
class json_place;
}

namespace ablate {

/// Accepted values by axis or switch, in the file's order.
using accepted_values = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// One side of a question: the cases that have one of the values of each switch and axis, and one of the
/// operations and variants where these are named.
struct question_family {
  std::string name;
  std::vector<std::string> operations, variants;  ///< none: any
  accepted_values switches, axes;
};

/// Where a question is asked. Axes that a family names are the families' business: workloads are alike in
/// all others that the operations have in common.
struct question_workloads {
  std::vector<std::string> operations;    ///< at least one; cases of several are set side by side
  std::string along;                      ///< the axis against which the answer is drawn
  std::vector<std::string> by;            ///< axes that divide the workloads into groups, with a verdict each
  accepted_values axes;                   ///< the workloads that count
  std::vector<std::string> cache_states;  ///< none: any
};

/// What a suite is asked: which of its families of variants is fastest, and where. The last family is the one
/// that the others are compared with. Parts of it: rows that are one change apart, and what was published.
struct suite_question {
  std::string text;
  std::vector<question_family> families;      ///< at least two
  std::vector<question_workloads> workloads;  ///< at least one
  std::vector<std::string> scans;  ///< axis values that are recorded clouds: the suite's point files
  std::optional<suite_ladder> ladder;
  std::vector<suite_exhibit> exhibits;

  /// False only for suites from before records of 2.1.0: some had only a ladder or exhibits.
  bool has_families() const { return !families.empty(); }
};

/// The value of the key `question` of a suite's report block or of a record's, whose names are not checked.
/// Throws bad_input.
suite_question question_of(const reports::json_place&);

/// How its parts are read, by who knows their names.
struct question_parts {
  std::function<suite_ladder(const reports::json_place&)> ladder;
  std::function<std::vector<suite_exhibit>(const reports::json_place&)> exhibits;
};
suite_question question_of(const reports::json_place&, const question_parts&);

/// As question_of reads it.
nlohmann::ordered_json question_json(const suite_question&);

}  // namespace ablate
