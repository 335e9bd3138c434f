#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace ablate::reports {

/// JSON of what may not be there, or not be a number: null in its place. `maybe` is a std::optional.
inline nlohmann::ordered_json or_null(const auto& maybe) {
  return maybe ? nlohmann::ordered_json(*maybe) : nlohmann::ordered_json();
}

/// An empty text says nothing.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

inline nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// The ratio of this logarithm, which is infinite where nothing bounds it.
inline nlohmann::ordered_json ratio_or_null(double logarithm) {
  return std::isfinite(logarithm) ? nlohmann::ordered_json(std::exp(logarithm)) : nlohmann::ordered_json();
}

}  // namespace ablate::reports
