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

/// What a case has otherwise than another: its variant, unless that is empty, and values by axis.
struct ladder_change {
  std::string variant;
  std::vector<std::pair<std::string, std::string>> axes;
};

/// What a step is held against.
struct ladder_control {
  std::string label;
  ladder_change change;  ///< from the step's case
};

struct ladder_step {
  std::string label;
  ladder_change change;  ///< of the first step where the ladder begins; of the others exactly one thing
  std::optional<ladder_control> control;
};

/// Cases of one operation, each one change apart from the one before.
struct suite_ladder {
  std::string title, operation, cache_state;
  std::vector<std::string> figures;  ///< of quality, in its table
  std::vector<ladder_step> steps;    ///< at least two
};

/// The case that a step or its control selects: the only one with these values.
struct ladder_case {
  std::string variant;
  std::vector<std::pair<std::string, std::string>> axes;  ///< those that the first step names
  bool operator==(const ladder_case&) const = default;
};

struct ladder_cases {
  ladder_case step;
  std::optional<ladder_case> control;
};
/// One for each step.
std::vector<ladder_cases> cases_of(const suite_ladder&);

/// The axes in which cases of the ladder differ.
std::vector<std::string> changed_axes(const suite_ladder&);

/// How a ladder's words are read: what is known of them decides which are refused and how they are spelled.
struct ladder_words {
  std::function<std::string(const reports::json_place&)> variant;
  std::function<std::string(const reports::json_place&, const std::string& axis)> value;
};

/// The value of the key `ladder` of a suite's question or of a record's, whose names are not checked. Throws
/// bad_input, also for a step that differs from the one before in nothing or in more than one thing.
suite_ladder ladder_of(const reports::json_place&);
/// The same, each word read once, at its place.
suite_ladder ladder_of(const reports::json_place&, const ladder_words&);
/// As ladder_of reads it.
nlohmann::ordered_json ladder_json(const suite_ladder&);

}  // namespace ablate
