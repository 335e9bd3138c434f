#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ablate::reports {

/// Nesting limit of arrays and objects; our files never nest deeper. Copying and writing a document recurse
/// once per level, so 100 000 levels would crash the program.
inline constexpr std::size_t max_json_levels = 64;

/// A JSON pointer extended by one step.
std::string child_pointer(const std::string& parent, std::string_view key);

/// Parses the text of a file. Throws bad_input naming the line and the JSON pointer where the text stops
/// being JSON (NaN, for example, or an early end), or the pointer of a duplicate key: the JSON library would
/// silently keep one of the two.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& file);
nlohmann::ordered_json parse_json_file(const std::filesystem::path&);

/// Parses a line of JSON Lines; nothing if `parse_json` would refuse it, e.g. because a kill cut it short.
std::optional<nlohmann::ordered_json> parse_json_line(const std::string&);

/// Adds a member at the end of an object that has none of this name. `object[key] = value` looks for the key
/// first, so that n members take n^2 steps.
void add_member(nlohmann::ordered_json& object, std::string key, nlohmann::ordered_json value);

/// On one line, or indented by `indent` spaces. Bytes that are not UTF-8, e.g. in a file name, become U+FFFD.
std::string json_text(const nlohmann::ordered_json&, int indent = -1);

}  // namespace ablate::reports
