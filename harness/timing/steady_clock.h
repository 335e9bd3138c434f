#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/device/nvml.h"

namespace ablate {

/// Cycles of the SM clock, and the time that they took.
struct counted_cycles {
  double cycles = 0, nanoseconds = 0;

  /// Nothing where nothing was counted.
  std::optional<double> mhz() const;
  counted_cycles& operator+=(const counted_cycles&);
};

/// Watches the SM clock of a case while it is sampled, by windows of 0.2 s, until it is steady.
///
/// It is steady when no new reason for lower clocks came up over consecutive windows and it stayed within
/// 0.5 % over two of them, the power standing at less than 90 % of its cap and no reason being there: the cap
/// is shown not to be reached. Otherwise, where power is not told too, it must hold for a second, within 1 %.
/// When the longest wait is over it is not shown to be steady.
///
/// The samples that count are those of the steady windows; of a clock that is not shown to be steady, those
/// of the second half of the time.
class steady_clock_watch {
 public:
  steady_clock_watch(std::optional<double> power_cap_w, double longest_wait_seconds)
      : power_cap_w_(power_cap_w), longest_wait_seconds_(longest_wait_seconds) {}

  /// One look: `seconds` after sampling began, when there were `samples` of them, with the cycles counted
  /// over the samples since the last look and what the device said while it worked on them.
  void look(double seconds, std::size_t samples, const counted_cycles&, const device_load&);

  bool steady() const;
  /// Whether there is nothing more to wait for.
  bool settled() const { return steady() || time_is_up(); }
  bool time_is_up() const;
  /// The place of the first sample that counts, and when it was taken.
  std::size_t first_sample() const;
  double first_seconds() const;

  /// The `clock` of a record's `time_us`, over the samples that count.
  nlohmann::ordered_json json() const;

 private:
  struct window {
    double begin_seconds = 0, end_seconds = 0;
    std::size_t first_sample = 0;
    counted_cycles counted = {};
    std::vector<double> clocks_mhz = {}, powers_w = {};  ///< of each look
    std::optional<std::set<std::string>> event_reasons = {};
  };

  /// Of these windows and perhaps one more.
  bool within(double tolerance, std::size_t first, const window* more = nullptr) const;
  bool goes_on(const window&) const;
  bool may_reach_the_cap() const;
  std::size_t first_window() const;

  std::optional<double> power_cap_w_;
  double longest_wait_seconds_;
  std::vector<window> windows_;  ///< closed ones
  window open_;
  std::size_t run_ = 0;  ///< the place of the first of the windows over which the clock has been steady
  double seconds_ = 0;
};

}  // namespace ablate
