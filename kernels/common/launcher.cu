#include <cuda.h>
#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/common/driver_function.cuh"
#include "kernels/common/kernel_launch.h"
#include "kernels/common/launcher.h"

namespace ablate {

namespace {

// A block gets more than this, static and dynamic together, only after its kernel's attribute has been set.
constexpr std::size_t default_shared_bytes = 48 * 1024;

std::string text(const extent3& e) {
  return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" + std::to_string(e.z);
}

void require(cudaError_t status, const launch_request& launch) {
  if (status == cudaSuccess) return;
  throw launch_error("launch of grid " + text(launch.grid) + ", block " + text(launch.block) + ", " +
                     std::to_string(launch.dynamic_shared_bytes) + " bytes of dynamic shared memory: " +
                     cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

void require(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess)
    throw launch_error(what + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

template <class Function>
Function* driver_function(const char* name) {
  Function* const function = find_driver_function<Function>(name, 12030);
  if (!function)
    throw launch_error(std::string("the driver has no ") + name + ": it is older than CUDA 12.3");
  return function;
}

/// Kernels that were loaded at run time, which the runtime does not know: `function` is their CUfunction.
bool is_loaded(const kernel_launch& launch) { return launch.function && !launch.symbol.empty(); }

CUfunction loaded_function(const kernel_launch& launch) {
  return static_cast<CUfunction>(const_cast<void*>(launch.function));
}

void require(CUresult status, const kernel_launch& launch) {
  if (status == CUDA_SUCCESS) return;
  static const auto name_of = driver_function<CUresult(CUresult, const char**)>("cuGetErrorName");
  static const auto text_of = driver_function<CUresult(CUresult, const char**)>("cuGetErrorString");
  const char *name = nullptr, *said = nullptr;
  name_of(status, &name);
  text_of(status, &said);
  throw launch_error("launch of '" + launch.symbol + "', grid " + text(launch.grid) + ", block " +
                     text(launch.block) + ", " + std::to_string(launch.dynamic_shared_bytes) +
                     " bytes of dynamic shared memory: " + (name ? name : "unknown error") + ": " +
                     (said ? said : ""));
}

std::size_t read_static_shared_bytes(const kernel_launch& loaded) {
  static const auto attribute =
      driver_function<CUresult(int*, CUfunction_attribute, CUfunction)>("cuFuncGetAttribute");
  int bytes = 0;
  require(attribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, loaded_function(loaded)), loaded);
  return static_cast<std::size_t>(bytes);
}

std::size_t read_static_shared_bytes(const launch_request& launch) {
  cudaFuncAttributes attributes;
  require(cudaFuncGetAttributes(&attributes, launch.function), launch);
  return attributes.sharedSizeBytes;
}

template <class Launch>
std::size_t static_shared_bytes(const Launch& launch) {
  thread_local std::unordered_map<const void*, std::size_t> known;
  const auto [at, is_new] = known.try_emplace(launch.function, 0);
  if (is_new) at->second = read_static_shared_bytes(launch);
  return at->second;
}

void set_attribute(const kernel_launch& loaded, CUfunction_attribute attribute, int value) {
  static const auto set =
      driver_function<CUresult(CUfunction, CUfunction_attribute, int)>("cuFuncSetAttribute");
  require(set(loaded_function(loaded), attribute, value), loaded);
}

void ask_for_shared_memory(const kernel_launch& loaded) {
  set_attribute(loaded, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(loaded.dynamic_shared_bytes));
}

void ask_for_shared_memory(const launch_request& launch) {
  require(cudaFuncSetAttribute(launch.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(launch.dynamic_shared_bytes)),
          launch);
}

void launch_loaded(const kernel_launch& launch, CUstream stream, void** arguments) {
  constexpr unsigned portable_cluster_blocks = 8;  // larger ones are for chips that say so
  static const auto launch_kernel =
      driver_function<CUresult(const CUlaunchConfig*, CUfunction, void**, void**)>("cuLaunchKernelEx");
  CUlaunchAttribute attributes[3];
  unsigned count = 0;
  if (launch.cluster_blocks > portable_cluster_blocks)
    set_attribute(launch, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (launch.cluster_blocks > 1) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[count].value.clusterDim = {launch.cluster_blocks, 1, 1};
    ++count;
  }
  if (launch.cooperative) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[count].value.cooperative = 1;
    ++count;
  }
  if (launch.overlaps_previous) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes[count].value.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  CUlaunchConfig how{};
  how.gridDimX = launch.grid.x;
  how.gridDimY = launch.grid.y;
  how.gridDimZ = launch.grid.z;
  how.blockDimX = launch.block.x;
  how.blockDimY = launch.block.y;
  how.blockDimZ = launch.block.z;
  how.sharedMemBytes = static_cast<unsigned>(launch.dynamic_shared_bytes);
  how.hStream = stream;
  how.attrs = attributes;
  how.numAttrs = count;
  require(launch_kernel(&how, loaded_function(launch), arguments, nullptr), launch);
}

template <class Launch>
bool must_ask_for_shared_memory(const Launch& launch) {
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
  if (only_describes_) return beside_describing();
  launcher made = *this;
  made.is_beside_ = true;
  made.stream_ = second_stream::of_thread().stream;
  return made;
}

void launcher::wait_for(launcher& other) {
  if (only_describes_) return;
  const cudaEvent_t reached = second_stream::of_thread().reached;
  require(cudaEventRecord(reached, other.stream_), "recording an event");
  require(cudaStreamWaitEvent(stream_, reached, 0), "waiting for a stream");
}

void launcher::submit(const kernel_launch& launch, void** arguments) {
  if (!is_loaded(launch) && !only_describes_)
    return submit(static_cast<const launch_request&>(launch), arguments);
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
  if (only_describes_) {
    kernel_launch described = launch;
    described.arguments = arguments;
    return describe(described);
  }
  if (announces()) announce(launch);
  if (must_ask_for_shared_memory(launch)) ask_for_shared_memory(launch);
  launch_loaded(launch, stream_, arguments);
  wait_if_announced("a kernel");
}

void launcher::submit(const launch_request& launch, void** arguments) {
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
  if (only_describes_) return describe({launch, {}, arguments});
  if (announces()) announce({launch});
  if (must_ask_for_shared_memory(launch)) ask_for_shared_memory(launch);
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

void launcher::wait_if_announced(const char* what) const {
  if (announces()) require(cudaStreamSynchronize(stream_), std::string("waiting for ") + what);
}

void launcher::call(const char* library, library_work work, const void* of) {
  kernel_launch named;
  named.symbol = library;
  named.grid = {0, 0, 0};
  if (!only_describes_) {
    if (announces()) announce(named);
    work(of, stream_);
    wait_if_announced(library);
    return;
  }
  if (!describes_libraries_) return describe(named);
  for (const kernel_launch& kernel : kernels_of(library, [&](CUstream_st* stream) { work(of, stream); }))
    describe(kernel);
}

void launcher::read_bytes(void* to, const void* from, std::size_t bytes) {
  if (only_describes_ && (!describes_libraries_ || from == nullptr)) return;
  require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "reading a result");
  require(cudaStreamSynchronize(stream_), "waiting for a result");
}

}  // namespace ablate
