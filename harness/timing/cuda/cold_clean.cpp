#include <algorithm>
#include <stdexcept>

#include "harness/timing/gpu_timing.cuh"
#include "harness/timing/sample_watch.cuh"
#include "harness/timing/spin.cuh"
#include "harness/timing/warm_up.cuh"

namespace ablate {

namespace {

constexpr int max_samples_in_flight = 10;
/// As long as a window of the steady clock: launches that take longer are watched one at a time.
constexpr double longest_in_flight_us = 2e5;
constexpr unsigned long long first_sample_spin_ns = 10'000;

struct sample {
  event start, stop;
  bool host_was_ahead = false;  // everything timed was enqueued before the region began
};

}  // namespace

timed time_cold_clean(const timed_region& region, cudaStream_t stream, const device_limits& limits,
                      const l2_flush& flush, const sampling& rule, const clock_wait* wait) {
  timed result;
  result.method = "events";
  const warm_up_result warm = warm_up(region, stream, limits);
  result.warmup_launches = warm.launches;
  const int samples_in_flight = static_cast<int>(std::clamp(
      longest_in_flight_us / std::max(warm.launch_us, 1.0), 1.0, static_cast<double>(max_samples_in_flight)));

  launcher to(stream, limits);
  std::vector<sample> in_flight(static_cast<std::size_t>(samples_in_flight));
  unsigned long long spin_ns = first_sample_spin_ns;
  sample_watch watch(rule, wait, samples_in_flight, stream, limits);
  for (;;) {
    for (int i = 0; i < samples_in_flight; ++i) {
      sample& s = in_flight[static_cast<std::size_t>(i)];
      if (region.reset) region.reset(stream);
      if (region.ahead) region.ahead(to);
      flush.enqueue(stream);
      watch.before(i);
      enqueue_spin(stream, spin_ns);
      ABLATE_CUDA_CHECK(cudaEventRecord(s.start, stream));
      region.launches.front()(to);
      if (region.at_end) region.at_end(stream);
      ABLATE_CUDA_CHECK(cudaEventRecord(s.stop, stream));
      s.host_was_ahead = cudaEventQuery(s.start) == cudaErrorNotReady;
      watch.after(i);
    }
    watch.at_work();
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
    cudaGetLastError();  // "not ready" is a valid answer here: clear the error

    bool dropped = false;
    for (const sample& s : in_flight) {
      if (s.host_was_ahead)
        result.samples_us.push_back(elapsed_us(s.start, s.stop));
      else
        dropped = true;
    }
    if (dropped && spin_ns < longest_spin_ns) spin_ns *= 2;
    if (watch.enough(result)) return result;
    if (result.samples_us.empty() && spin_ns >= longest_spin_ns)
      throw std::runtime_error(
          "the host cannot enqueue a launch within 5 ms: no sample can be taken after a spin kernel");
  }
}

}  // namespace ablate
