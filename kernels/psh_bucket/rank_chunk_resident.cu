// C5 in one launch: the kernels of rank_chunk as phases of one cooperative kernel whose blocks stay on the
// chip, one a multiprocessor, with a grid barrier between phases in the place of a launch. Phases: box and
// zeroing; keys and ranks within a key; sums over chunks of keys; rows. Should move: launches, from four to
// one; the time between phases, from a launch's latency to a barrier's.
#include <cooperative_groups.h>

#include "kernels/psh_bucket/grid_share.cuh"
#include "kernels/psh_bucket/key_order.cuh"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void rank_and_cut(view v, bool isotropic) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned thread = blockIdx.x * block_points + threadIdx.x, threads = gridDim.x * block_points;
  tally<Instrumented> events;

  const unsigned counters = static_cast<unsigned>(v.instances) * key_count;
  for (unsigned i = thread; i < counters; i += threads) v.scratch.key_histogram[i] = 0;
  const extremes mine = reduce_in_block<block_points>(extremes_of_points(v, thread, threads));
  if (threadIdx.x == 0) v.scratch.block_extremes[blockIdx.x] = mine;
  write_chunk_counts(v, thread, threads);
  pad_chunk_rows(v, thread, threads);
  grid.sync();

  const voxel_scale box = box_from_parts(v, isotropic);
  for_each_part(v, [&](const instance_part& part) {
    std::uint32_t* histogram = v.scratch.key_histogram + static_cast<std::int64_t>(part.instance) * key_count;
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      events.add(points);
      events.add(global_atomics);
      const unsigned key = ordered_key(v, v.key_of(v.voxel_of(point, box)));
      v.bucket_id[point] = static_cast<std::uint16_t>(key);
      v.bucket_off[point] = atomicAdd(histogram + key, 1u);
    }
  });
  grid.sync();

  const unsigned chunks = static_cast<unsigned>(v.instances) * key_chunks;
  for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const std::int64_t first = static_cast<std::int64_t>(chunk) * keys_per_chunk;
    const unsigned total = sum_in_order(
        keys_per_chunk, [&](int k) { return __ldcg(v.scratch.key_histogram + first + k); },
        [&](int k, unsigned before, unsigned) { v.scratch.key_begin[first + k] = before; });
    if (threadIdx.x == 0) v.scratch.chunk_total[chunk] = total;
  }
  grid.sync();

  __shared__ unsigned chunk_begin[key_chunks];
  for_each_part(v, [&](const instance_part& part) {
    sum_in_order(
        key_chunks, [&](int c) { return __ldcg(v.scratch.chunk_total + part.instance * key_chunks + c); },
        [&](int c, unsigned before, unsigned) { chunk_begin[c] = before; });
    const std::uint32_t* key_begin =
        v.scratch.key_begin + static_cast<std::int64_t>(part.instance) * key_count;
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      const unsigned key = v.bucket_id[point];
      const unsigned rank = chunk_begin[key / keys_per_chunk] + __ldcg(key_begin + key) + v.bucket_off[point];
      write_ranked(v, part.instance, part.instance_begin, rank, point);
    }
    __syncthreads();
  });
  events.write(v.events);
}

void rank_chunk_resident(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto instrumented) {
    launch(to, rank_and_cut<instrumented>,
           geometry{.grid = dim3(resident_blocks(to, p)), .block = dim3(block_points), .cooperative = true},
           view(p), p.quantization == quantization::isotropic);
  });
  scatter_features(to, p);
}

}  // namespace ablate::psh_bucket
