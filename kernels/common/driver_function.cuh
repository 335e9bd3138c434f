#pragma once

#include <cuda_runtime.h>

namespace ablate {

/// A function of the driver, asked for at run time: nothing links to the driver, so that programs start where
/// there is none. `since` is the CUDA version whose form of it is meant, as 12030. Null in a driver that
/// lacks it.
template <class Function>
Function* find_driver_function(const char* name, unsigned since) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &found) == cudaSuccess &&
      found == cudaDriverEntryPointSuccess)
    return reinterpret_cast<Function*>(function);
  cudaGetLastError();
  return nullptr;
}

}  // namespace ablate
