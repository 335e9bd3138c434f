// The second step of a table built by regions (regions.cuh): a block finishes a region in shared memory.
//   `probed`: each key goes from its home to the first empty slot by compare-and-swap. At load .8 a key looks
//   at 3 slots, but one in 100 at more than 32, and a warp waits for its slowest lane.
//   `counted`: no key probes. With c(h) keys at home h, and w(h) that are still waiting for a slot when the
//   probing of all earlier homes gets to h,
//     w(0) = 0, w(h + 1) = max(w(h) + c(h) − 1, 0),
//   the keys of h take the slots from h + w(h) on: every slot from their home on is taken, as linear probing
//   asks. Steps of w compose to max(w + a, m), so one scan of the block finds them all; a key's rank at its
//   home is an atomic in shared memory. Keys that are twice in a region must have one home, whose keys are
//   neighbors: if two are equal, or a home has more than 32, the region is built by probing.
// Should move: warp instructions per row, down and hardly dependent on the load; issue, down to what DRAM
// asks.
#pragma once

#include <cub/warp/warp_scan.cuh>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/hash_table/regions.cuh"
#include "kernels/hash_table/sequences.cuh"

namespace ablate::hash_table {

constexpr int build_threads = 1024, entries_in_flight = 4;
constexpr unsigned homes_per_thread = max_slots_of_region / build_threads;
constexpr unsigned max_keys_of_home = 32;

/// How slots are found.
enum class building { probed, counted };

/// Shared memory of a block that builds: keys, rows; of building::counted, a cursor for each home.
template <building Building>
constexpr std::size_t build_bytes(unsigned of_region) {
  return of_region * (sizeof(unsigned long long) + sizeof(int) +
                      (Building == building::counted ? sizeof(unsigned short) : std::size_t{0}));
}

/// A region in shared memory, and its queue.
struct region_in_memory {
  const region_table& all;
  const ulonglong2* queue;  ///< [queued]
  unsigned queued;
  unsigned long long* keys;  ///< [slots of a region]; 0: empty
  int* rows;                 ///< [slots of a region]

  __device__ unsigned home_of(const ulonglong2& entry) const {
    return static_cast<unsigned>(entry.y >> 32) & (all.of_region - 1);
  }
  __device__ static int row_of(const ulonglong2& entry) {
    return static_cast<int>(static_cast<unsigned>(entry.y));
  }
  __device__ void clear_keys() const {
    auto* const pairs = reinterpret_cast<ulonglong2*>(keys);
#pragma unroll
    for (unsigned k = 0; k < homes_per_thread / 2; ++k) {
      const unsigned pair = k * build_threads + threadIdx.x;
      if (pair < all.of_region / 2) pairs[pair] = {0, 0};
    }
  }
  /// Calls use(slot) for each slot or home of this thread.
  template <class Use>
  __device__ void for_each_slot(Use use) const {
#pragma unroll
    for (unsigned k = 0; k < homes_per_thread; ++k) {
      const unsigned slot = k * build_threads + threadIdx.x;
      if (slot < all.of_region) use(slot);
    }
  }
  /// Calls use(k, entry) for this thread's k-th entry of the queue, loads going ahead.
  template <class Use>
  __device__ void for_each_entry(Use use) const {
    for (unsigned first = 0; first < queued; first += entries_in_flight * build_threads) {
      ulonglong2 entry[entries_in_flight] = {};
#pragma unroll
      for (int k = 0; k < entries_in_flight; ++k) {
        const unsigned i = first + k * build_threads + threadIdx.x;
        if (i < queued) entry[k] = queue[i];
      }
#pragma unroll
      for (int k = 0; k < entries_in_flight; ++k)
        if (entry[k].x != 0) use(first / build_threads + k, entry[k]);
    }
  }
};

template <bool Instrumented>
__device__ void build_by_probing(const region_in_memory& to, tally<Instrumented>& events,
                                 unsigned long long* all_events) {
  for (unsigned slot = threadIdx.x; slot < to.all.of_region; slot += build_threads)
    to.rows[slot] = to.all.row_of_empty;
  __syncthreads();
  to.for_each_entry([&](unsigned, const ulonglong2& entry) {
    const unsigned long long key = entry.x;
    const int row = to.row_of(entry);
    const unsigned home = to.home_of(entry);
    unsigned slot = home;
    for (; slot < to.all.of_region; ++slot) {
      const unsigned long long seen = atomicCAS(to.keys + slot, 0ull, key);
      if (seen != 0 && seen != key) continue;
      if (to.all.keeps_smallest())
        atomicMin(to.rows + slot, row);
      else if (seen == 0)
        to.rows[slot] = row;
      count_visit<interleaved, linear>(events, seen == key, home, slot - home + 1, all_events);
      break;
    }
    if (slot == to.all.of_region) to.all.spill(row);
  });
  __syncthreads();
}

/// What some homes in a row do to the keys that wait: w becomes max(w + added, least).
struct waiting_keys {
  int added, least;

