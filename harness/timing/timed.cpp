#include "harness/timing/timed.h"

#include <cmath>
#include <utility>

#include "base/statistics/quantile.h"
#include "harness/timing/statistics.h"

namespace ablate {

namespace {

// A nanosecond is finer than any of the clocks; more digits would only lengthen the record.
double to_nanoseconds(double us) { return std::round(us * 1000) / 1000; }

}  // namespace

measured_case::timing timing_of(const timed& t) {
  std::vector<double> samples;
  for (double sample : t.samples_us) samples.push_back(to_nanoseconds(sample));
  const summary s = summarize(samples);
  return {.median_us = to_nanoseconds(s.median),
          .min_us = s.minimum,
          .mad_us = to_nanoseconds(s.mad),
          .ci95_low_us = s.ci95_low,
          .ci95_high_us = s.ci95_high,
          .method = t.method,
          .launches_per_sample = t.launches_per_sample,
          .warmup_launches = t.warmup_launches,
          .stopped_by = std::string(to_string(t.stopped_by)),
          .samples_us = std::move(samples),
          .clock = t.clock};
}

void keep_block_medians(measured_case::timing& of) {
  constexpr std::size_t most_blocks = 16;
  const std::size_t per_block = (of.samples_us.size() + most_blocks - 1) / most_blocks;
  if (per_block < 2) return;
  std::vector<double> medians;
  for (std::size_t i = 0; i < of.samples_us.size() / per_block; ++i) {
    const auto begin = of.samples_us.begin() + static_cast<std::ptrdiff_t>(i * per_block);
    medians.push_back(to_nanoseconds(
        gate::median(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(per_block)))));
  }
  of.samples_us = std::move(medians);
  of.samples_per_block = static_cast<long>(per_block);
}

}  // namespace ablate
