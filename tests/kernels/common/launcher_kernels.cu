#include "tests/kernels/common/launcher_kernels.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <string>

#include "kernels/common/kernel_launch.h"

namespace ablate::test_support {
namespace {

void require_sorted(cudaError_t status) {
  if (status != cudaSuccess) throw launch_error(std::string("sorting: ") + cudaGetErrorString(status));
}

}  // namespace

void launch_sorting(launcher& to, const sorting_problem& p, const switches&) {
  to.call(sorting_library, [&](CUstream_st* stream) {
    std::size_t needed = 0;
    require_sorted(cub::DeviceRadixSort::SortKeys(nullptr, needed, p.in, p.out, sorted_keys, 0, 32, stream));
    if (needed > p.room) throw launch_error("sorting needs more memory");
    require_sorted(cub::DeviceRadixSort::SortKeys(p.memory, needed, p.in, p.out, sorted_keys, 0, 32, stream));
  });
}

__global__ void write_word(int value, int* to) { *to = value; }

}  // namespace ablate::test_support
