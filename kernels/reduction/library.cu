// The sum by cub::DeviceReduce: what a well-kept library reaches, to hold the others against. The same number
// in each run on one GPU.
#include <cub/device/device_reduce.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/switches.h"
#include "kernels/reduction/launches.h"
#include "kernels/reduction/reduction.h"

namespace ablate::reduction {

void library(launcher& to, const problem& p, const switches&) {
  const scratch s(p);
  call_cub(to, "cub::DeviceReduce", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceReduce::Sum(memory, bytes, p.in, p.out, p.count, stream);
           });
}

}  // namespace ablate::reduction
