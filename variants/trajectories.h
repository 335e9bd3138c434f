#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "harness/registry/define.h"
#include "kernels/common/bf16.h"
#include "oracles/trajectory_resample/reference.h"
#include "variants/bias_figures.h"

/// Inputs and checks shared by resampling one stream and fusing several.
namespace ablate::trajectory_resample {

constexpr std::int64_t max_elements = std::int64_t{1} << 28;

inline element element_of(const axis_values& at) {
  return at.word("element") == "bf16" ? element::bfloat16 : element::float32;
}

inline outside outside_of(const axis_values& at) {
  const std::string& word = at.word("outside");
  if (word == "extrapolate_after") return outside::extrapolate_after;
  return word == "extrapolate" ? outside::extrapolate : outside::clamp;
}

/// Axes that follow those of the sizes.
inline std::vector<axis> common_axes() {
  return {
      axis::of_words("element", {"f32", "bf16"}, "of samples and output; arithmetic is fp32"),
      axis::of_words("times", {"jittered", "repeated", "runs_of_3"},
                     "of samples: steps of half to one and a half of the mean; or with each fourth step 0 "
                     "and each eighth the least that fp32 has; or with two steps of 0 in each five, so "
                     "that three samples are equal"),
      axis::of_words("order", {"sorted", "shuffled"}, "of targets: ascending, or random"),
      axis::of_words("outside", {"clamp", "extrapolate_after", "extrapolate"},
                     "targets before the first or after the last sample: the end sample, or the line goes "
                     "on, as the published kernels have it: after the last, or on both sides")};
}

constexpr double seconds_of_trajectory = 8;

/// Times of [batch][samples] over some seconds_of_trajectory; `pattern` is a word of the axis `times`. Runs
/// of three equal samples are five apart, so that some straddle the end of a warp's or a block's samples.
inline std::vector<float> sample_times(int batch, int samples, const std::string& pattern,
                                       random_stream random) {
  const bool has_repeated = pattern == "repeated", has_runs = pattern == "runs_of_3";
  std::vector<float> times;
  times.reserve(static_cast<std::size_t>(batch) * static_cast<std::size_t>(samples));
  const double mean_step = seconds_of_trajectory / samples;
  for (int b = 0; b < batch; ++b) {
    double now = random.uniform();
    for (int i = 0; i < samples; ++i) {
      const double step = mean_step * (0.5 + random.uniform());
      const auto before = static_cast<float>(now);
      if (i > 0 && ((has_repeated && i % 4 == 3) || (has_runs && (i % 5 == 1 || i % 5 == 2))))
        times.push_back(times.back());
      else if (i > 0 && has_repeated && i % 8 == 6)
        times.push_back(std::nextafter(times.back(), 2 * times.back() + 1));
      else
        times.push_back(before);
      now = std::max(now + step, static_cast<double>(times.back()));
    }
  }
  return times;
}

/// Times of [batch][targets] from a twentieth before the first sample to one after the last; every eighth
/// equals a sample's. `of` are the samples' times.
inline std::vector<float> target_times(int batch, int targets, bool is_sorted, const std::vector<float>& of,
                                       random_stream random) {
  std::vector<float> times;
  times.reserve(static_cast<std::size_t>(batch) * static_cast<std::size_t>(targets));
  const std::size_t samples = of.size() / static_cast<std::size_t>(batch);
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
    const double begin = static_cast<double>(of[b * samples]) - seconds_of_trajectory / 20;
    const double length = static_cast<double>(of[(b + 1) * samples - 1]) + seconds_of_trajectory / 20 - begin;
    const std::size_t first = times.size();
    for (int t = 0; t < targets; ++t)
      times.push_back(
          t % 8 == 7
              ? of[b * samples + random.below(static_cast<std::uint32_t>(samples))]
              : static_cast<float>(begin + length * (static_cast<double>(t) + random.uniform()) / targets));
    const auto from = times.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(from, times.end());
    if (is_sorted) continue;
    for (int t = targets - 1; t > 0; --t)
      std::swap(from[t], from[random.below(static_cast<std::uint32_t>(t) + 1)]);
  }
  return times;
}

/// Values in [−1, 1), in the element type.
inline std::vector<std::byte> sample_values(element type, std::int64_t count, random_stream random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes_of(type)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto value = static_cast<float>(random.uniform(-1, 1));
    if (type == element::float32)
      reinterpret_cast<float*>(bytes.data())[i] = value;
    else
      reinterpret_cast<std::uint16_t*>(bytes.data())[i] = bf16_of_float(value);
  }
  return bytes;
}

/// Compulsory: every sample that a target needs and its time, every target's time, every output; two fused
/// multiply-adds per element. For a problem with host pointers; the caller counts target times, since it
/// knows how many streams share them.
inline work_model work_of(const problem& host) {
  const auto rows = static_cast<double>(needed_rows(host));
  const double elements = static_cast<double>(host.batch) * host.targets * host.channels;
  return {.bytes = rows * (4 + bytes_of(host.type) * static_cast<double>(host.channels)) +
                   bytes_of(host.type) * elements,
          .written_bytes = bytes_of(host.type) * elements,
          .flops = 4 * elements,
          .flop_pipe = "fma_f32"};
}

/// For a problem with host pointers.
inline tensor_bias bias_of(const problem& host) {
  return {deviation_of(host).signs, accepted_bias(host.type)};
}

/// For a problem with host pointers.
inline check_result check_of(const problem& host) {
  const deviation worst = deviation_of(host);
  const double accepted = accepted_ulps(host.type);
  if (worst.ulps <= accepted)
    return bias_result("out", tensor_bias(worst.signs, accepted_bias(host.type)))
        .value_or(check_result{true, "", worst.ulps, accepted});
  const std::int64_t row = worst.at / host.out_row;
  return {
      false,
      fmt::format("trajectory {}, target {}, channel {}: expected {}, found {}: {:.1f} ulp apart, at most {}",
                  row / host.targets, row % host.targets, worst.at % host.out_row, worst.expected,
                  worst.found, worst.ulps, accepted),
      worst.ulps, accepted};
}

}  // namespace ablate::trajectory_resample
