// The baseline that hashing must beat: sort the points by the full 16-bit key and cut them into chunks of S,
// so every bucket but the last is exactly full and nothing needs rebalancing. Counting sort: a returning
// atomic on one of 65536 counters ranks a point among those with the same key, and a prefix sum over the
// counters (blocks scan chunks of 1024, each reader scans the 64 chunk totals) turns that into its rank in
// the instance; bucket = rank / S, offset = rank mod S, and the row is the rank itself. Should move: atomics
// spread over 65536 addresses instead of NB, so there is less contention.
//   key_bits  only the leading bits count, and points that differ in the others are in any order. Should
//             move: contention, up with each bit that is left out; nothing else, as all 65536 counters are
//             summed.
#include "kernels/common/min_max.h"
#include "kernels/psh_bucket/key_order.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void rank_in_key(view v) {
  tally<Instrumented> events;
  const int instance = static_cast<int>(blockIdx.y);
  const unsigned point = v.begin_of(instance) + blockIdx.x * block_points + threadIdx.x;
  if (point < v.end_of(instance)) {
    events.add(points);
    events.add(global_atomics);
    const unsigned key = ordered_key(v, v.key_of(v.voxel_of(point, *v.scratch.box)));
    v.bucket_id[point] = static_cast<std::uint16_t>(key);
    v.bucket_off[point] =
        atomicAdd(v.scratch.key_histogram + static_cast<std::int64_t>(instance) * key_count + key, 1u);
  }
  events.write(v.events);
}

/// The same by all but the last `dropped` bits of the key.
template <bool Instrumented>
__global__ __launch_bounds__(block_points) void rank_in_leading_bits(view v, int dropped) {
  tally<Instrumented> events;
  const int instance = static_cast<int>(blockIdx.y);
  const unsigned point = v.begin_of(instance) + blockIdx.x * block_points + threadIdx.x;
  if (point < v.end_of(instance)) {
    events.add(points);
    events.add(global_atomics);
    const unsigned key = ordered_key(v, v.key_of(v.voxel_of(point, *v.scratch.box))) >> dropped;
    v.bucket_id[point] = static_cast<std::uint16_t>(key);
    v.bucket_off[point] =
        atomicAdd(v.scratch.key_histogram + static_cast<std::int64_t>(instance) * key_count + key, 1u);
  }
  events.write(v.events);
}

__global__ __launch_bounds__(keys_per_chunk) void sum_key_chunks(view v) {
  const std::int64_t chunk = static_cast<std::int64_t>(blockIdx.y) * key_chunks + blockIdx.x;
  const std::int64_t first = chunk * keys_per_chunk;
  const auto total = sum_in_order<unsigned>(
      keys_per_chunk, [&](int k) { return v.scratch.key_histogram[first + k]; },
      [&](int k, unsigned before, unsigned) { v.scratch.key_begin[first + k] = before; });
  if (threadIdx.x == 0) v.scratch.chunk_total[chunk] = total;
}

__global__ __launch_bounds__(block_points) void cut_into_chunks(view v) {
  __shared__ unsigned chunk_begin[key_chunks];
  const int instance = static_cast<int>(blockIdx.y);
  const unsigned thread = blockIdx.x * block_points + threadIdx.x, threads = gridDim.x * block_points;
  if (instance == v.instances) {
    write_chunk_counts(v, thread, threads);
    return pad_chunk_rows(v, thread, threads);
  }
  sum_in_order<unsigned>(
      key_chunks, [&](int c) { return v.scratch.chunk_total[instance * key_chunks + c]; },
      [&](int c, unsigned before, unsigned) { chunk_begin[c] = before; });
  const unsigned begin = v.begin_of(instance), point = begin + thread;
  if (point >= v.end_of(instance)) return;
  const unsigned key = v.bucket_id[point];
  const unsigned rank = chunk_begin[key / keys_per_chunk] +
                        v.scratch.key_begin[static_cast<std::int64_t>(instance) * key_count + key] +
                        v.bucket_off[point];
  write_ranked(v, instance, begin, rank, point);
}

void sort_and_chunk(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::prepare))
    prepare(to, p, scratch(p).key_histogram, static_cast<std::size_t>(p.instances) * key_count);
  if (!p.does(phase::insert)) return;
  dim3 grid = grid_of(p);
  with_form(p, [&](auto instrumented) {
    if (s.has("key_bits"))
      launch(to, rank_in_leading_bits<instrumented>, grid, dim3(block_points), 0, view(p),
             16 - static_cast<int>(s.integer("key_bits")));
    else
      launch(to, rank_in_key<instrumented>, grid, dim3(block_points), 0, view(p));
  });
  launch(to, sum_key_chunks, dim3(key_chunks, grid.y), dim3(keys_per_chunk), 0, view(p));
  ++grid.y;
  grid.x = std::max(grid.x, 1u);
  launch(to, cut_into_chunks, grid, dim3(block_points), 0, view(p));
  scatter_features(to, p);
}

}  // namespace ablate::psh_bucket
