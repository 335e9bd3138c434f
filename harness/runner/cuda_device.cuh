#pragma once

#include <cuda_runtime.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/device/cuda_memory.cuh"
#include "harness/device/l2_flush.cuh"
#include "harness/device/l2_persistence.cuh"
#include "harness/device/nvml.h"
#include "kernels/common/launcher.h"

namespace ablate {

/// A GPU on which this process runs cases, and the stream on which they run.
struct cuda_device {
  /// Makes the GPU with this CUDA device index the current one. Throws std::runtime_error if it cannot be
  /// used.
  explicit cuda_device(int index);

  int capability() const { return 10 * properties.major + properties.minor; }
  /// Empty if it is not known.
  std::string silicon() const;
  /// The `device` object of a record's context.
  nlohmann::ordered_json facts() const;
  /// Its clocks, power and temperature now, if they can be read.
  std::optional<device_state> state() const;

  int index;
  cudaDeviceProp properties;
  device_limits limits;
  ablate::stream stream;
  l2_flush flush;
  l2_persistence l2;
  ablate::nvml nvml;
  std::optional<double> power_cap_w;
};

}  // namespace ablate
