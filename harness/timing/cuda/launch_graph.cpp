#include "harness/timing/launch_graph.cuh"

namespace ablate {

launch_graph::launch_graph(const timed_region& region, cudaStream_t stream, const device_limits& limits,
                           int launches) {
  launcher to(stream, limits);
  ABLATE_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    for (int i = 0; i < launches; ++i) region.launches[i % region.launches.size()](to);
  } catch (...) {
    cudaGraph_t abandoned = nullptr;
    cudaStreamEndCapture(stream, &abandoned);
    if (abandoned) cudaGraphDestroy(abandoned);
    throw;
  }
  cudaGraph_t graph = nullptr;
  ABLATE_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  ABLATE_CUDA_CHECK(status);
}

launch_graph::~launch_graph() { cudaGraphExecDestroy(executable_); }

void launch_graph::launch(cudaStream_t stream) const {
  ABLATE_CUDA_CHECK(cudaGraphLaunch(executable_, stream));
}

}  // namespace ablate