  __device__ int from(int waiting) const { return max(waiting + added, least); }
  __device__ void pass_home(unsigned keys) {
    added += static_cast<int>(keys) - 1;
    least = max(least + static_cast<int>(keys) - 1, 0);
  }
};

struct passed_in_order {
  __device__ waiting_keys operator()(const waiting_keys& first, const waiting_keys& then) const {
    return {first.added + then.added, then.from(first.least)};
  }
};

/// Two 16-bit cursors share a word: adds one to that of `home` and returns what was there.
__device__ inline unsigned advance_cursor(unsigned short* cursors, unsigned home) {
  const unsigned shift = home % 2 * 16;
  return atomicAdd(reinterpret_cast<unsigned*>(cursors) + home / 2, 1u << shift) >> shift & 0xffff;
}

/// What all threads before this one pass on, in two scans of warps.
__device__ inline waiting_keys passed_before(const waiting_keys& mine) {
  constexpr int warps = build_threads / 32;
  static_assert(warps == 32, "a lane for each warp");
  using scan = cub::WarpScan<waiting_keys>;
  __shared__ typename scan::TempStorage storage[warps];
  __shared__ waiting_keys of_warp[warps];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr waiting_keys none = {0, 0};
  waiting_keys before, all, before_warp;
  scan(storage[warp]).ExclusiveScan(mine, before, none, passed_in_order{}, all);
  if (lane == 0) of_warp[warp] = all;
  __syncthreads();
  scan(storage[warp]).ExclusiveScan(of_warp[lane], before_warp, none, passed_in_order{});
  before_warp = {__shfl_sync(~0u, before_warp.added, warp), __shfl_sync(~0u, before_warp.least, warp)};
  return passed_in_order{}(before_warp, before);
}

/// Turns the count of each home into the first slot of its keys.
__device__ inline void find_first_slots(unsigned short* cursors, unsigned of_region) {
  static_assert(homes_per_thread == 8, "a uint4 of cursors for each thread");
  const unsigned first_home = threadIdx.x * homes_per_thread;
  uint4 mine = {};
  if (first_home < of_region) mine = reinterpret_cast<const uint4*>(cursors)[threadIdx.x];
  unsigned* const pairs[] = {&mine.x, &mine.y, &mine.z, &mine.w};
  waiting_keys passed = {0, 0};
#pragma unroll
  for (const unsigned* const keys : pairs) {
    passed.pass_home(*keys & 0xffff);
    passed.pass_home(*keys >> 16);
  }
  const waiting_keys before = passed_before(passed);
  auto slot = static_cast<int>(first_home) + before.from(0);
  auto home = static_cast<int>(first_home);
  const auto first_slot_of = [&](unsigned keys) {
    const int first = slot;
    slot = max(slot + static_cast<int>(keys), ++home);
    return static_cast<unsigned>(first);
  };
#pragma unroll
  for (unsigned* const keys : pairs) {
    const unsigned low = *keys & 0xffff, high = *keys >> 16;
    *keys = first_slot_of(low);
    *keys |= first_slot_of(high) << 16;
  }
  if (first_home < of_region) reinterpret_cast<uint4*>(cursors)[threadIdx.x] = mine;
}

/// False, with nothing spilled, if the region is left to probing.
template <bool Instrumented>
__device__ bool build_by_counts(const region_in_memory& to, unsigned short* cursors,
                                tally<Instrumented>& events, unsigned long long* all_events) {
  const unsigned of_region = to.all.of_region;
  to.for_each_entry([&](unsigned, const ulonglong2& entry) { advance_cursor(cursors, to.home_of(entry)); });
  __syncthreads();
  find_first_slots(cursors, of_region);
  __syncthreads();

  unsigned past_the_end = 0;  // a bit for each entry of this thread
  static_assert(homes_per_thread <= 32);
  to.for_each_entry([&](unsigned k, const ulonglong2& entry) {
    const unsigned slot = advance_cursor(cursors, to.home_of(entry));
    if (slot < of_region) {
      to.keys[slot] = entry.x;
      to.rows[slot] = to.row_of(entry);
    } else {
      past_the_end |= 1u << k;
    }
  });
  __syncthreads();

  // A cursor follows the last key of its home by now.
  const auto begin_of = [&](unsigned home) {
    return home == 0 ? 0 : max(home, static_cast<unsigned>(cursors[home - 1]));
  };
  const auto end_of = [&](unsigned home) { return min(static_cast<unsigned>(cursors[home]), of_region); };
  unsigned homes_of_several = 0;  // a bit for each home of this thread
#pragma unroll
  for (unsigned k = 0; k < homes_per_thread; ++k) {
    const unsigned home = k * build_threads + threadIdx.x;
    if (home < of_region && end_of(home) > begin_of(home) + 1) homes_of_several |= 1u << k;
  }
  bool wants_probing = false;
  for (; homes_of_several != 0; homes_of_several &= homes_of_several - 1) {
    const unsigned home = (__ffs(homes_of_several) - 1) * build_threads + threadIdx.x;
    const unsigned begin = begin_of(home), end = end_of(home);
    wants_probing |= end > begin + max_keys_of_home;
    if (wants_probing) break;
    for (unsigned slot = begin + 1; slot < end; ++slot)
      for (unsigned other = begin; other < slot; ++other) wants_probing |= to.keys[slot] == to.keys[other];
  }
  if (__syncthreads_or(wants_probing)) return false;

  for (; past_the_end != 0; past_the_end &= past_the_end - 1)
    to.all.spill(to.row_of(to.queue[(__ffs(past_the_end) - 1) * build_threads + threadIdx.x]));
  if constexpr (Instrumented) {
    to.for_each_slot([&](unsigned slot) {
      if (to.keys[slot] == 0) return;
      const unsigned home = to.all.slot_of(to.keys[slot]) & (of_region - 1);
      count_visit<interleaved, linear>(events, false, home, slot - home + 1, all_events);
    });
  }
  return true;
}

template <building Building, bool Instrumented>
__global__ __launch_bounds__(build_threads,
                             Instrumented ? 1 : 2) void build_regions(const region_table into,
                                                                      unsigned long long* all_events) {
  extern __shared__ unsigned long long memory_of_region[];
  ulonglong2* const region = into.slots + static_cast<std::size_t>(blockIdx.x) * into.of_region;
  region_in_memory to{into, region, 0, memory_of_region,
                      reinterpret_cast<int*>(memory_of_region + into.of_region)};
  auto* const cursors = reinterpret_cast<unsigned short*>(to.rows + into.of_region);
  tally<Instrumented> events;
  to.clear_keys();
  if (Building == building::counted && threadIdx.x * homes_per_thread < into.of_region)
    reinterpret_cast<uint4*>(cursors)[threadIdx.x] = {};
  wait_for_previous_kernel();
  to.queued = min(into.cursors[blockIdx.x * region_table::cursor_words], into.of_region);
  __syncthreads();

  if constexpr (Building == building::counted) {
    if (!build_by_counts(to, cursors, events, all_events)) {
      to.clear_keys();
      build_by_probing(to, events, all_events);
    }
  } else {
    build_by_probing(to, events, all_events);
  }
  let_next_kernel_begin();
  to.for_each_slot([&](unsigned slot) {
    const unsigned long long key = to.keys[slot];
    region[slot] = {key, static_cast<unsigned>(key == 0 ? into.row_of_empty : to.rows[slot])};
  });
  events.write(all_events);
}

}  // namespace ablate::hash_table
