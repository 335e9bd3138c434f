#include "harness/counters/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace ablate {

namespace {

constexpr double shortest_interval_ns = 1000;
constexpr double longest_interval_ns = 1e6;
constexpr double samples_a_launch = 100;
constexpr double fewest_samples = 20;
constexpr double intervals_around = 2;
constexpr double least_shown = 0.9;

/// Three digits after the point: a nanosecond of a microsecond.
double rounded(double value) { return std::round(1e3 * value) / 1e3; }

double since(std::uint64_t start_ns, std::uint64_t at_ns) {
  return static_cast<double>(static_cast<std::int64_t>(at_ns - start_ns));
}

}  // namespace

sampling_plan plan_sampling(double launch_us) {
  const double launch_ns = 1e3 * launch_us;
  const double interval = std::clamp(launch_ns / samples_a_launch, shortest_interval_ns, longest_interval_ns);
  const double loops = std::ceil(fewest_samples * interval / std::max(launch_ns, 1.0));
  return {static_cast<std::uint64_t>(interval), static_cast<int>(std::clamp(loops, 1.0, 1000.0))};
}

std::vector<kernel_share> kernel_shares(const std::vector<std::string>& kernels,
                                        const counter_readings& counters) {
  const std::vector<kernel_share> whole = {{fmt::format("{}", fmt::join(kernels, " + ")), 1.0}};
  if (kernels.size() < 2 || counters.kernels.size() != kernels.size()) return whole;
  std::vector<double> durations;
  for (const counter_readings::kernel& kernel : counters.kernels) {
    const auto duration = find_counter(kernel.values, "gpu__time_duration.sum");
    if (!duration) return whole;
    durations.push_back(*duration);
  }
  const double sum = std::accumulate(durations.begin(), durations.end(), 0.0);
  if (!(sum > 0)) return whole;
  std::vector<kernel_share> shares;
  for (std::size_t i = 0; i < kernels.size(); ++i) shares.push_back({kernels[i], durations[i] / sum});
  return shares;
}

std::optional<double> clock_offset_ns(const std::vector<pm_sample>& samples, const marker_times& marker) {
  constexpr double active_pct = 20;
  const auto is_active = [](const pm_sample& s) { return s.values.front() > active_pct; };
  const auto first = std::find_if(samples.begin(), samples.end(), is_active);
  const auto last = std::find_if_not(first, samples.end(), is_active);
  // The samples on both sides hold a part of the marker each.
  if (first == samples.begin() || first == samples.end() || last == samples.end()) return std::nullopt;
  double weight = 0, moment = 0;
  for (auto s = first - 1; s != last + 1; ++s) {
    weight += s->values.front();
    moment +=
        s->values.front() * (since(marker.start_ns, s->start_ns) + since(marker.start_ns, s->end_ns)) / 2;
  }
  return moment / weight - since(marker.start_ns, marker.end_ns) / 2;
}

activity_timeline timeline_of(const std::vector<std::string>& keys, const std::vector<pm_sample>& samples,
                              const sampled_launches& launches) {
  const double length_ns = since(launches.start_ns, launches.end_ns);
  const double around_ns = intervals_around * static_cast<double>(launches.how.interval_ns);
  activity_timeline out{};
  for (const std::string& key : keys) out.metrics.emplace_back(key, std::vector<std::optional<double>>{});
  double sampled_ns = 0, inside_ns = 0;
  for (const pm_sample& s : samples) {
    const double from = since(launches.start_ns, s.start_ns), to = since(launches.start_ns, s.end_ns);
    if (to < -around_ns || from > length_ns + around_ns) continue;
    sampled_ns += to - from;
    inside_ns += std::max(0.0, std::min(to, length_ns) - std::max(from, 0.0));
    out.time_us.push_back(rounded(1e-3 * (from + to) / 2));
    for (std::size_t i = 0; i < keys.size(); ++i)
      out.metrics[i].second.push_back(std::isfinite(s.values.at(i)) ? std::optional(rounded(s.values[i]))
                                                                    : std::nullopt);
  }
  if (!(inside_ns >= least_shown * length_ns))
    throw samples_fall_short(fmt::format("the samples show {:.0f} of {:.0f} µs of the launches",
                                         1e-3 * inside_ns, 1e-3 * length_ns));

  const double launch_us = 1e-3 * length_ns / launches.how.loops;
  for (int loop = 0; loop < launches.how.loops; ++loop) {
    double at = loop * launch_us;
    for (const kernel_share& kernel : launches.kernels) {
      const double end = at + kernel.share * launch_us;
      out.kernels.push_back({kernel.name, rounded(at), rounded(end)});
      at = end;
    }
  }
  const double interval = out.time_us.empty() ? static_cast<double>(launches.how.interval_ns)
                                              : sampled_ns / static_cast<double>(out.time_us.size());
  out.interval_ns = std::llround(interval);
  out.loops = launches.how.loops;
  return out;
}

}  // namespace ablate
