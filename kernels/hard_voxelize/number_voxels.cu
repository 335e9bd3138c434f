// Numbers voxels in the order of their first points: a point that is the first of its voxel gives it the
// number of such points before it in its cloud. One prefix sum over one byte per point (tiles with look-back)
// instead of a sort of the voxels.
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "kernels/common/call_cub.cuh"
#include "kernels/hard_voxelize/phases.h"
#include "kernels/hard_voxelize/view.cuh"

namespace ablate::hard_voxelize {

void number_voxels(launcher& to, const problem& p) {
  const scratch memory(p);
  call_cub(to, "cub::DeviceScan", memory.order.temporary, memory.order.temporary_bytes,
           [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceScan::ExclusiveScan(temporary, bytes, memory.begins, memory.number_at,
                                                   cuda::std::plus<>(), 0, static_cast<int>(p.all_points()),
                                                   stream);
           });
}

void store_no_voxels(launcher& to, const problem& p) { fill(to, {{p.voxels, p.batch, 0}}); }

}  // namespace ablate::hard_voxelize
