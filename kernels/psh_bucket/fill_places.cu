// Strict mode's end: leftovers, in the order of their home buckets, get the free places in the order of
// buckets. One block an instance sums free places, leftovers and final counts over buckets; then one thread a
// point finds a leftover's bucket by binary search among the sums.
// Every bucket ends with at most S points. With `placed_points::to_rows` the points go straight to their
// rows, whose beginnings are known by then.

#include "kernels/common/min_max.h"
#include "kernels/psh_bucket/padding.cuh"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

namespace {

__device__ fill_tables tables_of(const view& v, int instance) {
  const std::int64_t first = static_cast<std::int64_t>(instance) * v.buckets;
  return {v.scratch.free_end + first, v.scratch.leftover_begin + first};
}

}  // namespace

__global__ __launch_bounds__(block_points) void sum_free_places(view v) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * v.buckets;
  std::uint32_t* count = v.bucket_count + first;
  const std::uint32_t* left = v.scratch.leftover_count + first;
  tables_of(v, static_cast<int>(blockIdx.x))
      .fill(
          v.buckets, v.capacity, [&](int b) { return min(count[b], static_cast<unsigned>(v.capacity)); },
          [&](int b) { return left[b]; },
          [&](int b, unsigned before, unsigned final_count) {
            count[b] = final_count;
            v.bucket_end[first + b] = before + final_count;
          });
}

/// Where points with places go: nowhere yet, or to their rows.
enum class placed_points { stay, to_rows };

template <placed_points Points>
__global__ __launch_bounds__(block_points) void place_leftovers(view v) {
  constexpr bool scatters = Points == placed_points::to_rows;
  const int instance = static_cast<int>(blockIdx.y);
  if (scatters && instance == v.instances)
    return pad_rows(v, blockIdx.x * block_points + threadIdx.x, gridDim.x * block_points);
  const unsigned begin = v.begin_of(instance), point = begin + blockIdx.x * block_points + threadIdx.x;
  if (point >= v.end_of(instance)) return;
  unsigned bucket = v.bucket_id[point], offset = v.bucket_off[point];
  if (offset & leftover_bit) {
    const uint2 place =
        tables_of(v, instance).place_of(bucket, offset & ~leftover_bit, v.buckets, v.capacity);
    bucket = place.x;
    offset = place.y;
    v.bucket_id[point] = static_cast<std::uint16_t>(bucket);
    v.bucket_off[point] = offset;
  }
  if constexpr (scatters) {
    const std::uint32_t* ends = v.bucket_end + static_cast<std::int64_t>(instance) * v.buckets;
    v.write_row(v.row_of(instance, begin, bucket, bucket == 0 ? 0 : ends[bucket - 1], offset), point);
  }
}

void fill_places(launcher& to, const problem& p, bool and_scatter) {
  launch(to, sum_free_places, dim3(static_cast<unsigned>(p.instances)), dim3(block_points), 0, view(p));
  dim3 grid = grid_of(p);
  grid.x = std::max(grid.x, 1u);
  if (and_scatter) ++grid.y;
  launch(to, and_scatter ? place_leftovers<placed_points::to_rows> : place_leftovers<placed_points::stay>,
         grid, dim3(block_points), 0, view(p));
}

}  // namespace ablate::psh_bucket
