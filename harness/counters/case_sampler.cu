#include <algorithm>
#include <cmath>

#include "harness/counters/case_sampler.cuh"
#include "harness/counters/metric_groups.h"
#include "harness/timing/spin.cuh"

namespace ablate {

namespace {

/// The clock that the samples carry.
__global__ void stamp(unsigned long long* at) {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  *at = t;
}

/// Keeps one block a multiprocessor busy.
__global__ void mark(unsigned long long* from_to, unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    from_to[0] = start;
    from_to[1] = now;
  }
}

// The host needs that long to enqueue a kernel; the spin kernel covers it, so that no gap is sampled.
constexpr unsigned long long enqueue_ns = 5'000;
constexpr unsigned long long longest_spin_ns = 5'000'000;
constexpr unsigned long long marked_intervals = 10;

}  // namespace

case_sampler::case_sampler(int device) : stamps_(4 * sizeof(unsigned long long)) {
  ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : counters().timeline) {
    keys_.push_back(key);
    metrics.push_back(metric);
  }
  // Code is loaded at its first launch, and compiled there where a build holds only PTX: not while samples
  // are taken.
  auto* stamps = static_cast<unsigned long long*>(stamps_.address());
  stamp<<<1, 1>>>(stamps);
  mark<<<1, 1>>>(stamps, 0);
  enqueue_spin(nullptr, 0);
  ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  try {
    sampler_ = std::make_unique<pm_sampler>(device, metrics);
  } catch (const counters_unavailable& e) {
    why_not_ = e.what();
  }
}

nlohmann::ordered_json case_sampler::collect(const sampled_case& c, cudaStream_t stream) {
  if (!sampler_) throw counters_unavailable(*why_not_);
  auto* stamps = static_cast<unsigned long long*>(stamps_.address());
  sampled_launches launches{plan_sampling(c.launch_us), 0, 0, c.kernels};
  if (c.only_once) launches.how.loops = 1;
  const unsigned long long marked_ns = marked_intervals * launches.how.interval_ns;
  c.prepare();
  const std::vector<pm_sample> samples = sampler_->sample(launches.how.interval_ns, [&] {
    const unsigned long long kernels = c.kernels.size() * static_cast<unsigned>(launches.how.loops) + 2;
    enqueue_spin(stream, std::min(longest_spin_ns, 20'000 + enqueue_ns * kernels));
    mark<<<static_cast<unsigned>(multiprocessors_), 32, 0, stream>>>(stamps, marked_ns);
    enqueue_spin(stream, marked_ns);
    stamp<<<1, 1, 0, stream>>>(stamps + 2);
    for (int i = 0; i < launches.how.loops; ++i) c.enqueue();
    stamp<<<1, 1, 0, stream>>>(stamps + 3);
    ABLATE_CUDA_CHECK(cudaGetLastError());
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  });
  unsigned long long times[4];
  ABLATE_CUDA_CHECK(cudaMemcpy(times, stamps, sizeof times, cudaMemcpyDeviceToHost));
  const std::optional<double> offset = clock_offset_ns(samples, {times[0], times[1]});
  if (!offset) throw counters_unavailable("the samples do not show the marker by which their clock is set");
  launches.start_ns = times[2] + static_cast<std::uint64_t>(std::llround(*offset));
  launches.end_ns = times[3] + static_cast<std::uint64_t>(std::llround(*offset));
  return timeline_json(keys_, samples, launches);
}

}  // namespace ablate
