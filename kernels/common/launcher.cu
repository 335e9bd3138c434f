#include <cuda.h>
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "kernels/common/launcher.h"

namespace ablate {

namespace {

// A block gets more than this, static and dynamic together, only after its kernel's attribute has been set.
constexpr std::size_t default_shared_bytes = 48 * 1024;

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

std::size_t static_shared_bytes(const kernel_launch& launch) {
  thread_local std::unordered_map<const void*, std::size_t> known;
  const auto [at, is_new] = known.try_emplace(launch.function, 0);
  if (is_new) {
    cudaFuncAttributes attributes;
    require(cudaFuncGetAttributes(&attributes, launch.function), launch);
    at->second = attributes.sharedSizeBytes;
  }
  return at->second;
}

bool must_ask_for_shared_memory(const kernel_launch& launch) {
  const std::size_t dynamic = launch.dynamic_shared_bytes;
  return dynamic > 0 && dynamic + static_shared_bytes(launch) > default_shared_bytes;
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

/// A function of the driver, asked for at run time: nothing links to it.
template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  constexpr unsigned since = 12030;
  if (cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    throw launch_error(std::string("the driver has no ") + name + ": it is older than CUDA 12.3");
  return reinterpret_cast<Function*>(function);
}

/// What a graph's node launches. The runtime knows only kernels that it loaded itself; cuBLASLt loads its own
/// through the driver, which knows all.
kernel_launch kernel_at(cudaGraphNode_t node, const char* library) {
  static const auto parameters_of =
      driver_function<CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*)>("cuGraphKernelNodeGetParams");
  static const auto kernel_name = driver_function<CUresult(const char**, CUkernel)>("cuKernelGetName");
  static const auto function_name = driver_function<CUresult(const char**, CUfunction)>("cuFuncGetName");
  CUDA_KERNEL_NODE_PARAMS p{};
  if (parameters_of(node, &p) != CUDA_SUCCESS)
    throw launch_error(std::string(library) + ": the driver does not tell what a captured node launches");
  const char* name = nullptr;
  const bool is_named = p.kern ? kernel_name(&name, p.kern) == CUDA_SUCCESS
                               : p.func && function_name(&name, p.func) == CUDA_SUCCESS;
  kernel_launch launched;
  launched.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  launched.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  launched.dynamic_shared_bytes = p.sharedMemBytes;
  launched.symbol = is_named ? name : library;
  return launched;
}

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
    kernels.push_back(kernel_at(node, library));
  }
  return kernels;
}

/// What a thread's launches beside others need, kept until the process ends.
struct second_stream {
  cudaStream_t stream = nullptr;
  cudaEvent_t reached = nullptr;

  static const second_stream& of_thread() {
    thread_local const second_stream made;
    return made;
  }

 private:
  second_stream() {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a second stream");
    require(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming), "making an event");
  }
};

}  // namespace

launcher launcher::beside() const {
  launcher made = *this;
  made.described_.clear();
  made.is_beside_ = true;
  if (!only_describes_) made.stream_ = second_stream::of_thread().stream;
  return made;
}

void launcher::wait_for(launcher& other) {
  if (only_describes_) {
    // One list tells all launches, in an order in which they may run.
    if (is_beside_) return;
    for (kernel_launch& launched : other.described_) described_.push_back(std::move(launched));
    other.described_.clear();
    return;
  }
  const cudaEvent_t reached = second_stream::of_thread().reached;
  require(cudaEventRecord(reached, other.stream_), "recording an event");
  require(cudaStreamWaitEvent(stream_, reached, 0), "waiting for a stream");
}

void launcher::submit(const kernel_launch& launch, void** arguments) {
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
  if (only_describes_) {
    described_.push_back(launch);
    return;
  }
  if (announce_) announce_(launch);
  if (must_ask_for_shared_memory(launch))
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
  named.grid = {0, 0, 0};
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
