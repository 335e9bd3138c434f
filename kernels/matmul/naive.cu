// One output per thread, all from global memory: c = Σ a[row][l] · b[l][column]. A block is 32×8 outputs.
//
// Warps along columns: of each step the lanes read one element of A (one sector, broadcast) and 32 neighbors
// of B (four sectors). Warps along rows, as it is often written first: 32 sectors of A, one element of B, and
// scattered stores. Should move between the two: L1 sectors a load request.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/matmul/launches.h"
#include "kernels/matmul/view.cuh"

namespace ablate::matmul {

constexpr int warp_outputs = 32, warps_of_block = 8;

/// What the lanes of a warp count along.
enum class warp_direction { columns, rows };

template <warp_direction Direction>
__global__ __launch_bounds__(warp_outputs* warps_of_block) void multiply_one_output_a_thread(view v) {
  const int along = static_cast<int>(blockIdx.x) * warp_outputs + static_cast<int>(threadIdx.x);
  const int across = static_cast<int>(blockIdx.y) * warps_of_block + static_cast<int>(threadIdx.y);
  constexpr bool along_rows = Direction == warp_direction::rows;
  const int row = along_rows ? along : across, column = along_rows ? across : along;
  if (row >= v.m || column >= v.n) return;
  const float* a = v.a + static_cast<long long>(row) * v.k;
  const float* b = v.b + column;
  float sum = 0;
  for (int l = 0; l < v.k; ++l, b += v.n) sum += a[l] * *b;
  v.c[static_cast<long long>(row) * v.n + column] = sum;
}

void naive(launcher& to, const problem& p, const switches& s) {
  const bool along_rows = s.word("warp") == "rows";
  const long long along = along_rows ? p.m : p.n, across = along_rows ? p.n : p.m;
  launch(to,
         along_rows ? multiply_one_output_a_thread<warp_direction::rows>
                    : multiply_one_output_a_thread<warp_direction::columns>,
         dim3(blocks_for(along, warp_outputs), blocks_for(across, warps_of_block)),
         dim3(warp_outputs, warps_of_block), 0, view(p));
}

}  // namespace ablate::matmul
