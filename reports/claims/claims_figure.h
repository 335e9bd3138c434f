#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "reports/claims/claims.h"

namespace ablate {

/// A number with its interval. For a time of one launch: the 95 % confidence interval of the median within
/// it. Exact numbers (counts, occupancies, hardware counters) have none: low = value = high.
struct claim_figure {
  double value, low, high;
  std::size_t launches = 0;  ///< that measured the time in it; 0: there is none
};

/// A figure, all of it finite, or one line saying why there is none.
using figure_or_reason = std::variant<claim_figure, std::string>;

/// The value at the end of a path: members separated by dots, `[n]` an element, counted from the end if n is
/// negative, {architecture} the device's. A member's name may itself contain dots, as counter names do. A
/// `median` next to `ci95_low` and `ci95_high` has their interval.
figure_or_reason figure_at(const nlohmann::ordered_json& entry, const std::string& path,
                           const std::string& architecture);

figure_or_reason figure_of(const claim_measure&, const nlohmann::ordered_json& entry,
                           const std::string& architecture);

/// Of the whole, for each unit that the layer's figure is per.
claim_figure composed(const claim_model&, const claim_figure& layer);

/// The interval contains every quotient of the two intervals.
figure_or_reason quotient(const claim_figure&, const claim_figure& by);
/// The interval contains every difference of the two.
figure_or_reason difference(const claim_figure&, const claim_figure& less);

}  // namespace ablate
