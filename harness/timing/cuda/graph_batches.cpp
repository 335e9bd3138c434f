#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "harness/timing/gpu_timing.cuh"
#include "harness/timing/launch_graph.cuh"
#include "harness/timing/sample_watch.cuh"
#include "harness/timing/spin.cuh"
#include "harness/timing/warm_up.cuh"

namespace ablate {

namespace {

// A batch is long compared with a graph's start and the event resolution (about half a microsecond each).
constexpr double batch_us = 500;
constexpr int fewest_launches = 4;
constexpr int max_launches = 1000;
// Usually covers the host's launch of such a graph.
constexpr unsigned long long first_batch_spin_ns = 50'000;

int launches_per_batch(double launch_us, std::size_t buffer_sets) {
  const double wanted = std::ceil(batch_us / std::max(launch_us, 0.1));
  const int launches = static_cast<int>(std::clamp<double>(wanted, fewest_launches, max_launches));
  const int sets = static_cast<int>(buffer_sets);
  return (launches + sets - 1) / sets * sets;  // uses every set equally often
}

}  // namespace

timed time_graph_batches(const timed_region& region, cudaStream_t stream, const device_limits& limits,
                         const sampling& rule, const clock_wait* wait) {
  if (region.ahead)
    throw std::logic_error(
        "a batch cannot repeat the untimed work ahead of each of its "
        "launches");
  timed result;
  result.method = "graph";
  const warm_up_result warm = warm_up(region, stream, limits);
  result.launches_per_sample = launches_per_batch(warm.launch_us, region.launches.size());
  const auto graph = std::make_shared<launch_graph>(region, stream, limits, result.launches_per_sample);
  result.again = [graph, stream] { graph->launch(stream); };
  result.again();
  result.warmup_launches = warm.launches + result.launches_per_sample;

  event start, stop;
  sample_watch watch(rule, wait, 1, stream, limits);
  unsigned long long spin_ns = first_batch_spin_ns;
  for (;;) {
    watch.before(0);
    enqueue_spin(stream, spin_ns);
    ABLATE_CUDA_CHECK(cudaEventRecord(start, stream));
    graph->launch(stream);
    if (region.at_end) region.at_end(stream);
    ABLATE_CUDA_CHECK(cudaEventRecord(stop, stream));
    watch.after(0);
    const bool host_was_ahead = cudaEventQuery(start) == cudaErrorNotReady;
    watch.at_work();
    ABLATE_CUDA_CHECK(cudaEventSynchronize(stop));
    cudaGetLastError();  // "not ready" is a valid answer here: clear the error
    if (host_was_ahead) {
      result.samples_us.push_back(elapsed_us(start, stop) / result.launches_per_sample);
    } else if (spin_ns < longest_spin_ns) {
      spin_ns *= 2;
    } else if (result.samples_us.empty()) {
      throw std::runtime_error(
          "the host cannot enqueue a batch within 5 ms: no sample can be taken after a spin kernel");
    }
    if (watch.enough(result)) return result;
  }
}

}  // namespace ablate
