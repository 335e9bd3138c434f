#include <cuda_runtime.h>

#include <string>

#include "kernels/common/launcher.h"

namespace ablate {

namespace {

// A block gets more than this only after its kernel has been told so.
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

}  // namespace

void launcher::submit(const kernel_launch& launch, void** arguments) {
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
  if (only_describes_) {
    described_.push_back(launch);
    return;
  }
  if (launch.dynamic_shared_bytes > default_dynamic_shared_bytes)
    require(cudaFuncSetAttribute(launch.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(launch.dynamic_shared_bytes)),
            launch);
  cudaLaunchAttribute attributes[2];
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
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(launch.grid.x, launch.grid.y, launch.grid.z);
  how.blockDim = dim3(launch.block.x, launch.block.y, launch.block.z);
  how.dynamicSmemBytes = launch.dynamic_shared_bytes;
  how.stream = stream_;
  how.attrs = attributes;
  how.numAttrs = count;
  require(cudaLaunchKernelExC(&how, launch.function, arguments), launch);
}

}  // namespace ablate
