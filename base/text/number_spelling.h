#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ablate {

/// The finite number that the whole text spells in decimal, as 0.5, 5e-1 or 12; nothing for another text.
std::optional<double> number_in(std::string_view text);

/// In the fewest digits that tell it from every other double: 0.5, 1e-07, 12. Zero has no sign.
std::string shortest_number(double);

/// A value of an axis as case ids and records spell it: a word, an integer, or a number in its shortest form.
/// Nothing for JSON of another kind.
std::optional<std::string> axis_word(const nlohmann::ordered_json&);

}  // namespace ablate
