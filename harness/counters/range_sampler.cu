#include "harness/counters/metric_groups.h"
#include "harness/counters/range_sampler.cuh"

namespace ablate {

namespace {

constexpr unsigned long long idle_ns = 20'000;
constexpr unsigned long long marked_intervals = 10;
// Five forwards of 500 samples, and as much again for each forward's preparation and more.
constexpr std::uint32_t most_samples = 8192;

}  // namespace

range_sampler::range_sampler(int device) : marks_(device, 0) {
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : counters().sampled) {
    keys_.push_back(key);
    metrics.push_back(metric);
  }
  try {
    sampler_ = std::make_unique<pm_sampler>(device, metrics, most_samples);
  } catch (const counters_unavailable& e) {
    why_not_ = e.what();
  }
}

clocked_samples range_sampler::sample(std::uint64_t interval_ns, const std::function<void()>& work) {
  if (!sampler_) throw counters_unavailable(*why_not_);
  const unsigned long long marked_ns = marked_intervals * interval_ns;
  clocked_samples out;
  out.samples = sampler_->sample(interval_ns, [&] {
    marks_.enqueue_marker(stream_, idle_ns + marked_ns, marked_ns);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    work();
  });
  const std::optional<double> ahead = clock_offset_ns(out.samples, marks_.marker());
  if (!ahead) throw counters_unavailable(no_marker_in_samples);
  out.ahead_ns = *ahead;
  return out;
}

}  // namespace ablate
