#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/common/launcher.h"
#include "kernels/common/refuse_launch.h"

namespace ablate {

/// Launches one of cub's device-wide algorithms on `room` bytes of temporary memory (see cub_memory.h).
/// `algorithm(memory, bytes, stream)` calls it: without memory for the bytes that it needs, with memory for
/// the work. Throws launch_error where it needs more.
template <class Algorithm>
void call_cub(launcher& to, const char* name, void* memory, std::size_t room, Algorithm algorithm) {
  to.call(name, [&](CUstream_st* stream) {
    const auto require = [&](cudaError_t status) {
      if (status != cudaSuccess)
        refuse_launch({name, ": ", cudaGetErrorName(status), ": ", cudaGetErrorString(status)});
    };
    std::size_t needed = 0;
    require(algorithm(nullptr, needed, stream));
    if (needed > room) refuse_launch({name, ": needs ", needed, " bytes of temporary memory, has ", room});
    require(algorithm(memory, needed, stream));
  });
}

/// A number of points as cub's sorts take it. Throws launch_error where it is none of an int.
inline int points_to_sort(std::int64_t points) {
  if (points > std::numeric_limits<int>::max()) refuse_launch({"sorts at most 2^31 - 1 points"});
  return static_cast<int>(points);
}

}  // namespace ablate
