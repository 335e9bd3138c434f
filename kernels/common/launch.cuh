#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "kernels/common/launcher.h"

namespace ablate {

/// How a kernel is launched.
struct geometry {
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  unsigned cluster_blocks = 1;
  bool cooperative = false;
  bool overlaps_previous = false;
};

/// Launches `kernel` through `to`, converting the arguments to the kernel's own parameter types.
template <class... Parameters, class... Arguments>
void launch(launcher& to, void (*kernel)(Parameters...), const geometry& how, Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each kernel parameter");
  [&](Parameters... values) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&values))..., nullptr};
    to.submit(launch_request{reinterpret_cast<const void*>(kernel),
                             {how.grid.x, how.grid.y, how.grid.z},
                             {how.block.x, how.block.y, how.block.z},
                             how.dynamic_shared_bytes,
                             how.cluster_blocks,
                             how.cooperative,
                             how.overlaps_previous},
              addresses);
  }(std::forward<Arguments>(arguments)...);
}

template <class... Parameters, class... Arguments>
void launch(launcher& to, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            std::size_t dynamic_shared_bytes, Arguments&&... arguments) {
  launch(to, kernel, geometry{grid, block, dynamic_shared_bytes}, std::forward<Arguments>(arguments)...);
}

/// Blocks of `size` that cover `count` elements.
inline unsigned blocks_for(long long count, long long size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace ablate
