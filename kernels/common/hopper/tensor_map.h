#pragma once

#include <cuda.h>

#include <cstddef>
#include <span>

#include "kernels/common/launcher.h"

namespace ablate::hopper {

/// A tensor of bf16 in device memory and the box that one copy of Hopper's tensor memory accelerator brings
/// to shared memory (CUDA driver API, cuTensorMapEncodeTiled). Dimension 0 is contiguous.
struct tensor_box {
  void* base = nullptr;                       ///< 16-byte aligned
  std::span<const std::size_t> sizes;         ///< elements, innermost first; at most 5
  std::span<const std::size_t> byte_strides;  ///< of dimensions 1, 2 …; multiples of 16
  std::span<const unsigned> box;              ///< elements, at most 256 each
  int swizzle_bytes = 128;                    ///< 32, 64 or 128; not less than the box's dimension 0
};

/// The map as passed to a kernel (`const __grid_constant__ CUtensorMap`). A describing launcher gets an empty
/// one. Throws launch_error where the driver refuses.
CUtensorMap tensor_map(const launcher&, const tensor_box&);

}  // namespace ablate::hopper
