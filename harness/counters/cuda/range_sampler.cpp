#include "harness/counters/range_sampler.cuh"
#include "harness/counters/metric_groups.h"

namespace ablate {

namespace {

constexpr std::uint64_t idle_ns = 20'000;
// Five forwards of 200 samples, and three times as much for each forward's preparation and more. Room, and
// what is evaluated of it, takes longer than the forwards do.
constexpr std::uint32_t max_samples_of_range = 4096;

}  // namespace

range_sampler::range_sampler(int device) : sampler_(device, counters().sampled, max_samples_of_range) {}

clocked_samples range_sampler::sample(std::uint64_t interval_ns, const std::function<void()>& work) {
  return sampler_.sample(stream_, interval_ns, idle_ns + marked_sampler::marker_ns(interval_ns), [&] {
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    work();
  });
}

}  // namespace ablate
