#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ablate::reports {

/// The most that a counter of this name can be: 100 for a share in percent (of a peak, of requests that hit),
/// what a sector, a wavefront or a warp holds for an average over these. Nothing for what has no bound.
std::optional<double> max_of_counter(std::string_view counter);

/// What may be shown of a bounded figure: nothing where it is beyond its bound, since it is then a quotient
/// of two counts that do not belong together, and says nothing. What is beyond by no more than `slack` of the
/// bound is rounding, and shown as the bound. JSON and CSV files keep what was read.
std::optional<double> shown_figure(double value, double most, double slack = 0.005);
/// The same of a counter, by its name.
std::optional<double> shown_counter(std::string_view counter, double value);

/// Of shares of a measured ceiling, which a kernel may pass at a higher clock than the calibration's.
inline constexpr double ceiling_slack = 0.05;
/// Of sampled activity, whose counters are not latched at the same instant.
inline constexpr double sampling_slack = 0.01;

/// Text shown instead of a figure beyond its bound.
std::string beyond_bound(double value, double most);

}  // namespace ablate::reports
