#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/ablation/limits.h"
#include "reports/record/record.h"

namespace ablate::reports {

/// One variant's time against another's on the same input, cache state and timing method: how much faster it
/// is, above 1.
struct effect {
  const measured_case *from, *to;
  gate::shift time;       ///< log of `to` over `from`; bounds are infinite with too few processes
  std::size_t processes;  ///< 1: the interval is what the two medians' 95 % intervals allow within the run
  judgment said;

  double ratio() const;  ///< time of `from` over time of `to`
  double low() const;
  double high() const;
  /// The ratio in cycles, if the shown record timed the two at different clocks.
  std::optional<double> in_cycles() const;
};

/// How far the effect of two changes together is from the product of their individual effects.
struct joint_effect {
  gate::shift time;
  std::size_t processes;
  judgment said;  ///< FASTER: together they gain more than the product

  double factor() const;  ///< speed-up of both over the product of the individual ones
  double low() const;
  double high() const;
};

/// The record shown and further process launches of the same device, suite and sources.
class process_launches {
 public:
  /// Launches that measured a case on another input or by another method than `shown` do not count for it.
  process_launches(const record& shown, const std::vector<const record*>& more, const effect_limits&);

  std::size_t count() const { return count_; }

  /// For cases of the shown record. Hodges-Lehmann over the processes' medians: paired by process if enough
  /// of them measured both for an interval, otherwise unpaired.
  effect between(const measured_case& from, const measured_case& to) const;
  joint_effect joint(const measured_case& neither, const measured_case& first, const measured_case& second,
                     const measured_case& both) const;

 private:
  using medians = std::map<std::size_t, double>;  ///< logarithm, by process

  medians of(const measured_case&) const;

  effect_limits limits_;
  std::size_t count_;
  std::map<std::string, medians> by_name_;
};

}  // namespace ablate::reports
