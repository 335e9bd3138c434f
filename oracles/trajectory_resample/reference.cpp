#include "oracles/trajectory_resample/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/bf16.h"

namespace ablate::trajectory_resample {
namespace {

double element_at(element type, const void* of, std::int64_t i) {
  if (type == element::float32) return static_cast<double>(static_cast<const float*>(of)[i]);
  return static_cast<double>(float_of_bf16(static_cast<const std::uint16_t*>(of)[i]));
}

void set_element(element type, void* of, std::int64_t i, double value) {
  if (type == element::float32)
    static_cast<float*>(of)[i] = static_cast<float>(value);
  else
    static_cast<std::uint16_t*>(of)[i] = bf16_of_float(static_cast<float>(value));
}

/// Spacing of the type's numbers at this magnitude. Computed from bits, since it is needed for every element.
double unit_in_the_last_place(element type, double magnitude) {
  constexpr int digits = 52, bias = 1023;  // of fp64
  constexpr int least_exponent = -126;     // of normal numbers, the same for both types
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> digits) - bias;
  const int of_last_place = std::max(exponent, least_exponent) - (type == element::float32 ? 23 : 7);
  return std::bit_cast<double>(static_cast<std::uint64_t>(of_last_place + bias) << digits);
}

bracket bracket_at(const problem& p, std::int64_t batch, std::int64_t target) {
  return bracket_of(p.source_times + batch * p.samples, p.samples, p.target_times[batch * p.targets + target],
                    p.beyond);
}

/// Calls `visit(place in out, first sample's contribution, second sample's)` for every element.
template <class Visit>
void for_each_output(const problem& p, Visit visit) {
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t t = 0; t < p.targets; ++t) {
      const bracket at = bracket_at(p, b, t);
      const auto weight = static_cast<double>(at.weight);
      const std::int64_t first = (b * p.samples + at.first) * p.channels;
      const std::int64_t second = (b * p.samples + std::min(at.first + 1, p.samples - 1)) * p.channels;
      for (std::int64_t c = 0; c < p.channels; ++c)
        visit((b * p.targets + t) * p.out_row + c, (1 - weight) * element_at(p.type, p.source, first + c),
              weight * element_at(p.type, p.source, second + c));
    }
}

}  // namespace

bracket bracket_of(const float* times, int samples, float target, outside beyond) {
  if (samples == 1) return {0, 0.0f};
  const auto not_later = static_cast<int>(std::upper_bound(times, times + samples, target) - times);
  const int first = std::clamp(not_later - 1, 0, samples - 2);
  const float gap = times[first + 1] - times[first];
  const weight_limits limits = limits_of(beyond);
  const float weight = gap < smallest_gap_s ? 0.0f : (target - times[first]) / gap;
  return {first, std::min(std::max(weight, limits.least), limits.most)};
}

std::int64_t needed_rows(const problem& p) {
  std::int64_t needed = 0;
  std::vector<bool> is_needed(static_cast<std::size_t>(p.samples));
  for (std::int64_t b = 0; b < p.batch; ++b) {
    is_needed.assign(is_needed.size(), false);
    for (std::int64_t t = 0; t < p.targets; ++t) {
      const bracket at = bracket_at(p, b, t);
      if (at.weight != 1.0f) is_needed[static_cast<std::size_t>(at.first)] = true;
      if (at.weight != 0.0f) is_needed[static_cast<std::size_t>(at.first) + 1] = true;
    }
    needed += std::count(is_needed.begin(), is_needed.end(), true);
  }
  return needed;
}

void reference(const problem& p) {
  for_each_output(p, [&](std::int64_t at, double first, double second) {
    set_element(p.type, p.out, at, first + second);
  });
}

deviation deviation_of(const problem& p) {
  deviation worst;
  for_each_output(p, [&](std::int64_t at, double first, double second) {
    const double found = element_at(p.type, p.out, at), size = std::fabs(first) + std::fabs(second);
    unit_errors element;
    element.add(found, first + second, size);
    worst.signs.add(element);
    const double ulps = std::fabs(found - (first + second)) / unit_in_the_last_place(p.type, size);
    if (ulps <= worst.ulps) return;
    // NaN also comes here, and stays the worst.
    worst = {std::isnan(ulps) ? std::numeric_limits<double>::infinity() : ulps, at, first + second, found,
             worst.signs};
  });
  return worst;
}

}  // namespace ablate::trajectory_resample
