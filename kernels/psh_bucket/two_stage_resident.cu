// C1 in one launch, strict mode: insert, rebalance, fill and scatter as phases of one cooperative kernel
// whose blocks stay on the chip, one a multiprocessor, with a grid barrier between phases in the place of a
// launch. A block counts all of its points before it commits, so commits fall from one a bucket and 1024
// points to one a bucket and block. Probing reads a copy of the counters in shared memory; since nobody
// places while anybody inserts, a bucket's free places are S − min(count, S) less the claims so far, and
// nothing is ever given back: a claim that comes too late is a leftover. The sums over buckets that fill and
// scatter need are made by every block for itself. Should move: launches, from five to one; L2 atomics; L2
// reads of probing, to none.
#include <cooperative_groups.h>

#include "kernels/psh_bucket/grid_share.cuh"
#include "kernels/psh_bucket/padding.cuh"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/probing.cuh"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

namespace {

/// Adds a block's counts to the counters and leaves in `local` what each had before. The whole block calls
/// this.
template <bool Instrumented>
__device__ void commit(std::uint32_t* local, std::uint32_t* counters, int buckets,
                       tally<Instrumented>& events) {
  __syncthreads();
  for (int b = threadIdx.x; b < buckets; b += block_points) {
    if (local[b] == 0) continue;
    local[b] = atomicAdd(counters + b, local[b]);
    events.add(global_atomics);
  }
  __syncthreads();
}

__device__ void zero(std::uint32_t* words, int count) {
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += block_points) words[i] = 0;
  __syncthreads();
}

}  // namespace

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void bucket_in_one_launch(view v, bool isotropic) {
  extern __shared__ std::uint32_t shared[];
  std::uint32_t* const local = shared + most_probes;
  std::uint32_t* const room = local + v.buckets;
  std::uint32_t* const third = room + v.buckets;
  const auto grid = cooperative_groups::this_grid();
  const unsigned thread = blockIdx.x * block_points + threadIdx.x, threads = gridDim.x * block_points;
  const auto capacity = static_cast<unsigned>(v.capacity);
  const probing probe(v, shared);
  tally<Instrumented> events;
  const auto of_instance = [&](std::uint32_t* array, const instance_part& part) {
    return array + static_cast<std::int64_t>(part.instance) * v.buckets;
  };

  const unsigned counters = static_cast<unsigned>(v.instances) * v.buckets;
  for (unsigned i = thread; i < counters; i += threads)
    v.scratch.insert_count[i] = v.scratch.leftover_count[i] = v.scratch.claim_count[i] = 0;
  const extremes mine = reduce_in_block<block_points>(extremes_of_points(v, thread, threads));
  if (threadIdx.x == 0) v.scratch.block_extremes[blockIdx.x] = mine;
  grid.sync();

  const voxel_scale box = box_from_parts(v, isotropic);
  for_each_part(v, [&](const instance_part& part) {
    zero(local, v.buckets);
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      events.add(points);
      events.add(shared_atomics);
      const unsigned home = v.bucket_of(v.voxel_of(point, box));
      v.bucket_id[point] = static_cast<std::uint16_t>(home);
      v.bucket_off[point] = atomicAdd(local + home, 1u);
    }
    commit(local, of_instance(v.scratch.insert_count, part), v.buckets, events);
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
      v.bucket_off[point] += local[v.bucket_id[point]];
  });
  grid.sync();

  for_each_part(v, [&](const instance_part& part) {
    const std::uint32_t* counted = of_instance(v.scratch.insert_count, part);
    std::uint32_t* claimed = of_instance(v.scratch.claim_count, part);
    for (int segment = 0; segment < v.segments && v.probes > 0; ++segment) {
      __syncthreads();
      for (int b = threadIdx.x; b < v.buckets; b += block_points) {
        const unsigned taken = min(__ldcg(counted + b), capacity) + __ldcg(claimed + b);
        room[b] = capacity - min(taken, capacity);
      }
      zero(local, v.buckets);
      const int first = v.probes * segment / v.segments, end = v.probes * (segment + 1) / v.segments;
      for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
        if (v.bucket_off[point] < capacity) continue;
        if (segment == 0) events.add(overflows);
        const unsigned home = v.bucket_id[point];
        const voxel at = v.voxel_of(point, box);
        for (int i = first; i < end; ++i) {
          const unsigned candidate = probe.look(point, at, i);
          events.add(probes);
          if (candidate == home || room[candidate] == 0) continue;
          events.add(attempts);
          events.add(shared_atomics);
          v.scratch.found[point] = static_cast<std::uint16_t>(candidate);
          v.bucket_off[point] = leftover_bit | atomicAdd(local + candidate, 1u);
          break;
        }
      }
      commit(local, claimed, v.buckets, events);
      for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
        const unsigned mark = v.bucket_off[point];
        if (!(mark & leftover_bit)) continue;
        const unsigned candidate = v.scratch.found[point];
        const unsigned place =
            min(__ldcg(counted + candidate), capacity) + local[candidate] + (mark & ~leftover_bit);
        if (place < capacity) v.bucket_id[point] = static_cast<std::uint16_t>(candidate);
        if (!(place < capacity)) events.add(failures);
        v.bucket_off[point] = place < capacity ? place : capacity;
      }
    }
    zero(local, v.buckets);
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      if (v.bucket_off[point] < capacity) continue;
      if (v.probes == 0) events.add(overflows);
      events.add(leftovers);
      events.add(shared_atomics);
      v.bucket_off[point] = leftover_bit | atomicAdd(local + v.bucket_id[point], 1u);
    }
    commit(local, of_instance(v.scratch.leftover_count, part), v.buckets, events);
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
      if (v.bucket_off[point] & leftover_bit) v.bucket_off[point] += local[v.bucket_id[point]];
  });
  grid.sync();

  std::uint32_t* const bucket_begin = local;
  const fill_tables tables{room, third};
  for_each_part(v, [&](const instance_part& part) {
    const std::uint32_t* counted = of_instance(v.scratch.insert_count, part);
    const std::uint32_t* claimed = of_instance(v.scratch.claim_count, part);
    const std::uint32_t* left = of_instance(v.scratch.leftover_count, part);
    tables.fill(
        v.buckets, capacity,
        [&](int b) { return min(min(__ldcg(counted + b), capacity) + __ldcg(claimed + b), capacity); },
        [&](int b) { return __ldcg(left + b); },
        [&](int b, unsigned before, unsigned final_count) {
          bucket_begin[b] = before;
          if (part.number > 0) return;
          of_instance(v.bucket_count, part)[b] = final_count;
          of_instance(v.bucket_end, part)[b] = before + final_count;
        });
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      unsigned bucket = v.bucket_id[point], offset = v.bucket_off[point];
      if (offset & leftover_bit) {
        const uint2 place = tables.place_of(bucket, offset & ~leftover_bit, v.buckets, capacity);
        bucket = place.x;
        offset = place.y;
        v.bucket_id[point] = static_cast<std::uint16_t>(bucket);
        v.bucket_off[point] = offset;
      }
      v.write_row(v.row_of(part.instance, part.instance_begin, bucket, bucket_begin[bucket], offset), point);
    }
    const unsigned points = v.end_of(part.instance) - part.instance_begin;
    for (unsigned b = part.number; v.strided && b < static_cast<unsigned>(v.buckets); b += part.parts) {
      const unsigned end = b + 1 < static_cast<unsigned>(v.buckets) ? bucket_begin[b + 1] : points;
      for (unsigned place = end - bucket_begin[b] + threadIdx.x; place < capacity; place += block_points)
        v.write_padding(v.row_of(part.instance, part.instance_begin, b, 0, place));
    }
    __syncthreads();
  });
  if (!v.strided) pad_rows(v, thread, threads);
  events.write(v.events);
}

void two_stage_resident(launcher& to, const problem& p, const switches&) {
  const std::size_t words = most_probes + 3 * static_cast<std::size_t>(p.buckets);
  with_form(p, [&](auto instrumented) {
    launch(to, bucket_in_one_launch<instrumented>,
           geometry{.grid = dim3(resident_blocks(to, p)),
                    .block = dim3(block_points),
                    .dynamic_shared_bytes = words * sizeof(std::uint32_t),
                    .cooperative = true},
           view(p), p.quantization == quantization::isotropic);
  });
  scatter_features(to, p);
}

}  // namespace ablate::psh_bucket
