#include "reports/gate/aa_floors.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/statistics/quantile.h"
#include "base/statistics/student.h"
#include "reports/gate/delta.h"

namespace ablate::gate {
namespace {

double mean_square(const std::vector<double>& effects) {
  double sum = 0;
  for (const double effect : effects) sum += effect * effect;
  return sum / static_cast<double>(effects.size());
}

/// The median of chi-square over its degrees of freedom, by Wilson and Hilferty.
double median_of_mean_squares(double freedom) { return std::pow(1 - 2 / (9 * freedom), 3); }

}  // namespace

std::vector<pair_of_builds> pairs_of_builds(std::size_t builds) {
  std::vector<pair_of_builds> out;
  for (std::size_t first = 0; first < builds; ++first)
    for (std::size_t second = first + 1; second < builds; ++second) out.emplace_back(first, second);
  return out;
}

std::vector<double> floors_pct_of(const gate_policy& policy, const std::vector<std::vector<double>>& effects,
                                  std::size_t builds) {
  if (builds < 2) throw std::invalid_argument("floors need two builds");
  if (effects.empty()) return {};
  std::vector<double> floors, own;
  for (const std::vector<double>& of_case : effects) {
    floors.push_back(floor_pct_of(policy, of_case));
    own.push_back(mean_square(of_case));
  }
  const std::size_t of_builds = builds - 1;
  const double machine = median(own) / median_of_mean_squares(static_cast<double>(of_builds));
  // A median knows about half of what a mean over the cases would.
  const std::size_t freedom = std::max(of_builds, effects.size() * of_builds / 2);
  const double bound =
      student_quantile_above(policy.calibration.alarm_share / static_cast<double>(effects.size()), freedom);
  for (std::size_t i = 0; i < floors.size(); ++i) {
    floors[i] = std::max(floors[i], percent_of_log(bound * std::sqrt(std::max(machine, own[i]))));
  }
  return floors;
}

}  // namespace ablate::gate
