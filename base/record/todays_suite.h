#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/record/old_names.h"

namespace ablate {

/// What is run of an operation that older suites know as a whole.
struct suite_part {
  std::string operation;           ///< by today's name
  std::set<std::string> variants;  ///< by their names of before; "*": any
};
/// By the operation's name of before.
using suite_runs = std::map<std::string, std::vector<suite_part>>;

/// The one of that name; added where there is none.
suite_part& of_part(std::vector<suite_part>&, const std::string& operation);

/// Gives comparisons, question, ladder and exhibits of a suite's report block, or of a record's, the names of
/// today. A question about an operation that was divided asks of its parts: what a part has no more is not
/// asked of it, and axes that not all parts have are the families' business.
void rename_suite_report(nlohmann::ordered_json& report, const suite_runs&, const old_names&);

/// Gives a suite the names of today: blocks of an operation that was divided become one for each part, and
/// what only reports read goes to `report` (gather_report). One line on stderr, which begins with `file`,
/// says what was renamed. `has_variant` tells which variants a part lacks, where a block named some of
/// several parts; empty: it is not known.
void rename_suite(
    nlohmann::ordered_json& suite, const std::string& file,
    const std::function<bool(const std::string& operation, const std::string& variant)>& has_variant = {},
    const old_names& = old_names::known());

}  // namespace ablate
