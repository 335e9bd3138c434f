#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ablate::reports {

/// Arrays and objects within each other; what nests deeper is no file of ours. Copying a document and writing
/// it take a call a level, so one of 100 000 would end the program.
inline constexpr std::size_t most_json_levels = 64;

/// A JSON pointer extended by one step.
std::string child_pointer(const std::string& parent, std::string_view key);

/// Parses the text of a file. Throws bad_input naming the line and the JSON pointer where the text stops
/// being JSON (NaN and an early end are such places), or the pointer of a key that its object has already: of
/// the two, the library would silently keep one.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& file);
nlohmann::ordered_json parse_json_file(const std::filesystem::path&);

/// Parses a line of JSON Lines; nothing where `parse_json` would refuse it, as when a kill cut it short.
std::optional<nlohmann::ordered_json> parse_json_line(const std::string&);

/// On one line, or indented by so many spaces. Bytes that are no UTF-8, of a file's name say, become U+FFFD.
std::string json_text(const nlohmann::ordered_json&, int indent = -1);

}  // namespace ablate::reports
