#include <optional>

#include "harness/timing/gpu_timing.cuh"
#include "harness/timing/launch_graph.cuh"
#include "harness/timing/sample_watch.cuh"
#include "harness/timing/stopwatch.h"
#include "harness/timing/warm_up.cuh"

namespace ablate {

timed time_on_host_clock(const timed_region& region, cudaStream_t stream, const device_limits& limits,
                         const l2_flush& flush, bool as_graph, const sampling& rule, const clock_wait* wait) {
  timed result;
  result.method = as_graph ? "host_clock_graph" : "host_clock";
  result.warmup_launches = warm_up(region, stream, limits).launches;

  launcher to(stream, limits);
  std::optional<launch_graph> graph;
  if (as_graph) {
    graph.emplace(region, stream, limits, 1);
    graph->launch(stream);
  }
  sample_watch watch(rule, wait, 1, stream, limits);
  for (;;) {
    if (region.reset) region.reset(stream);
    if (region.ahead) region.ahead(to);
    flush.enqueue(stream);
    watch.before(0);
    watch.at_work();
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
    const stopwatch called;
    if (graph)
      graph->launch(stream);
    else
      region.launches.front()(to);
    if (region.at_end) region.at_end(stream);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
    result.samples_us.push_back(1e6 * called.seconds());
    watch.after(0);
    if (watch.enough(result)) return result;
  }
}

}  // namespace ablate
