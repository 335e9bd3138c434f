#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
/// reached. Otherwise, including when power is not reported, it must stay within 1 % for a second. If the
/// longest wait ends first, it is not shown to be steady.
///
/// Only samples from the steady windows count; if the clock is not shown to be steady, those from the second
/// half of the time.
class steady_clock_watch {
 public:
  steady_clock_watch(std::optional<double> power_cap_w, double longest_wait_seconds)
      : power_cap_w_(power_cap_w), longest_wait_seconds_(longest_wait_seconds) {}

  /// One look, `seconds` after sampling began and with `samples` taken so far: the cycles counted over the
  /// samples since the last look, and the load the device reported while working on them.
  void look(double seconds, std::size_t samples, const counted_cycles&, const device_load&);

  bool steady() const;
  /// Whether there is nothing left to wait for.
  bool settled() const { return steady() || time_is_up(); }
  bool time_is_up() const;
  /// The index of the first sample that counts, and when its window began.
  std::size_t first_sample() const;
  double first_seconds() const;

  /// The `clock` of a record's `time_us`, over the samples that count.
  nlohmann::ordered_json json() const;

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
  std::size_t first_window() const;

  std::optional<double> power_cap_w_;
  double longest_wait_seconds_;
  std::vector<window> windows_;  ///< closed ones
  window open_;
  std::size_t run_ = 0;  ///< index of the first window of the current steady run
  double seconds_ = 0;
};

}  // namespace ablate
