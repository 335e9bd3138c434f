#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ablate::reports {

/// Arrays and objects within each other; what nests deeper is no file of ours. Copying a document and writing
/// it take a call a level, so one of 100 000 would end the program.
inline constexpr std::size_t most_json_levels = 64;

/// Parses a line of JSON Lines; nothing where it is no JSON (a kill cut it short) or nests too deep.
std::optional<nlohmann::ordered_json> parse_json_line(const std::string&);

}  // namespace ablate::reports
