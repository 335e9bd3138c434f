#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/compare/comparison.h"

namespace ablate::compare {

/// For a terminal: one line per case, the largest slow-down first; SAME cases are only counted, unless all
/// are wanted.
std::string comparison_text(const record_comparison&, bool all);

/// In Markdown; SAME cases are folded away.
std::string comparison_markdown(const record_comparison&);

/// Follows reports/schema/comparison.schema.json.
nlohmann::ordered_json comparison_json(const record_comparison&, bool strict);

}  // namespace ablate::compare
