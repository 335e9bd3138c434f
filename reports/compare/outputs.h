#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/text/terminal.h"
#include "reports/compare/comparison.h"

namespace ablate::compare {

/// For a terminal: one line per case, the largest slow-down first. Unless all are wanted, SAME cases are only
/// counted, and so are INCONCLUSIVE ones and those not compared beyond the first few. Ids are short: what the
/// cases shown have in common is said once.
std::string comparison_text(const record_comparison&, bool all, const reports::terminal& = {});

/// In Markdown; SAME cases are folded away.
std::string comparison_markdown(const record_comparison&);

/// Follows reports/schema/comparison.schema.json.
nlohmann::ordered_json comparison_json(const record_comparison&, bool strict);

}  // namespace ablate::compare
