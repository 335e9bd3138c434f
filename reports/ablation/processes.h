#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/record/record.h"
#include "reports/ablation/limits.h"
#include "reports/views/case_launches.h"

namespace ablate::reports {

/// One variant's time against another's on the same input, cache state and timing method: how much faster it
/// is, above 1.
struct effect {
  const measured_case *from, *to;
  gate::shift time;  ///< log of `to` over `from`
  /// That measured both. One: the interval is what the two medians' 95 % intervals allow within the run.
  std::size_t processes;
  judgment verdict;
  double from_moved_pct = 0;  ///< how far the time of `from` itself moved between processes

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
  judgment verdict;  ///< FASTER: together they gain more than the product

  double factor() const;  ///< speed-up of both over the product of the individual ones
  double low() const;
  double high() const;
};

/// The record shown and further process launches of the same suite and sources, on its GPU or others of the
/// model. Refers to the records. Cases may also be those of the record that over_launches makes of them.
class process_launches {
 public:
  process_launches(const record& shown, const std::vector<const record*>& more, const effect_limits&);

  std::size_t count() const { return launches_->count(); }
  std::shared_ptr<const case_launches> launches() const { return launches_; }
  const effect_limits& limits() const { return limits_; }

  /// For cases of the shown record. Ratios are formed within a process, thus on one GPU.
  effect between(const measured_case& from, const measured_case& to) const;
  joint_effect joint(const measured_case& neither, const measured_case& first, const measured_case& second,
                     const measured_case& both) const;

 private:
  using by_process = std::map<std::size_t, launched_case>;

  by_process of(const measured_case&) const;

  std::shared_ptr<const case_launches> launches_;
  effect_limits limits_;
};

}  // namespace ablate::reports
