#include "harness/counters/sampled_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/timing/statistics.h"

namespace ablate {

namespace {

constexpr double shortest_range_interval_ns = 2000;
constexpr double longest_range_interval_ns = 1e6;
constexpr double samples_a_range = 200;
constexpr double least_coverage = 0.9;
constexpr int rounds = 3;

/// Five digits after the point: a hundredth of a thousandth of a percent, or of a microsecond.
double to_five_digits(double value) { return std::round(1e5 * value) / 1e5; }

std::optional<written_number> finite(double value) {
  return std::isfinite(value) ? std::optional<written_number>(to_five_digits(value)) : std::nullopt;
}

struct spread {
  double mean = 0, sigma = 0;  ///< of the population
};

spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  spread out;
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.sigma = std::sqrt(squares / count);
  return out;
}

std::vector<double> lengths_us(const std::vector<device_range>& ranges) {
  std::vector<double> out;
  for (const device_range& range : ranges) out.push_back(range.length_us());
  return out;
}

}  // namespace

std::uint64_t interval_of_ranges_ns(double range_us) {
  return static_cast<std::uint64_t>(
      std::clamp(1e3 * range_us / samples_a_range, shortest_range_interval_ns, longest_range_interval_ns));
}

device_range on_samples_clock(const device_range& range, double ahead_ns) {
  const auto ahead = static_cast<std::uint64_t>(std::llround(ahead_ns));  // wraps where it is behind
  return {range.start_ns + ahead, range.end_ns + ahead};
}

std::vector<double> means_over(const std::vector<pm_sample>& samples, const device_range& range) {
  std::vector<double> sums;
  double covered_ns = 0;
  for (const pm_sample& s : samples) {
    const std::uint64_t from = std::max(s.start_ns, range.start_ns), to = std::min(s.end_ns, range.end_ns);
    if (to <= from) continue;
    const auto inside_ns = static_cast<double>(to - from);
    sums.resize(s.values.size());
    for (std::size_t i = 0; i < s.values.size(); ++i) sums[i] += inside_ns * s.values[i];
    covered_ns += inside_ns;
  }
  const double whole_ns = 1e3 * range.length_us();
  if (!(covered_ns > 0 && covered_ns >= least_coverage * whole_ns))
    throw samples_fall_short(fmt::format("the samples cover {:.0f} % of a range of {:.1f} µs",
                                         100 * covered_ns / std::max(whole_ns, 1.0), range.length_us()));
  for (double& sum : sums) sum /= covered_ns;
  return sums;
}

void add_round(const clocked_samples& taken, const std::vector<device_range>& ranges, sampled_ranges& to) {
  std::vector<std::vector<double>> means;
  for (const device_range& range : ranges)
    means.push_back(means_over(taken.samples, on_samples_clock(range, taken.ahead_ns)));
  to.means.insert(to.means.end(), means.begin(), means.end());
  to.sampled.insert(to.sampled.end(), ranges.begin(), ranges.end());
}

sampled_ranges sample_forwards(device_sampler& sampler, const marked_forwards& run) {
  const auto run_round = [&] {
    std::vector<device_range> ranges = run();
    ranges.erase(ranges.begin());
    return ranges;
  };
  sampled_ranges out;
  for (int round = 0; round < rounds; ++round) {
    for (const device_range& range : run_round()) out.unsampled.push_back(range);
    if (round == 0) out.interval_ns = interval_of_ranges_ns(summarize(lengths_us(out.unsampled)).median);
    once_samples_suffice([&] {
      std::vector<device_range> ranges;
      const clocked_samples taken = sampler.sample(out.interval_ns, [&] { ranges = run_round(); });
      add_round(taken, ranges, out);
    });
  }
  return out;
}

sampled_activity sampled_of(const std::vector<std::string>& keys, const sampled_ranges& ranges) {
  if (ranges.sampled.empty()) throw counters_unavailable("no range was sampled");
  sampled_activity out{};
  double busy_share = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>& range : ranges.means) values.push_back(range.at(i));
    const spread of = spread_of(values);
    if (keys[i] == busy_key) {
      busy_share = of.mean / 100;
      continue;
    }
    out.mean.emplace_back(keys[i], finite(of.mean));
    out.sigma.emplace_back(keys[i], finite(of.sigma));
  }
  if (!(busy_share > 0)) throw counters_unavailable("no multiprocessor was active in the sampled ranges");
  // Idle time adds nothing to any of the means.
  for (const auto& [key, value] : out.mean)
    out.without_gaps.emplace_back(key, value ? finite(*value / busy_share) : std::nullopt);

  const std::vector<double> sampled_us = lengths_us(ranges.sampled);
  const double median_us = summarize(sampled_us).median;
  if (!ranges.unsampled.empty()) {
    const double unsampled_us = summarize(lengths_us(ranges.unsampled)).median;
    out.unsampled_us = to_five_digits(unsampled_us);
    out.cost_pct = to_five_digits(100 * (median_us / unsampled_us - 1));
  }
  out.ranges = static_cast<long>(ranges.sampled.size());
  out.interval_us = to_five_digits(1e-3 * static_cast<double>(ranges.interval_ns));
  out.range_us = to_five_digits(median_us);
  out.range_sigma_us = to_five_digits(spread_of(sampled_us).sigma);
  out.busy_share = to_five_digits(busy_share);
  return out;
}

}  // namespace ablate
