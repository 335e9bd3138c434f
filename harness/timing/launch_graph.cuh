#pragma once

#include "harness/timing/gpu_timing.cuh"

namespace ablate {

/// An instantiated CUDA graph of `launches` launches that cycle through the region's buffer sets.
class launch_graph {
 public:
  launch_graph(const timed_region&, cudaStream_t, const device_limits&, int launches);
  launch_graph(const launch_graph&) = delete;
  ~launch_graph();

  void launch(cudaStream_t) const;

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace ablate
