#include <algorithm>

#include "harness/counters/case_sampler.cuh"
#include "harness/counters/metric_groups.h"
#include "harness/counters/sampled_ranges.h"

namespace ablate {

namespace {

// The host needs that long to enqueue a kernel; the spin kernel covers it, so that no gap is sampled.
constexpr unsigned long long enqueue_ns = 5'000;
constexpr unsigned long long longest_spin_ns = 5'000'000;
constexpr unsigned long long marked_intervals = 10;
constexpr std::uint32_t most_samples = 4096;

}  // namespace

case_sampler::case_sampler(int device) : marks_(device, 2) {
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : counters().timeline) {
    keys_.push_back(key);
    metrics.push_back(metric);
  }
  try {
    sampler_ = std::make_unique<pm_sampler>(device, metrics, most_samples);
  } catch (const counters_unavailable& e) {
    why_not_ = e.what();
  }
}

nlohmann::ordered_json case_sampler::collect(const sampled_case& c, cudaStream_t stream) {
  if (!sampler_) throw counters_unavailable(*why_not_);
  sampled_launches launches{plan_sampling(c.launch_us), 0, 0, c.kernels};
  if (c.only_once) launches.how.loops = 1;
  const unsigned long long marked_ns = marked_intervals * launches.how.interval_ns;
  c.prepare();
  const std::vector<pm_sample> samples = sampler_->sample(launches.how.interval_ns, [&] {
    const unsigned long long kernels = c.kernels.size() * static_cast<unsigned>(launches.how.loops) + 2;
    marks_.enqueue_marker(stream, std::min(longest_spin_ns, 20'000 + enqueue_ns * kernels), marked_ns);
    marks_.enqueue_stamp(stream, 0);
    for (int i = 0; i < launches.how.loops; ++i) c.enqueue();
    marks_.enqueue_stamp(stream, 1);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  });
  const std::optional<double> offset = clock_offset_ns(samples, marks_.marker());
  if (!offset) throw counters_unavailable(no_marker_in_samples);
  const std::vector<std::uint64_t> stamps = marks_.stamps();
  const device_range range = on_samples_clock({stamps[0], stamps[1]}, *offset);
  launches.start_ns = range.start_ns;
  launches.end_ns = range.end_ns;
  return timeline_json(keys_, samples, launches);
}

}  // namespace ablate
