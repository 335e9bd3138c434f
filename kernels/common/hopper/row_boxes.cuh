#pragma once

#include <cuda/ptx>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/row_boxes.h"

namespace ablate::hopper {

/// Copies of the boxes that row_boxes maps, of a tensor of `Width` elements a head: one thread issues, the
/// tensor memory accelerator copies (PTX ISA: cp.async.bulk.tensor).

/// To shared memory, the box that begins with this row of a head; its bytes arrive at `full`.
template <int Width>
__device__ inline void tma_load(void* to, const CUtensorMap& map, int row, int head, int batch,
                                barrier& full) {
  using namespace cuda::ptx;
  if constexpr (Width <= box_panel_width) {
    const int at[] = {0, row, head, batch};
    cp_async_bulk_tensor(space_cluster, space_global, to, &map, at, &full);
  } else {
    const int at[] = {0, row, 0, head, batch};
    cp_async_bulk_tensor(space_cluster, space_global, to, &map, at, &full);
  }
}

/// From shared memory; the thread commits the copy to a bulk group.
template <int Width>
__device__ inline void copy_box_out(const CUtensorMap& map, int row, int head, int batch, const void* from) {
  using namespace cuda::ptx;
  if constexpr (Width <= box_panel_width) {
    const int at[] = {0, row, head, batch};
    cp_async_bulk_tensor(space_global, space_shared, &map, at, from);
  } else {
    const int at[] = {0, row, 0, head, batch};
    cp_async_bulk_tensor(space_global, space_shared, &map, at, from);
  }
}

}  // namespace ablate::hopper
