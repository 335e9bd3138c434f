#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ablate {

/// What a choice of counters takes on a silicon.
struct pass_plan {
  std::size_t groups = 0;             ///< one launch each
  std::optional<std::size_t> passes;  ///< as CUPTI counts them: as many as groups, or something is wrong
  std::string why_not_counted;        ///< where CUPTI cannot be asked
  double seconds = 0;                 ///< of host time a case, about
};

/// Host time that reading so many groups adds to a case, about.
double counting_seconds(std::size_t groups);

/// Asks CUPTI's host half, which needs no GPU. `choice` as chosen_groups reads it.
pass_plan plan_passes(const std::string& choice, const std::string& silicon);

/// Host time that sampling forwards adds to a case, about.
inline constexpr double sampling_forwards_seconds = 2;

/// The same for what sampled forwards are sampled for: one pass, or nothing can be sampled.
pass_plan plan_sampled_pass(const std::string& silicon);

}  // namespace ablate
