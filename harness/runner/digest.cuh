#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <vector>

#include "harness/runner/device_bytes.h"

namespace ablate {

/// A number for each piece of device memory, another one when any of its bytes is another; the same whatever
/// the order in which threads add to it. Waits for the stream.
std::vector<std::uint64_t> digests_of(std::span<const device_bytes>, cudaStream_t);

}  // namespace ablate
