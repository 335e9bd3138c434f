// Ranks from cumulative sums alone, with no atomic in device memory. Each block counts its points by bucket
// in shared memory, which also ranks them within the block, and stores its histogram; a column sum over the
// blocks of an instance gives each block its base and the instance its counts; a last kernel adds the bases.
// The same counts and, block for block, the same ranges in every run. (Flash3D's pooling ranks so; here for
// bucketing.) Should move: L2 atomics, to none; DRAM and L2 bytes, up by two passes over blocks × buckets
// words. Points then leave full buckets as in two_stage_skip_zero+launch=split.
#include "kernels/psh_bucket/counters/two_stage.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

constexpr int column_width = 32, column_parts = 32;

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void rank_in_blocks(view v) {
  extern __shared__ std::uint32_t histogram[];
  tally<Instrumented> events;
  const int instance = static_cast<int>(blockIdx.y);
  for (int b = threadIdx.x; b < v.buckets; b += block_points) histogram[b] = 0;
  __syncthreads();
  const unsigned point = v.begin_of(instance) + blockIdx.x * block_points + threadIdx.x;
  if (point < v.end_of(instance)) {
    events.add(points);
    events.add(shared_atomics);
    const unsigned bucket = v.bucket_of(v.voxel_of(point, *v.scratch.box));
    v.bucket_id[point] = static_cast<std::uint16_t>(bucket);
    v.bucket_off[point] = atomicAdd(histogram + bucket, 1u);
  }
  __syncthreads();
  std::uint32_t* row =
      v.scratch.block_histogram + (static_cast<std::int64_t>(instance) * gridDim.x + blockIdx.x) * v.buckets;
  for (int b = threadIdx.x; b < v.buckets; b += block_points) row[b] = histogram[b];
  events.write(v.events);
}

/// 32 buckets a block; each of 32 warps sums its part of the blocks, then runs through it again with its
/// base.
__global__ __launch_bounds__(column_width* column_parts) void sum_columns(view v, int rows) {
  __shared__ std::uint32_t part_sum[column_parts][column_width];
  const int lane = static_cast<int>(threadIdx.x % column_width);
  const int part = static_cast<int>(threadIdx.x / column_width);
  const int bucket = static_cast<int>(blockIdx.x) * column_width + lane;
  const int instance = static_cast<int>(blockIdx.y);
  std::uint32_t* column =
      v.scratch.block_histogram + static_cast<std::int64_t>(instance) * rows * v.buckets + bucket;
  const int first = static_cast<int>(static_cast<std::int64_t>(rows) * part / column_parts);
  const int end = static_cast<int>(static_cast<std::int64_t>(rows) * (part + 1) / column_parts);
  std::uint32_t sum = 0;
#pragma unroll 4
  for (int row = first; row < end; ++row) sum += column[static_cast<std::int64_t>(row) * v.buckets];
  part_sum[part][lane] = sum;
  __syncthreads();
  std::uint32_t before = 0, all = 0;
  for (int other = 0; other < column_parts; ++other) {
    if (other < part) before += part_sum[other][lane];
    all += part_sum[other][lane];
  }
  if (part == 0) v.bucket_count[static_cast<std::int64_t>(instance) * v.buckets + bucket] = all;
#pragma unroll 4
  for (int row = first; row < end; ++row) {
    std::uint32_t& cell = column[static_cast<std::int64_t>(row) * v.buckets];
    const std::uint32_t count = cell;
    cell = before;
    before += count;
  }
}

__global__ __launch_bounds__(block_points) void add_bases(view v) {
  const int instance = static_cast<int>(blockIdx.y);
  const unsigned point = v.begin_of(instance) + blockIdx.x * block_points + threadIdx.x;
  if (point >= v.end_of(instance)) return;
  const std::uint32_t* row =
      v.scratch.block_histogram + (static_cast<std::int64_t>(instance) * gridDim.x + blockIdx.x) * v.buckets;
  v.bucket_off[point] += row[v.bucket_id[point]];
}

void insert_by_sums(launcher& to, const problem& p, const switches&) {
  const dim3 grid = grid_of(p);
  with_form(p, [&](auto instrumented) {
    launch(to, rank_in_blocks<instrumented>, grid, dim3(block_points), p.buckets * sizeof(std::uint32_t),
           view(p));
  });
  launch(to, sum_columns, dim3(static_cast<unsigned>(p.buckets / column_width), grid.y),
         dim3(column_width * column_parts), 0, view(p), static_cast<int>(grid.x));
  launch(to, add_bases, grid, dim3(block_points), 0, view(p));
}

void cumsum(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p,
             {.insert = insert_by_sums,
              .rebalance = launch_place<two_stage_counter<zero_counts::skipped>, placing_step::rebalance>},
             s);
}

}  // namespace ablate::psh_bucket
