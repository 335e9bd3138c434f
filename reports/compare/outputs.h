#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/compare/comparison.h"

namespace ablate::compare {

/// For a terminal: a line a case, the largest slow-down first; cases that are SAME are only counted, unless
/// all are wanted.
std::string comparison_text(const record_comparison&, bool all);

/// In Markdown; cases that are SAME are folded away.
std::string comparison_markdown(const record_comparison&);

/// As reports/schema/comparison.schema.json has it.
nlohmann::ordered_json comparison_json(const record_comparison&, bool strict);

}  // namespace ablate::compare
