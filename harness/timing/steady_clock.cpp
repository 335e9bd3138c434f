#include "harness/timing/steady_clock.h"

#include <algorithm>
#include <cmath>

#include "harness/timing/statistics.h"

namespace ablate {

namespace {

constexpr double window_seconds = 0.2;
constexpr double tolerance = 0.01, tolerance_below_the_cap = 0.005;
constexpr std::size_t windows_below_the_cap = 2, windows_at_the_cap = 5;
constexpr double share_of_cap = 0.9;
constexpr double swing_seconds = 0.99;  // a second, that no rounding takes a sixth window to it
constexpr double tolerance_of_swings = 0.005;
constexpr const char* idle = "gpu_idle";  // between two batches, say: not caused by the work

double to_tenths(double value) { return std::round(10 * value) / 10; }

std::optional<range_of_samples> range_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return range_of_samples{to_tenths(summarize(values).median), to_tenths(*low), to_tenths(*high)};
}

}  // namespace

std::optional<double> counted_cycles::mhz() const {
  if (!(cycles > 0 && nanoseconds > 0)) return std::nullopt;
  return 1e3 * cycles / nanoseconds;
}

counted_cycles& counted_cycles::operator+=(const counted_cycles& more) {
  cycles += more.cycles;
  nanoseconds += more.nanoseconds;
  return *this;
}

void steady_clock_watch::look(double seconds, std::size_t samples, const counted_cycles& counted,
                              const device_load& load) {
  seconds_ = seconds;
  open_.counted += counted;
  if (const auto mhz = counted.mhz()) open_.clocks_mhz.push_back(*mhz);
  if (load.power_w) open_.powers_w.push_back(*load.power_w);
  if (load.event_reasons) {
    if (!open_.event_reasons) open_.event_reasons.emplace();
    for (const std::string& reason : *load.event_reasons)
      if (reason != idle) open_.event_reasons->insert(reason);
  }
  open_.end_seconds = seconds;
  if (seconds - open_.begin_seconds < window_seconds) return;
  if (!goes_on(open_)) run_ = windows_.size();
  windows_.push_back(std::move(open_));
  open_ = {.begin_seconds = seconds, .end_seconds = seconds, .first_sample = samples};
}

bool steady_clock_watch::within(double tolerance, std::size_t first, const window* more) const {
  std::vector<std::optional<double>> clocks;
  for (std::size_t i = first; i < windows_.size(); ++i) clocks.push_back(windows_[i].counted.mhz());
  if (more) clocks.push_back(more->counted.mhz());
  const auto [low, high] =
      std::minmax_element(clocks.begin(), clocks.end());  // an unknown clock sorts lowest
  return *low && **high - **low <= tolerance * **low;
}

/// Whether this window's clock continues the current run of windows.
bool steady_clock_watch::goes_on(const window& next) const {
  if (!within(tolerance, run_, &next)) return false;
  std::set<std::string> known;
  for (std::size_t i = run_; i < windows_.size(); ++i)
    if (windows_[i].event_reasons)
      known.insert(windows_[i].event_reasons->begin(), windows_[i].event_reasons->end());
  // A recurring reason counts as steady, like a permanent one.
  return !next.event_reasons ||
         std::includes(known.begin(), known.end(), next.event_reasons->begin(), next.event_reasons->end());
}

bool steady_clock_watch::may_reach_the_cap() const {
  return std::any_of(
      windows_.begin() + static_cast<std::ptrdiff_t>(run_), windows_.end(), [&](const window& w) {
        if (!power_cap_w_ || w.powers_w.empty() || !w.event_reasons) return true;
        return !w.event_reasons->empty() || !(w.powers_w.back() < share_of_cap * *power_cap_w_);
      });
}

bool steady_clock_watch::steady() const {
  const std::size_t windows = windows_.size() - run_;
  return windows >= windows_at_the_cap ||
         (windows >= windows_below_the_cap && !may_reach_the_cap() && within(tolerance_below_the_cap, run_));
}

std::optional<std::size_t> steady_clock_watch::swing_before(std::size_t end) const {
  for (std::size_t first = end; first-- > 0;)
    if (windows_[end - 1].end_seconds - windows_[first].begin_seconds >= swing_seconds) return first;
  return std::nullopt;
}

counted_cycles steady_clock_watch::counted_in(std::size_t first, std::size_t end) const {
  counted_cycles all;
  for (std::size_t i = first; i < end; ++i) all += windows_[i].counted;
  return all;
}

std::optional<std::set<std::string>> steady_clock_watch::reasons_in(std::size_t first,
                                                                    std::size_t end) const {
  std::set<std::string> all;
  for (std::size_t i = first; i < end; ++i) {
    if (!windows_[i].event_reasons) return std::nullopt;
    all.insert(windows_[i].event_reasons->begin(), windows_[i].event_reasons->end());
  }
  return all;
}

std::optional<std::size_t> steady_clock_watch::swings_from() const {
  const auto last = swing_before(windows_.size());
  const auto before = last ? swing_before(*last) : std::nullopt;
  if (!before) return std::nullopt;
  const auto mhz = counted_in(*last, windows_.size()).mhz(), mhz_before = counted_in(*before, *last).mhz();
  if (!mhz || !mhz_before || !(std::fabs(*mhz - *mhz_before) <= tolerance_of_swings * *mhz_before))
    return std::nullopt;
  const auto reasons = reasons_in(*last, windows_.size()), reasons_before = reasons_in(*before, *last);
  if (!reasons || !reasons_before ||
      !std::includes(reasons_before->begin(), reasons_before->end(), reasons->begin(), reasons->end()))
    return std::nullopt;
  return before;
}

bool steady_clock_watch::time_is_up() const { return seconds_ >= longest_wait_seconds_; }

std::size_t steady_clock_watch::first_window() const {
  if (steady()) return run_;
  if (const auto swings = swings_from()) return *swings;
  const auto half = std::find_if(windows_.begin(), windows_.end(),
                                 [&](const window& w) { return w.begin_seconds >= seconds_ / 2; });
  return static_cast<std::size_t>(half - windows_.begin());
}

std::size_t steady_clock_watch::first_sample() const {
  const std::size_t first = first_window();
  return first < windows_.size() ? windows_[first].first_sample : open_.first_sample;
}

double steady_clock_watch::first_seconds() const {
  const std::size_t first = first_window();
  return first < windows_.size() ? windows_[first].begin_seconds : open_.begin_seconds;
}

clock_over_samples steady_clock_watch::found() const {
  std::vector<double> clocks, powers;
  std::optional<std::set<std::string>> reasons;
  const auto add = [&](const window& w) {
    clocks.insert(clocks.end(), w.clocks_mhz.begin(), w.clocks_mhz.end());
    powers.insert(powers.end(), w.powers_w.begin(), w.powers_w.end());
    if (!w.event_reasons) return;
    if (!reasons) reasons.emplace();
    reasons->insert(w.event_reasons->begin(), w.event_reasons->end());
  };
  for (std::size_t i = first_window(); i < windows_.size(); ++i) add(windows_[i]);
  add(open_);
  clock_over_samples out{.steady = steady(),
                         .level = level(),
                         .sm_mhz = range_of(clocks),
                         .power_w = range_of(powers),
                         .power_cap_w = power_cap_w_,
                         .event_reasons = {},
                         .seconds = std::round(1e3 * seconds_) / 1e3,
                         .dropped_samples = static_cast<long>(first_sample())};
  if (reasons) out.event_reasons.emplace(reasons->begin(), reasons->end());
  return out;
}

}  // namespace ablate
