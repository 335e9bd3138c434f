#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/runner/buffers.h"
#include "harness/runner/device_bytes.h"

namespace ablate {

/// A copy of right outputs that stays on the device, where later ones are compared with it: a GB
/// takes a millisecond there, and over PCIe into pageable memory most of a second, several times a case.
///
/// A kernel that goes astray and writes here makes them differ; then the host compares, with a copy of its
/// own.
class kept_outputs {
 public:
  /// Copies them on the stream; nothing is kept where that would leave less than a GiB of the device's memory
  /// free.
  void keep(std::span<const device_bytes>, cudaStream_t);
  /// How many bytes of these are not those that are kept; nothing if none are. Waits for the stream.
  std::optional<differing_bytes> differing(std::span<const device_bytes>, cudaStream_t) const;
  /// Whether none is; false if none are kept.
  bool are(std::span<const device_bytes>, cudaStream_t) const;
  /// Gives it back where less than that is free by now.
  void leave_room();

 private:
  bool is_kept_ = false;
  std::vector<device_memory> copies_;
  device_memory differing_;  ///< a count
};

}  // namespace ablate
