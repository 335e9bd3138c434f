#include <algorithm>

#include "harness/counters/case_sampler.cuh"
#include "harness/counters/metric_groups.h"
#include "harness/counters/sampled_ranges.h"
#include "harness/timing/spin.cuh"

namespace ablate {

namespace {

// The host needs that long to enqueue a kernel; the spin kernel covers it, so that no gap is sampled.
constexpr std::uint64_t enqueue_ns = 5'000;
constexpr std::uint32_t max_samples = 4096;

}  // namespace

case_sampler::case_sampler(int device) : sampler_(device, counters().timeline, max_samples, 2) {}

activity_timeline case_sampler::collect(const sampled_case& c, cudaStream_t stream) {
  return once_samples_suffice([&] { return collect_once(c, stream); });
}

activity_timeline case_sampler::collect_once(const sampled_case& c, cudaStream_t stream) {
  sampled_launches launches{plan_sampling(c.launch_us), 0, 0, c.kernels};
  if (c.only_once) launches.how.loops = 1;
  const std::uint64_t kernels = c.kernels.size() * static_cast<unsigned>(launches.how.loops) + 2;
  const std::uint64_t idle_ns = std::min<std::uint64_t>(longest_spin_ns, 20'000 + enqueue_ns * kernels);
  c.prepare();
  const clocked_samples sampled = sampler_.sample(stream, launches.how.interval_ns, idle_ns, [&] {
    sampler_.marks().enqueue_stamp(stream, 0);
    for (int i = 0; i < launches.how.loops; ++i) c.enqueue();
    sampler_.marks().enqueue_stamp(stream, 1);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  });
  const std::vector<std::uint64_t> stamps = sampler_.marks().stamps();
  const device_range range = on_samples_clock({stamps[0], stamps[1]}, sampled.ahead_ns);
  launches.start_ns = range.start_ns;
  launches.end_ns = range.end_ns;
  return timeline_of(sampler_.keys(), sampled.samples, launches);
}

}  // namespace ablate
