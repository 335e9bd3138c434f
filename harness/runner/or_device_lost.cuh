#pragma once

#include <cuda_runtime.h>

#include <exception>

#include "harness/device/device_errors.h"

namespace ablate {

/// Calls `work`; where it fails and leaves the device unusable, the failure becomes device_lost.
template <class Work>
auto or_device_lost(Work&& work) {
  try {
    return work();
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::exception& failure) {
    // A kernel fault takes the whole context down; any other error leaves the device usable.
    if (cudaDeviceSynchronize() != cudaSuccess) throw device_lost(failure.what());
    cudaGetLastError();
    throw;
  }
}

}  // namespace ablate
