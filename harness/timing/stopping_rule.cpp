#include "harness/timing/stopping_rule.h"

namespace ablate {

std::string_view to_string(stop_reason reason) {
  switch (reason) {
    case stop_reason::precision:
      return "precision";
    case stop_reason::time:
      return "time";
    case stop_reason::samples:
      return "samples";
  }
  return "";
}

std::optional<stop_reason> enough(const sampling& rule, const std::vector<double>& samples, double seconds) {
  return enough(rule, ordered_samples(samples), seconds);
}

std::optional<stop_reason> enough(const sampling& rule, const ordered_samples& samples, double seconds) {
  if (samples.size() == 0) return std::nullopt;
  const auto count = static_cast<int>(samples.size());
  if (count < rule.minimum_samples)
    return seconds > 10 * rule.maximum_seconds ? std::optional(stop_reason::time) : std::nullopt;
  if (samples.relative_half_width() <= rule.half_width) return stop_reason::precision;
  if (count >= rule.maximum_samples) return stop_reason::samples;
  if (seconds >= rule.maximum_seconds) return stop_reason::time;
  return std::nullopt;
}

}  // namespace ablate
