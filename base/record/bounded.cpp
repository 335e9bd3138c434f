#include "base/record/bounded.h"

#include <fmt/format.h>

#include <algorithm>

namespace ablate::reports {

std::optional<double> max_of_counter(std::string_view counter) {
  const auto has = [&](std::string_view part) { return counter.find(part) != std::string_view::npos; };
  if (counter.ends_with(".pct") || has(".pct_of_peak_sustained_")) return 100;
  if (!counter.ends_with(".ratio")) return std::nullopt;
  if (has("_data_bytes_per_sector_")) return 32;
  if (has("_data_bytes_per_wavefront_")) return 128;
  if (has("thread_inst_executed_per_inst_executed")) return 32;
  return std::nullopt;
}

std::optional<double> shown_figure(double value, double most, double slack) {
  if (!(value >= 0 && value <= most * (1 + slack))) return std::nullopt;
  return std::min(value, most);
}

std::optional<double> shown_counter(std::string_view counter, double value) {
  const auto most = max_of_counter(counter);
  return most ? shown_figure(value, *most) : std::optional(value);
}

std::string beyond_bound(double value, double most) {
  return value < 0 ? "below 0: its counts do not belong together"
                   : fmt::format("beyond {:g}, its bound: its counts are of passes that differ", most);
}

}  // namespace ablate::reports
