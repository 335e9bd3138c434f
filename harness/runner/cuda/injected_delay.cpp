#include "harness/runner/injected_delay.cuh"

#include <algorithm>

#include "harness/timing/spin.cuh"
#include "harness/timing/statistics.h"

namespace ablate {

namespace {

/// The time of a whole sample: a batch has many launches but one delay.
double sample_us(const timed& of) { return summarize(of.samples_us).median * of.launches_per_sample; }

timed_region with_spin(timed_region region, double us, double clock_mhz) {
  const auto cycles = static_cast<long long>(us * clock_mhz);
  region.at_end = [cycles](cudaStream_t stream) { enqueue_spin_cycles(stream, cycles); };
  return region;
}

}  // namespace

timed time_delayed(const timed_region& region, cudaStream_t stream, double pct,
                   const std::function<timed(const timed_region&)>& time) {
  const timed as_it_is = time(region);
  const double clock_mhz = measured_sm_clock_mhz(stream);
  const double wanted_us = pct / 100 * sample_us(as_it_is);
  const timed guess = time(with_spin(region, wanted_us, clock_mhz));
  // The batch size follows from the warm-up, so it may differ between the two.
  const double without_us = sample_us(as_it_is) / as_it_is.launches_per_sample * guess.launches_per_sample;
  const double added_us = sample_us(guess) - without_us;
  return time(with_spin(region, std::max(0.0, 2 * wanted_us - added_us), clock_mhz));
}

}  // namespace ablate
