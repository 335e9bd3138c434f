#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace ablate::reports {

/// JSON of a value that may be absent or not a number, which becomes null. `maybe` is a std::optional.
inline nlohmann::ordered_json or_null(const auto& maybe) {
  return maybe ? nlohmann::ordered_json(*maybe) : nlohmann::ordered_json();
}

/// An empty text becomes null.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

inline nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Quotient of counts; null if the divisor is zero.
inline nlohmann::ordered_json quotient_or_null(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? nlohmann::ordered_json()
                : nlohmann::ordered_json(static_cast<double>(a) / static_cast<double>(b));
}

/// The ratio with this logarithm, which is infinite if the ratio is unbounded.
inline nlohmann::ordered_json ratio_or_null(double logarithm) {
  return std::isfinite(logarithm) ? nlohmann::ordered_json(std::exp(logarithm)) : nlohmann::ordered_json();
}

}  // namespace ablate::reports
