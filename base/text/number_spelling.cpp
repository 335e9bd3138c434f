#include "base/text/number_spelling.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ablate {

std::optional<double> number_in(std::string_view text) {
  // from_chars also accepts "inf", and "5." with nothing after the dot.
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos && (dot + 1 == text.size() || text[dot + 1] < '0' || text[dot + 1] > '9'))
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shortest_number(double value) { return fmt::format("{}", value == 0 ? 0.0 : value); }

std::optional<std::string> axis_word(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return value.is_number() ? std::optional(shortest_number(value.get<double>())) : std::nullopt;
}

}  // namespace ablate
