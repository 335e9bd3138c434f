// Pooling within buckets in one launch, with a reduction of fewer instructions. One block sorts and reduces a
// bucket, as in counting_sort_one_launch.cu. There the time beyond the index hardly depends on the number of
// buckets: a block is limited by instruction issue, and three quarters of its instructions are the reduction,
// mostly batch norm, erff and a division per item.
// Here a thread keeps its eight channels from cluster to cluster, so it divides once; it loads two members of
// two clusters before it adds any; and with `gelu` = power GELU is a polynomial and one power of two
// (gelu_power.h) instead of erff. To separate the gains, means also exist with one cluster at a time, and
// with the prefetch of counting_sort_one_launch.cu. Should move: instructions of the launch (with `power` to
// less than half), issue slots used, loads under way.
#include <type_traits>

#include "kernels/common/refuse_launch.h"
#include "kernels/common/softmax_math.cuh"
#include "kernels/pool/gelu_power.h"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/pool/sort_then_reduce.cuh"

namespace ablate::pool {

constexpr unsigned members_at_once = 2;

/// GELU by erff, or by a polynomial and one power of two.
enum class gelu { erf, power };

/// A channel's batch norm, by scale and shift, and GELU.
template <gelu Gelu>
__device__ float finished_by(float x, float scale, float shift) {
  if constexpr (Gelu == gelu::power) {
    const float z = fmaf(x, scale, shift);
    return gelu_of_tail(z, exp2_of(log2_of_tail(fabsf(z))));
  } else {
    channel_norm of;
    of.scale = scale;
    of.shift = shift;
    return of.finished(x);
  }
}

/// The block's clusters from its sorted rows.
template <reduction Op, winners Winners, gelu Gelu, unsigned Clusters>
__device__ void reduce_in_batches(const row_view& v, const block_place& at, const block_rows& rows,
                                  unsigned ratio, const shared_norm& norm) {
  using reducer_of_lane = reducer<Op, Winners, vector_channels>;
  constexpr unsigned clusters_at_once = Clusters;
  const unsigned lanes = v.channels / vector_channels, stride = block_points / lanes;
  const unsigned own = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  if (own >= stride) return;
  for (unsigned first = own; first < at.clusters; first += clusters_at_once * stride) {
    reducer_of_lane reduced[clusters_at_once];
    for (unsigned slot = 0; slot < ratio; slot += members_at_once) {
      uint4 stored[clusters_at_once][members_at_once];
      bool is_there[clusters_at_once][members_at_once];
#pragma unroll
      for (unsigned j = 0; j < clusters_at_once; ++j)
#pragma unroll
        for (unsigned k = 0; k < members_at_once; ++k) {
          // Places of a cluster behind the last are not there either.
          const unsigned place = (first + j * stride) * ratio + slot + k;
          is_there[j][k] = slot + k < ratio && place < at.points;
          if (is_there[j][k])
            stored[j][k] = __ldg(vector_of(v.features, at.first + rows.sorted[place], v.channels, lane));
        }
#pragma unroll
      for (unsigned j = 0; j < clusters_at_once; ++j)
#pragma unroll
        for (unsigned k = 0; k < members_at_once; ++k) {
          if (!is_there[j][k]) continue;
#pragma unroll
          for (int i = 0; i < vector_channels; ++i) reduced[j].take(i, channel_of(stored[j][k], i), slot + k);
        }
    }
#pragma unroll
    for (unsigned j = 0; j < clusters_at_once; ++j) {
      const unsigned cluster = first + j * stride;
      if (cluster >= at.clusters) break;
      reduced[j].end(min(ratio, at.points - cluster * ratio));
#pragma unroll
      for (int i = 0; i < vector_channels; ++i)
        reduced[j].x[i] = finished_by<Gelu>(reduced[j].x[i], norm.scale[vector_channels * lane + i],
                                            norm.shift[vector_channels * lane + i]);
      *vector_of(v.finished, at.first_cluster + cluster, v.channels, lane) = rounded(reduced[j].x);
      store_winners(reduced[j], v.winner, at.first_cluster + cluster, v.channels, lane);
    }
  }
}

template <reduction Op, winners Winners, gelu Gelu, unsigned Clusters>
__device__ __forceinline__ void sort_then_reduce_in_batches(const bucket_view& v, const row_view& rows,
                                                            unsigned prefetched_bytes) {
  sort_then_reduce<reducer<Op, Winners, vector_channels>>(
      v, rows, prefetched_bytes,
      [&](const block_place& at, const block_rows& sorted, const shared_norm& norm) {
        reduce_in_batches<Op, Winners, Gelu, Clusters>(rows, at, sorted, v.ratio, norm);
      });
}

template <reduction Op, winners Winners, gelu Gelu>
__global__ __launch_bounds__(block_points) void sort_and_reduce_in_batches(
    const __grid_constant__ bucket_view v, const __grid_constant__ row_view rows) {
  // Winners take registers.
  constexpr unsigned at_once = reducer<Op, Winners, vector_channels>::keeps_winners ? 1 : 2;
  sort_then_reduce_in_batches<Op, Winners, Gelu, at_once>(v, rows, 0);
}

/// Of means, as many clusters at once as told, features prefetched.
template <gelu Gelu, unsigned Clusters>
__global__ __launch_bounds__(block_points) void sort_and_average_in_batches(
    const __grid_constant__ bucket_view v, const __grid_constant__ row_view rows, unsigned prefetched_bytes) {
  sort_then_reduce_in_batches<reduction::mean, winners::dropped, Gelu, Clusters>(v, rows, prefetched_bytes);
}

void sort_and_reduce_batches(launcher& to, const problem& p, const switches& s) {
  const std::size_t shared = bytes_of_sorted_block(p);
  const bool one_cluster = s.word("clusters_at_once") == "1";
  const auto prefetched = static_cast<unsigned>(s.has("prefetch_kib") ? 1024 * s.integer("prefetch_kib") : 0);
  const auto launch_with = [&](auto of_gelu) {
    if (one_cluster || prefetched > 0) {
      if (p.op != reduction::mean)
        refuse_launch({"pool: one cluster at once and the prefetch are made for means"});
      return launch(
          to, one_cluster ? sort_and_average_in_batches<of_gelu, 1> : sort_and_average_in_batches<of_gelu, 2>,
          bucket_grid(p), dim3(block_points), shared, bucket_view(p), row_view(p), prefetched);
    }
    with_reducer(p, [&](auto op, auto winners) {
      launch(to, sort_and_reduce_in_batches<op, winners, of_gelu>, bucket_grid(p), dim3(block_points), shared,
             bucket_view(p), row_view(p));
    });
  };
  if (s.word("gelu") == "power")
    launch_with(std::integral_constant<gelu, gelu::power>{});
  else
    launch_with(std::integral_constant<gelu, gelu::erf>{});
}

void counting_sort_batched(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::index) && p.does(phase::finish)) return sort_and_reduce_batches(to, p, s);
  run_phases(to, p, s, index_by_counting);
}

}  // namespace ablate::pool
