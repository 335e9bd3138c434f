#include "harness/counters/marked_sampler.cuh"

namespace ablate {

marked_sampler::marked_sampler(int device, const std::vector<std::pair<std::string, std::string>>& values,
                               std::uint32_t max_samples, std::size_t stamps)
    : marks_(device, stamps) {
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : values) {
    keys_.push_back(key);
    metrics.push_back(metric);
  }
  try {
    sampler_ = std::make_unique<pm_sampler>(device, metrics, max_samples);
  } catch (const counters_unavailable& e) {
    why_not_ = e.what();
  }
}

clocked_samples marked_sampler::sample(cudaStream_t stream, std::uint64_t interval_ns, std::uint64_t idle_ns,
                                       const std::function<void()>& work) {
  if (!sampler_) throw counters_unavailable(*why_not_);
  clocked_samples out;
  out.samples = sampler_->sample(interval_ns, [&] {
    marks_.enqueue_marker(stream, idle_ns, marker_ns(interval_ns));
    work();
  });
  const std::optional<double> ahead = clock_offset_ns(out.samples, marks_.marker());
  if (!ahead) throw samples_fall_short(no_marker_in_samples);
  out.ahead_ns = *ahead;
  return out;
}

}  // namespace ablate
