#pragma once

#include "kernels/common/voxel_order.h"
#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// Scratch memory of the variants, in one buffer.
struct scratch {
  voxel_order_memory order;
  std::size_t bytes;

  explicit scratch(const problem&);
};

}  // namespace ablate::voxel_mean
