#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "kernels/common/launcher.h"

namespace ablate {

namespace {

// A block gets more than this only after its kernel's attribute has been set.
constexpr std::size_t default_dynamic_shared_bytes = 48 * 1024;

std::string text(const extent3& e) {
  return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" + std::to_string(e.z);
}

void require(cudaError_t status, const kernel_launch& launch) {
  if (status == cudaSuccess) return;
  throw launch_error("launch of grid " + text(launch.grid) + ", block " + text(launch.block) + ", " +
                     std::to_string(launch.dynamic_shared_bytes) + " bytes of dynamic shared memory: " +
                     cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

void require(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess)
    throw launch_error(what + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

/// Captures what `work` puts on a stream, without running it.
std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> captured(
    const char* library, const std::function<void(CUstream_st*)>& work) {
  cudaStream_t made = nullptr;
  require(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), library);
  const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> stream(made, cudaStreamDestroy);
  require(cudaStreamBeginCapture(made, cudaStreamCaptureModeRelaxed), library);
  cudaGraph_t graph = nullptr;
  try {
    work(made);
  } catch (...) {
    cudaStreamEndCapture(made, &graph);
    if (graph) cudaGraphDestroy(graph);
    throw;
  }
  require(cudaStreamEndCapture(made, &graph), library);
  return {graph, cudaGraphDestroy};
}

extent3 extent_of(const dim3& d) { return {d.x, d.y, d.z}; }

/// The kernels that a library would launch, in order.
std::vector<kernel_launch> kernels_of(const char* library, const std::function<void(CUstream_st*)>& work) {
  const auto graph = captured(library, work);
  std::size_t count = 0;
  require(cudaGraphGetNodes(graph.get(), nullptr, &count), library);
  std::vector<cudaGraphNode_t> nodes(count);
  require(cudaGraphGetNodes(graph.get(), nodes.data(), &count), library);
  std::vector<kernel_launch> kernels;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    require(cudaGraphNodeGetType(node, &type), library);
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams p{};
    require(cudaGraphKernelNodeGetParams(node, &p), library);
    const char* name = nullptr;
    if (cudaFuncGetName(&name, p.func) != cudaSuccess) name = library;
    cudaGetLastError();  // a kernel whose name is unavailable gets the library's
    kernel_launch launched;
    launched.function = p.func;
    launched.grid = extent_of(p.gridDim);
    launched.block = extent_of(p.blockDim);
    launched.dynamic_shared_bytes = p.sharedMemBytes;
    launched.symbol = name;
    kernels.push_back(std::move(launched));
  }
  return kernels;
}

}  // namespace

void launcher::submit(const kernel_launch& launch, void** arguments) {
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
  if (only_describes_) {
    described_.push_back(launch);
    return;
  }
  if (announce_) announce_(launch);
  if (launch.dynamic_shared_bytes > default_dynamic_shared_bytes)
    require(cudaFuncSetAttribute(launch.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(launch.dynamic_shared_bytes)),
            launch);
  cudaLaunchAttribute attributes[3];
  unsigned count = 0;
  if (launch.cluster_blocks > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim = {launch.cluster_blocks, 1, 1};
    ++count;
  }
  if (launch.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count].val.cooperative = 1;
    ++count;
  }
  if (launch.overlaps_previous) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(launch.grid.x, launch.grid.y, launch.grid.z);
  how.blockDim = dim3(launch.block.x, launch.block.y, launch.block.z);
  how.dynamicSmemBytes = launch.dynamic_shared_bytes;
  how.stream = stream_;
  how.attrs = attributes;
  how.numAttrs = count;
  require(cudaLaunchKernelExC(&how, launch.function, arguments), launch);
  wait_if_announced("a kernel");
}

void launcher::wait_if_announced(const std::string& what) const {
  if (announce_) require(cudaStreamSynchronize(stream_), "waiting for " + what);
}

void launcher::call(const char* library, const std::function<void(CUstream_st*)>& work) {
  kernel_launch named;
  named.symbol = library;
  if (!only_describes_) {
    if (announce_) announce_(named);
    work(stream_);
    wait_if_announced(library);
  } else if (!describes_libraries_) {
    described_.push_back(std::move(named));
  } else {
    for (kernel_launch& kernel : kernels_of(library, work)) described_.push_back(std::move(kernel));
  }
}

void launcher::read_bytes(void* to, const void* from, std::size_t bytes) {
  if (only_describes_ && (!describes_libraries_ || from == nullptr)) return;
  require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "reading a result");
  require(cudaStreamSynchronize(stream_), "waiting for a result");
}

}  // namespace ablate
