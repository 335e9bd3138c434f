#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/asked/planned_suite.h"

// Parts of a report block, checked as checked_report says.
namespace ablate::reports::asked {

inline const std::vector<std::string> cache_states = {"cold-clean", "hot", "rotating"};

/// One of these words.
std::string known_word(const json_place&, std::string_view kind, const std::vector<std::string>& known);

/// An operation that the suite runs.
const planned_operation& operation_run(const json_place&, const planned_suite&);

/// The value of an axis of the operation.
std::string value_of(const json_place&, const std::string& axis, const planned_operation&);

suite_ladder checked_ladder(const json_place&, const planned_suite&);
std::vector<suite_exhibit> checked_exhibits(const json_place&, const planned_suite&);
std::vector<comparison> checked_comparisons(const json_place&, const planned_suite&);

}  // namespace ablate::reports::asked
