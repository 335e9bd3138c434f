#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "reports/ablation/limits.h"
#include "reports/attribute/lattice.h"
#include "reports/views/case_launches.h"

namespace ablate::attribute {

/// A share of a speed-up or another mean of time ratios: as a factor, above 1 is faster.
struct worth {
  gate::shift gain;  ///< the logarithm of the factor
  std::size_t launches;
  reports::judgment verdict;

  double factor() const;
  double low() const;
  double high() const;
  bool is_sure() const;  ///< FASTER or SLOWER
};

/// A mean over drawn orders, by the mean of each pair of orders.
struct drawn_means {
  linear_form mean;
  std::vector<linear_form> of_pairs;
};

/// The times of a lattice's points in each launch that measured all that any launch measured.
class lattice_times {
 public:
  /// Refers to the launches, which have the lattice's cases.
  lattice_times(const lattice&, const reports::case_launches&, const reports::effect_limits&);

  bool has(coalition s) const { return cases_.contains(s); }
  bool has_all(const linear_form&) const;

  /// Of logarithms of times. Over several launches: the form in each, then the mean with its interval over
  /// launches (base/statistics/launch_ratio.h). Over one: by the errors of the medians within it, which are
  /// independent. Nothing where a point has no time.
  std::optional<worth> of(const linear_form&) const;
  /// The same of a mean over orders that were drawn; its interval also covers the other orders.
  std::optional<worth> of(const drawn_means&) const;
  /// The logarithm of the speed-up between two measured points, over all launches.
  std::optional<double> gain(coalition from, coalition to) const;

 private:
  struct launched_form {
    std::uint64_t gpu;
    double value, error;
  };

  std::vector<launched_form> by_launch(const linear_form&) const;
  worth judged_worth(const gate::shift& time, std::size_t launches) const;

  std::map<coalition, std::map<std::size_t, reports::launched_case>> cases_;  ///< by launch
  std::vector<std::size_t> launches_;
  double first_us_;
  reports::effect_limits limits_;
};

}  // namespace ablate::attribute
