// What follows points into bucket order where a pass has more of them than coordinates: PTv3's cells, the
// positions of its pools, and its features. The row of point p is where source[row] = p, so each is a gather
// of short rows, a thread a row.
//   arrange: cells, 12 bytes, and positions, 12; rows up to the next whole 16 bytes of them, which codes are
//   made of, too, are at cell 0. take: features, 8 bytes.
// In exchange no block moves rows of Q, K and V to its windows and back. Should move: bytes, 6 · C a row and
// block for 40 a row, once; and two launches a block.
#include "kernels/common/launch.cuh"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/run.h"

namespace ablate::backbone {

constexpr int arranging_threads = 256;

struct arranged_view {
  const std::uint32_t* source;
  const std::int32_t* cells;
  const float* positions;  ///< null: not requested
  std::int32_t* arranged_cells;
  float* arranged_positions;
  long long points, rows;  ///< rows: the points, and padding
};

__global__ __launch_bounds__(arranging_threads) void arrange_cells(arranged_view v) {
  const long long row = blockIdx.x * static_cast<long long>(arranging_threads) + threadIdx.x;
  if (row >= v.rows) return;
  const bool is_real = row < v.points;
  const long long from = is_real ? 3ll * v.source[row] : 0;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    v.arranged_cells[3 * row + axis] = is_real ? v.cells[from + axis] : 0;
    if (is_real && v.positions != nullptr) v.arranged_positions[3 * row + axis] = v.positions[from + axis];
  }
}

void arrange_voxels(launcher& to, const problem& p, const network& n, const step&) {
  arranged_view v{};
  v.source = source_of(p, n);
  v.cells = p.cells;
  v.arranged_cells = const_cast<std::int32_t*>(cells_of(p, n, 0));
  if (n.pools_by_grid()) {
    v.positions = p.positions;
    v.arranged_positions = const_cast<float*>(positions_of(p, n, 0));
  }
  v.points = n.points();
  v.rows = n.pitch();
  launch(to, arrange_cells, dim3(blocks_for(v.rows, arranging_threads)), dim3(arranging_threads), 0, v);
}

__global__ __launch_bounds__(arranging_threads) void gather_features(const uint2* features,
                                                                     const std::uint32_t* source, uint2* rows,
                                                                     long long points) {
  const long long row = blockIdx.x * static_cast<long long>(arranging_threads) + threadIdx.x;
  if (row < points) rows[row] = features[source[row]];
}

void take_features(launcher& to, const problem& p, const network& n, const step& s) {
  launch(to, gather_features, dim3(blocks_for(n.points(), arranging_threads)), dim3(arranging_threads), 0,
         reinterpret_cast<const uint2*>(rows_at(p, n, s.in)), source_of(p, n),
         reinterpret_cast<uint2*>(rows_at(p, n, s.out)), static_cast<long long>(n.points()));
}

}  // namespace ablate::backbone
