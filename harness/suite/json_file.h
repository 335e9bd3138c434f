#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// `parent` extended by one step, escaped as JSON pointers are.
std::string child_pointer(const std::string& parent, const std::string& key);

/// Parses JSON that a person wrote: a syntax error is bad_input with line and column, and a key that stands
/// twice in one object is refused (the library would drop one of the two in silence).
nlohmann::ordered_json parse_written_json(const std::string& text, const std::string& file);

}  // namespace ablate
