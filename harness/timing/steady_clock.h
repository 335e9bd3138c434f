#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/device/nvml.h"

namespace ablate {

/// SM clock cycles and the time they took.
struct counted_cycles {
  double cycles = 0, nanoseconds = 0;

  /// Nothing if nothing was counted.
  std::optional<double> mhz() const;
  counted_cycles& operator+=(const counted_cycles&);
};

/// Watches the SM clock while a case is sampled, in windows of 0.2 s, until it is steady.
///
/// It counts as steady if, over consecutive windows without a new clock event reason, it stays within 0.5 %
/// for two windows with power below 90 % of its cap and no reason active, which shows that the cap is not
/// reached. Otherwise, including when power is not reported, it must stay within 1 % for a second.
///
/// A board at its cap may never do that: on an H200 the clock then swings by several percent with a period of
/// about a second, for as long as the work lasts. What is steady there is the mean over a swing, so it counts
/// as level, though not as steady, if its means over the last two seconds, each whole windows and a second at
/// least, agree within 0.5 % and the second one has no new reason. If the longest wait ends first, it is
/// neither.
///
/// Only samples from the steady windows count, or from those two seconds; if the clock is neither, those from
/// the second half of the time.
class steady_clock_watch {
 public:
  steady_clock_watch(std::optional<double> power_cap_w, double longest_wait_seconds)
      : power_cap_w_(power_cap_w), longest_wait_seconds_(longest_wait_seconds) {}

  /// One look, `seconds` after sampling began and with `samples` taken so far: the cycles counted over the
  /// samples since the last look, and the load the device reported while working on them.
  void look(double seconds, std::size_t samples, const counted_cycles&, const device_load&);

  bool steady() const;
  /// Whether it is at least level.
  bool level() const { return steady() || swings_from().has_value(); }
  /// Whether there is nothing left to wait for.
  bool settled() const { return level() || time_is_up(); }
  bool time_is_up() const;
  /// The index of the first sample that counts, and when its window began.
  std::size_t first_sample() const;
  double first_seconds() const;

  /// The `clock` of a record's `time_us`, over the samples that count.
  clock_over_samples found() const;

 private:
  struct window {
    double begin_seconds = 0, end_seconds = 0;
    std::size_t first_sample = 0;
    counted_cycles counted = {};
    std::vector<double> clocks_mhz = {}, powers_w = {};  ///< one per look
    std::optional<std::set<std::string>> event_reasons = {};
  };

  /// Whether the clocks of the windows from `first` on, and of `more`, agree within `tolerance`.
  bool within(double tolerance, std::size_t first, const window* more = nullptr) const;
  bool goes_on(const window&) const;
  bool may_reach_the_cap() const;
  /// The first of the windows before `end` that make up a swing, the last of them before it; nothing if there
  /// are too few.
  std::optional<std::size_t> swing_before(std::size_t end) const;
  /// The first window of two swings about one level; nothing if the last two are none.
  std::optional<std::size_t> swings_from() const;
  counted_cycles counted_in(std::size_t first, std::size_t end) const;
  /// Nothing where one of the windows does not know.
  std::optional<std::set<std::string>> reasons_in(std::size_t first, std::size_t end) const;
  std::size_t first_window() const;

  std::optional<double> power_cap_w_;
  double longest_wait_seconds_;
  std::vector<window> windows_;  ///< closed ones
  window open_;
  std::size_t run_ = 0;  ///< index of the first window of the current steady run
  double seconds_ = 0;
};

}  // namespace ablate
