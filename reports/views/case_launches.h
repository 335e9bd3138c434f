#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "base/statistics/launch_ratio.h"

namespace ablate::reports {

/// Whether both are launches of one thing, on one GPU or on others of the model, or the same launch.
bool are_launches_of_one(const record& shown, const record& other);

/// Throws bad_input, which names `other`, where it is no launch of what `first` measured.
void expect_launch_of(const record& first, const record& other);
/// Throws bad_input, which names `next`, where it is the very launch of one that was read before.
void expect_another_launch(const std::vector<record>& before, const record& next);

/// A case in one of the records that measured it.
struct launched_case {
  std::size_t launch;  ///< 0 is the record that is shown
  const measured_case* of;
  std::uint64_t gpu;  ///< that measured it, by a number of its own
};

/// The cases of a record in further records of its suite and build: other process launches, on the same GPU
/// or on another of the model. Refers to the records.
class case_launches {
 public:
  /// Records that measured a case on another input or by another method than `shown` do not count for it.
  case_launches(const record& shown, const std::vector<const record*>& more);

  std::size_t count() const { return count_; }       ///< of records
  std::size_t gpus() const { return gpus_.size(); }  ///< on which they were measured

  /// Of a case of this name, that of the shown record first.
  std::vector<launched_case> of(const measured_case&) const;
  /// How much longer the case's median is in the slowest record than in the fastest.
  double moved_pct(const measured_case&) const;

 private:
  std::uint64_t gpu_of(const record&, const measured_case&);

  std::size_t count_;
  std::map<std::string, std::uint64_t> gpus_;                ///< numbered in order of appearance
  std::map<std::string, std::vector<launched_case>> cases_;  ///< by name, that of the shown record first
};

/// Two cases in a record that measured both. Those of one workload are on one GPU, even in a run on several.
struct launched_pair {
  std::size_t launch;
  const measured_case *first, *second;
  std::uint64_t gpu;
};
std::vector<launched_pair> pairs_of(const case_launches&, const measured_case& first,
                                    const measured_case& second);

/// Of the intervals that reports show.
inline constexpr double shown_confidence = 0.95;

/// The standard error of the logarithm of a median, by its 95 % interval.
double log_error(const measured_case::timing&);
inline double log_error(const measured_case& c) { return log_error(c.time); }

/// The second case's time over the first one's, of at least one launch that measured both: every ratio over
/// launches that a report shows or judges by.
gate::launch_ratio ratio_over_launches(const std::vector<launched_pair>&, double confidence);
/// The time of `to` over that of `from`.
gate::launch_ratio ratio_over_launches(const case_launches&, const measured_case& from,
                                       const measured_case& to, double confidence);

/// A time that moves by more than this between records is no firm ground for a ratio.
inline constexpr double unsteady_pct = 5;

/// " † 40 %" beside a ratio over a case that moved as much, or nothing.
std::string moved_mark(double moved_pct);
/// What that means; in a picture, where the percentage has no room beside it, the sign alone and this.
inline constexpr const char* about_moved_sign =
    "† over a time that moved by more than 5 % between launches or GPUs";
inline constexpr const char* about_moved_mark =
    "† marks a ratio over a time that itself moved by more than 5 % between launches or GPUs, with the "
    "percentage";

}  // namespace ablate::reports
