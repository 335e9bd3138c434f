// Features of a cluster's members to one row, by lanes of 16 bytes.
//   pooled[j] = mean | sum | min | max over the members of cluster j of features[member], fp32 inside
//   finished[j] = GELU(batch norm(pooled[j])), where the launch finishes too: 4 · C · R bytes and a launch
//   less
// A row of C bf16 is C / 8 lanes; a lane loads the same 16 bytes of up to four members at once, so a cluster
// of a usual ratio waits once. Lanes of a block stay on their channels while they go from row to row, which
// keeps the norm of these in registers. Rows past the last are padding: zeros.
// Should move against a warp a row: load instructions a byte (an eighth), stalls on loads, L1 wavefronts.

#include "kernels/common/min_max.h"
#include "kernels/pool/phases.h"
#include "kernels/pool/vectors.cuh"

namespace ablate::pool {

constexpr unsigned blocks_of_multiprocessor = 8;

/// What a launch leaves: means, sums, … as they are, or normed and activated.
enum class reduced_rows { pooled, finished };

template <reduction Op, winners Winners, reduced_rows Rows>
__global__ __launch_bounds__(row_threads) void reduce_rows(const __grid_constant__ row_view v,
                                                           const member_lists members) {
  constexpr bool finishes = Rows == reduced_rows::finished;
  const unsigned lanes = v.channels / vector_channels, lane = threadIdx.x % lanes;
  const unsigned rows_at_once = blockDim.x / lanes;
  const unsigned rows = v.rows(), end = rows + v.known_padding;
  channel_norm norm[finishes ? vector_channels : 1];
  if constexpr (finishes) {
#pragma unroll
    for (int i = 0; i < vector_channels; ++i)
      norm[i] = channel_norm(v.norm, v.channels, static_cast<int>(vector_channels * lane) + i);
  }
  std::uint16_t* const to = finishes ? v.finished : v.pooled;
  for (unsigned row = blockIdx.x * rows_at_once + threadIdx.x / lanes; row < end;
       row += gridDim.x * rows_at_once) {
    uint4 result = make_uint4(0, 0, 0, 0);
    reducer<Op, Winners, vector_channels> reduced;
    if (row < rows) {
      const unsigned count =
          reduce_vector(reduced, v.features, v.points, v.channels, lane, members.begin(row), members.end(row),
                        [&](unsigned i) { return members.at(i); });
      reduced.end(count);
      if constexpr (finishes) {
#pragma unroll
        for (int i = 0; i < vector_channels; ++i) reduced.x[i] = norm[i].finished(reduced.x[i]);
      }
      result = rounded(reduced.x);
    }
    *vector_of(to, row, v.channels, lane) = result;
    store_winners(reduced, v.winner, row, v.channels, lane);
  }
}

/// Blocks of whole rows, and as many as stay on the chip.
void launch_rows(launcher& to, const problem& p, void (*kernel)(row_view, member_lists), const row_view& v) {
  const int lanes = p.channels / vector_channels, rows_at_once = row_threads / lanes;
  const unsigned most = blocks_of_multiprocessor * static_cast<unsigned>(to.device().multiprocessors);
  launch(to, kernel, dim3(std::min(blocks_for(p.capacity(), rows_at_once), most)), dim3(rows_at_once * lanes),
         0, v, member_lists(p));
}

void reduce_by_vectors(launcher& to, const problem& p, bool finishes) {
  with_reducer(p, [&](auto op, auto winners) {
    launch_rows(to, p,
                finishes ? reduce_rows<op, winners, reduced_rows::finished>
                         : reduce_rows<op, winners, reduced_rows::pooled>,
                row_view(p));
  });
}

void unpool_backward_by_vectors(launcher& to, const problem& p) {
  row_view v(p);
  v.features = p.point_gradient;
  v.pooled = p.down_gradient;
  launch_rows(to, p, reduce_rows<reduction::sum, winners::dropped, reduced_rows::pooled>, v);
}

}  // namespace ablate::pool
