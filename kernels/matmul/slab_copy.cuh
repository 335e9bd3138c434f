#pragma once

#include "kernels/common/mma.cuh"

namespace ablate::matmul {

/// `Bytes` from device to shared memory, asynchronously, or as many zeros.
template <int Bytes>
__device__ void copy_or_zero(void* to_shared, const void* from, bool is_there) {
  const int read = is_there ? Bytes : 0;
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(mma::shared_address(to_shared)),
                 "l"(from), "r"(read)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(mma::shared_address(to_shared)),
                 "l"(from), "n"(Bytes), "r"(read)
                 : "memory");
}

}  // namespace ablate::matmul
