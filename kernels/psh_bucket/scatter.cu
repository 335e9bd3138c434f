// Phase `scatter`: prefix sum over the buckets of an instance, and each point's coordinates and number to row
// = start + sum of the buckets before + offset. As published, every block sums for itself, which costs no
// launch; where an instance has too many buckets for that, one block an instance sums first. The further
// blocks in y fill the padding. Feature rows follow by their source, 16 bytes a thread, so both sides of the
// copy are whole rows.

#include "kernels/common/min_max.h"
#include "kernels/psh_bucket/padding.cuh"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

constexpr int max_buckets_in_shared = 2048;
constexpr int feature_threads = 256;

__global__ __launch_bounds__(block_points) void sum_buckets(view v) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * v.buckets;
  sum_in_order<unsigned>(
      v.buckets, [&](int b) { return v.bucket_count[first + b]; },
      [&](int b, unsigned before, unsigned own) { v.bucket_end[first + b] = before + own; });
}

/// Where the sums over buckets come from: a launch before, or each block's own.
enum class bucket_sums { before, of_block };

template <bucket_sums Sums>
__global__ __launch_bounds__(block_points) void scatter_coordinates(view v) {
  extern __shared__ std::uint32_t own_ends[];
  const int instance = static_cast<int>(blockIdx.y);
  if (instance == v.instances)
    return pad_rows(v, blockIdx.x * block_points + threadIdx.x, gridDim.x * block_points);
  const std::int64_t first = static_cast<std::int64_t>(instance) * v.buckets;
  const std::uint32_t* ends = v.bucket_end + first;
  if constexpr (Sums == bucket_sums::of_block) {
    sum_in_order<unsigned>(
        v.buckets, [&](int b) { return v.bucket_count[first + b]; },
        [&](int b, unsigned before, unsigned own) {
          own_ends[b] = before + own;
          if (blockIdx.x == 0) v.bucket_end[first + b] = before + own;
        });
    ends = own_ends;
  }
  const unsigned begin = v.begin_of(instance), point = begin + blockIdx.x * block_points + threadIdx.x;
  if (point >= v.end_of(instance)) return;
  const unsigned bucket = v.bucket_id[point];
  v.write_row(v.row_of(instance, begin, bucket, bucket == 0 ? 0 : ends[bucket - 1], v.bucket_off[point]),
              point);
}

__global__ __launch_bounds__(feature_threads) void gather_rows(const uint4* from, uint4* to,
                                                               const std::uint32_t* source, unsigned rows,
                                                               unsigned points, unsigned vectors_per_row) {
  const unsigned long long at = static_cast<unsigned long long>(blockIdx.x) * feature_threads + threadIdx.x;
  const unsigned row = static_cast<unsigned>(at / vectors_per_row);
  if (row >= rows) return;
  const unsigned point = source[row];
  to[at] = point < points
               ? from[static_cast<unsigned long long>(point) * vectors_per_row + at % vectors_per_row]
               : uint4{};
}

void scatter_points(launcher& to, const problem& p) {
  dim3 grid = grid_of(p);
  ++grid.y;
  grid.x = std::max(grid.x, 1u);
  if (p.buckets <= max_buckets_in_shared) {
    launch(to, scatter_coordinates<bucket_sums::of_block>, grid, dim3(block_points),
           p.buckets * sizeof(std::uint32_t), view(p));
    return;
  }
  launch(to, sum_buckets, dim3(static_cast<unsigned>(p.instances)), dim3(block_points), 0, view(p));
  launch(to, scatter_coordinates<bucket_sums::before>, grid, dim3(block_points), 0, view(p));
}

void scatter_features(launcher& to, const problem& p) {
  if (p.channels == 0) return;
  constexpr int channels_per_vector = 8;
  const int vectors_per_row = p.channels / channels_per_vector;
  launch(to, gather_rows, dim3(blocks_for(p.rows() * vectors_per_row, feature_threads)),
         dim3(feature_threads), 0, reinterpret_cast<const uint4*>(p.features),
         reinterpret_cast<uint4*>(p.scattered_features), p.source, p.rows(), p.points, vectors_per_row);
}

}  // namespace ablate::psh_bucket
