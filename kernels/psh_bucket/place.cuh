// Placing (Flash3D, §4; supplement, §10.1). Insert: a point's voxel is hashed to its home bucket, and a
// counter gives its rank there. A point ranked beyond the capacity leaves and tries its probes: it claims,
// through the counter, the first bucket that a plain read shows to have room, once per probe segment; a claim
// beyond the capacity is given back. A point that no probe places goes to the bin or, in strict mode, is
// ranked among its home bucket's leftovers. A counter always equals the placed points plus the claims not yet
// given back, and a rank beyond the capacity is handed out only when all places are taken, so giving back
// leaves no holes: ranks below the capacity are unique and contiguous, whatever the block order. The same
// holds if nothing is given back (keeps_claims) and a full bucket's counter ends above its capacity. One
// thread per point; the variants differ in the counter (counters/*.cuh). The kernel may be split in two
// (placing_step): when fused, early blocks fill buckets before late points reach their home.
#pragma once

#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/probing.cuh"

namespace ablate::psh_bucket {

/// A counter that keeps ranks beyond the capacity: it ends at the number of points that tried the bucket, at
/// least the capacity if the bucket is full. Strict mode only, whose last phase allows for that.
template <class Counter>
struct keeps_claims : Counter {
  using Counter::Counter;
};
template <class Counter>
constexpr bool rolls_back = true;
template <class Counter>
constexpr bool rolls_back<keeps_claims<Counter>> = false;

/// What a launch does.
enum class placing_step { insert, rebalance, both };

template <class Counter, placing_step Step, bool Instrumented>
__global__ __launch_bounds__(block_points) void place_points(view v) {
  constexpr bool inserts = Step != placing_step::rebalance, rebalances = Step != placing_step::insert;
  extern __shared__ std::uint32_t shared[];
  tally<Instrumented> events;
  Counter counter(shared + (rebalances ? max_probes : 0), v.buckets);
  const int instance = static_cast<int>(blockIdx.y);
  std::uint32_t* counters = v.bucket_count + static_cast<std::int64_t>(instance) * v.buckets;
  const unsigned point = v.begin_of(instance) + blockIdx.x * block_points + threadIdx.x;
  const bool here = point < v.end_of(instance);

  voxel at{};
  unsigned home = 0, rank = 0;
  if (here) {
    at = v.voxel_of(point, *v.scratch.box);
    home = v.bucket_of(at);
  }
  if constexpr (inserts) {
    if (here) events.add(points);
    rank = counter.take(counters, here, home, events);
  } else if (here) {
    if (v.first == phase::rebalance) events.add(points);
    rank = v.bucket_off[point];
  }

  unsigned bucket = home;
  if constexpr (rebalances) {
    const probing probe(v, shared);
    const auto capacity = static_cast<unsigned>(v.capacity);
    bool placed = !here || rank < capacity || v.is_bin(home);
    if (!placed) {
      events.add(overflows);
      if (rolls_back<Counter> && v.claims) {
        atomicSub(counters + home, 1u);
        events.add(global_atomics);
      }
    }
    __syncthreads();
    for (int segment = 0; segment < v.segments; ++segment) {
      bool claimed = false;
      unsigned candidate = 0;
      if (!placed) {
        const int end = v.probes * (segment + 1) / v.segments;
        for (int i = v.probes * segment / v.segments; i < end; ++i) {
          candidate = probe.look(point, at, i);
          events.add(probes);
          if (candidate != home && !v.is_bin(candidate) && counters[candidate] < capacity) {
            claimed = true;
            break;
          }
        }
      }
      if (!v.claims) {
        if (claimed) v.scratch.found[point] = static_cast<std::uint16_t>(candidate);
        continue;
      }
      const unsigned place = counter.take(counters, claimed, candidate, events);
      if (!claimed) continue;
      events.add(attempts);
      if (place < capacity) {
        placed = true;
        bucket = candidate;
        rank = place;
      } else {
        events.add(failures);
        if constexpr (rolls_back<Counter>) {
          atomicSub(counters + candidate, 1u);
          events.add(global_atomics);
        }
      }
    }
    if (v.claims) {
      if (!placed) events.add(leftovers);
      if (v.strict) {
        std::uint32_t* leftover_counters =
            v.scratch.leftover_count + static_cast<std::int64_t>(instance) * v.buckets;
        const unsigned left = counter.take(leftover_counters, !placed, home, events);
        if (!placed) rank = leftover_bit | left;
      } else if (!placed) {
        bucket = 0;
        rank = atomicAdd(counters, 1u);
        events.add(global_atomics);
      }
    }
    if (!inserts && !v.claims) return events.write(v.events);
  }

  if (here) {
    v.bucket_id[point] = static_cast<std::uint16_t>(bucket);
    v.bucket_off[point] = rank;
  }
  events.write(v.events);
}

/// Launches the placing kernel or one half of it.
template <class Counter, placing_step Step>
void launch_place(launcher& to, const problem& p, const switches& s) {
  const std::size_t words =
      Counter::shared_words(p.buckets) + (Step == placing_step::insert ? 0 : max_probes);
  dim3 grid = grid_of(p);
  grid.x = (grid.x + Counter::cluster_blocks - 1) / Counter::cluster_blocks * Counter::cluster_blocks;
  with_form(p, [&](auto instrumented) {
    launch(to, place_points<Counter, Step, instrumented>,
           geometry{.grid = grid,
                    .block = dim3(block_points),
                    .dynamic_shared_bytes = shared_request(to, s, words * sizeof(std::uint32_t)),
                    .cluster_blocks = Counter::cluster_blocks},
           view(p));
  });
}

/// The pipeline that places points by `Counter`, insertion and rebalancing in one kernel.
template <class Counter>
void bucket_fused_with(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, {.insert_and_rebalance = launch_place<Counter, placing_step::both>}, s);
}

/// The pipeline that places points by `Counter`, fused or split as the variant says.
template <class Counter>
void bucket_with(launcher& to, const problem& p, const switches& s) {
  const bool fused = s.word("launch") == "fused";
  run_phases(to, p,
             {.insert = launch_place<Counter, placing_step::insert>,
              .rebalance = launch_place<Counter, placing_step::rebalance>,
              .insert_and_rebalance = fused ? launch_place<Counter, placing_step::both> : nullptr},
             s);
}

}  // namespace ablate::psh_bucket
