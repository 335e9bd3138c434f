#pragma once

#include <cuda_runtime.h>

#include <tuple>
#include <utility>

#include "kernels/common/launcher.h"

namespace ablate {

/// Launches `kernel` through `to`, converting the arguments to the kernel's own parameter types.
template <class... Parameters, class... Arguments>
void launch(launcher& to, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            std::size_t dynamic_shared_bytes, Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each kernel parameter");
  std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  std::apply(
      [&](auto&... value) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&value))..., nullptr};
        to.submit({reinterpret_cast<const void*>(kernel),
                   {grid.x, grid.y, grid.z},
                   {block.x, block.y, block.z},
                   dynamic_shared_bytes},
                  addresses);
      },
      values);
}

/// Blocks of `size` that cover `count` elements.
inline unsigned blocks_for(long long count, long long size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace ablate
