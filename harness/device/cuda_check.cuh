#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "harness/device/device_errors.h"

namespace ablate {

/// Throws out_of_memory or std::runtime_error with the expression, the place and the runtime's word.
inline void cuda_check(cudaError_t status, const char* expression, const char* file, int line) {
  if (status == cudaSuccess) return;
  const std::string message = std::string(file) + ":" + std::to_string(line) + ": " + expression + ": " +
                              cudaGetErrorName(status) + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // an allocation that failed leaves its error behind, and the device is fine
    throw out_of_memory(message);
  }
  throw std::runtime_error(message);
}

}  // namespace ablate

#define ABLATE_CUDA_CHECK(expression) ::ablate::cuda_check((expression), #expression, __FILE__, __LINE__)
