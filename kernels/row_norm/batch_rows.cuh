// How a batch norm's rows map to blocks: a slab of at most 64 channels a block, eight channels a lane, and as
// many rows side by side as threads allow; several blocks share the rows of a slab (groups), each a
// contiguous part.
#pragma once

#include "kernels/common/min_max.h"
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::row_norm {

constexpr int max_slab = 64;  ///< channels

/// The grid of a batch norm: x slabs, y groups of rows.
struct batch_grid {
  int slab;    ///< channels of a block: 32 or 64
  int groups;  ///< at most max_partials
  long long rows_of_group;

  batch_grid(const launcher& to, const problem& p, long long rows) {
    slab = std::min(p.channels, max_slab);
    const int slabs = p.channels / slab;
    constexpr long long least_rows = 64;  // of a group: fewer are not worth a merge
    const long long wanted = std::min<long long>((rows + least_rows - 1) / least_rows,
                                                 std::max(1, 2 * to.device().multiprocessors / slabs));
    groups = static_cast<int>(std::min(std::max(wanted, 1ll), 256ll));
    rows_of_group = (rows + groups - 1) / groups;
  }
  dim3 blocks(const problem& p) const {
    return dim3(static_cast<unsigned>(p.channels / slab), static_cast<unsigned>(groups));
  }
};
static_assert(max_partials >= 256);

/// A thread's place: eight channels, and every rows_side_by_side-th row of the group.
struct batch_place {
  int lanes, channel, in_slab, row, side_by_side;

  __device__ explicit batch_place(int slab)
      : lanes(slab / chunk),
        channel(static_cast<int>(blockIdx.x) * slab + static_cast<int>(threadIdx.x) % lanes * chunk),
        in_slab(static_cast<int>(threadIdx.x) % lanes * chunk),
        row(static_cast<int>(threadIdx.x) / lanes),
        side_by_side(threads_of_block / lanes) {}
};

/// Count, mean and sum of squared differences of two sets of numbers (Chan, Golub and LeVeque 1979).
struct running_moments {
  float count, mean, squares;

  __device__ void add(const running_moments& other) {
    const float all = count + other.count;
    if (all == 0) return;
    const float apart = other.mean - mean, share = other.count / all;
    squares += other.squares + apart * apart * count * share;
    mean = fmaf(apart, share, mean);
    count = all;
  }
};

}  // namespace ablate::row_norm
