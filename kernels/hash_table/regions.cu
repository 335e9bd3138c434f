// P16 finished in shared memory and written once. Insertion at random costs each row a sector fetched, a
// compare-and-swap and a write-back; here the table itself is never read, cleared or changed in device
// memory. It is cut into regions of 8192 neighboring slots, as many as a block can hold:
//   1. deal: each row goes, as (key, home slot, row), to the region of its home slot, the high bits of its
//      hash. A region's own slots are its queue, since a region has hardly ever more rows than slots. A block
//      counts its 8192 rows by region in shared memory and reserves its part of each queue with one atomic.
//      `sorted`: the rows are put in the order of their regions in shared memory first, so that neighboring
//      lanes write neighboring entries; `scattered`: each lane writes its own rows, a line of L2 for each.
//   2. build: a block reads the queue of a region, inserts it by linear probing into keys and rows in shared
//      memory, and stores the whole region, empty slots included, over its queue.
//   3. spill: what probed past the end of its region (one row in four regions at load .5, 1.6 in each at
//      .8), or found its queue full, is inserted into the finished table as usual: all slots from its home to
//      the region's end are taken, so its key is where a search looks.
// Should move: DRAM bytes per row, to 16 read, 16 written and read again in runs, and the table written once;
// global atomics per row, from one or two to half a one at 2^25 slots, a sixteenth at 2^22.
#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <stdexcept>

#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/interleaved.cuh"
#include "kernels/hash_table/phases.cuh"

namespace ablate::hash_table {

constexpr unsigned most_slots_of_region = 8192, most_regions = 4096;
constexpr int deal_threads = 512, dealt_per_thread = 16, dealt_per_block = deal_threads * dealt_per_thread;
constexpr int regions_per_thread = most_regions / deal_threads;
constexpr int build_threads = 1024, entries_in_flight = 4;

/// The regions' queues in the table, and what does not fit there, behind it.
struct region_table {
  static constexpr unsigned cursor_words = 8;  ///< a sector to each cursor

  ulonglong2* slots;         ///< [regions][slots of a region]: queued, key; slot << 32 | row
  unsigned* spilled_count;   ///< [1]
  unsigned* cursors;         ///< [regions][cursor_words]: rows queued, possibly more than fit
  int* spilled;              ///< [rows]
  unsigned mask, of_region;  ///< of all slots; slots of a region
  int shift;                 ///< region = slot >> shift
  unsigned regions;
  int row_of_empty;

  explicit region_table(const problem& p)
      : slots(static_cast<ulonglong2*>(p.table)),
        mask(static_cast<unsigned>(p.slots - 1)),
        of_region(static_cast<unsigned>(p.slots < most_slots_of_region ? p.slots : most_slots_of_region)),
        shift(0),
        regions(static_cast<unsigned>(p.slots / of_region)),
        row_of_empty(p.keeps_smallest ? greatest_row : no_row) {
    while (1u << shift < of_region) ++shift;
    spilled_count = reinterpret_cast<unsigned*>(slots + p.slots);
    cursors = spilled_count + cursor_words;
    spilled = reinterpret_cast<int*>(cursors + regions * cursor_words);
  }

  __device__ unsigned slot_of(unsigned long long key) const {
    return static_cast<unsigned>(splitmix_of(key)) & mask;
  }
  __device__ void spill(int row) const { spilled[atomicAdd(spilled_count, 1u)] = row; }

  /// Puts a row at a place of its region's queue.
  __device__ void queue(unsigned place, unsigned long long key, unsigned slot, int row) const {
    if (place >= of_region) return spill(row);
    slots[static_cast<std::size_t>(slot >> shift) * of_region + place] = {
        key, static_cast<unsigned long long>(slot) << 32 | static_cast<unsigned>(row)};
  }
};

__global__ __launch_bounds__(table_threads) void empty_region_queues(region_table into, bool clears,
                                                                     int* status) {
  const unsigned region = blockIdx.x * table_threads + threadIdx.x;
  if (region < into.regions) into.cursors[region * region_table::cursor_words] = 0;
  if (region != 0) return;
  *into.spilled_count = 0;
  if (clears) *status = status_ok;
}

/// Shared memory: of `Sorted`, keys in the order of their regions [rows of a block]; then for each region
/// what to add to a rank or place; of `Sorted`, also where each region begins, and the rows.
template <bool Sorted>
__global__ __launch_bounds__(deal_threads, 2) void deal_to_regions(region_table into, const coordinate* rows,
                                                                   long long count) {
  using scan = cub::BlockScan<unsigned, deal_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  extern __shared__ unsigned long long memory_of_deal[];
  __shared__ typename scan::TempStorage storage;
  auto* const sorted_keys = memory_of_deal;
  auto* const counts = reinterpret_cast<unsigned*>(memory_of_deal + (Sorted ? dealt_per_block : 0));
  auto* const begins = reinterpret_cast<unsigned short*>(counts + into.regions);
  auto* const sorted_rows = begins + into.regions;
  const long long first_row = static_cast<long long>(blockIdx.x) * dealt_per_block;
  const auto dealt = static_cast<unsigned>(min(count - first_row, static_cast<long long>(dealt_per_block)));
  for (unsigned region = threadIdx.x; region < into.regions; region += deal_threads) counts[region] = 0;
  __syncthreads();

  // A row's region and its rank among the block's rows of that region.
  constexpr int loaded = 2, rank_bits = 13;
  static_assert(dealt_per_block == 1 << rank_bits);
  unsigned long long key[dealt_per_thread];
  unsigned region_and_rank[dealt_per_thread];
#pragma unroll
  for (int first = 0; first < dealt_per_thread; first += loaded) {
    coordinate at[loaded];
#pragma unroll
    for (int k = 0; k < loaded; ++k) {
      const unsigned i = (first + k) * deal_threads + threadIdx.x;
      if (i < dealt) at[k] = rows[first_row + i];
    }
#pragma unroll
    for (int k = 0; k < loaded; ++k) {
      if ((first + k) * deal_threads + threadIdx.x >= dealt) continue;
      key[first + k] = pack(at[k]);
      const unsigned region = into.slot_of(key[first + k]) >> into.shift;
      region_and_rank[first + k] = region << rank_bits | atomicAdd(counts + region, 1u);
    }
  }
  __syncthreads();

  const unsigned first_region = threadIdx.x * regions_per_thread;
  const unsigned end_region = min(first_region + regions_per_thread, into.regions);
  unsigned all = 0, begin = 0;
  for (unsigned region = first_region; region < end_region; ++region) all += counts[region];
  if (Sorted) scan(storage).ExclusiveSum(all, begin);
#pragma unroll 4
  for (unsigned region = first_region; region < end_region; ++region) {
    const unsigned found = counts[region];
    if (found == 0) continue;
    const unsigned place = atomicAdd(into.cursors + region * region_table::cursor_words, found);
    counts[region] = Sorted ? place - begin : place;
    if (Sorted) begins[region] = static_cast<unsigned short>(begin);
    begin += found;
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < dealt_per_thread; ++k) {
    const unsigned i = k * deal_threads + threadIdx.x;
    if (i >= dealt) continue;
    const unsigned region = region_and_rank[k] >> rank_bits, rank = region_and_rank[k] % (1u << rank_bits);
    if (Sorted) {
      sorted_keys[begins[region] + rank] = key[k];
      sorted_rows[begins[region] + rank] = static_cast<unsigned short>(i);
    } else {
      into.queue(counts[region] + rank, key[k], into.slot_of(key[k]), static_cast<int>(first_row + i));
    }
  }
  if (!Sorted) return;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < dealt; i += deal_threads) {
    const unsigned long long sorted_key = sorted_keys[i];
    const unsigned slot = into.slot_of(sorted_key);
    into.queue(counts[slot >> into.shift] + i, sorted_key, slot,
               static_cast<int>(first_row + sorted_rows[i]));
  }
}

/// A block a region. Shared memory: its keys and rows.
template <bool Instrumented>
__global__ __launch_bounds__(build_threads,
                             Instrumented ? 1 : 2) void build_regions(region_table into,
                                                                      unsigned long long* all_events) {
  extern __shared__ unsigned long long memory_of_region[];
  auto* const keys = memory_of_region;
  auto* const rows = reinterpret_cast<int*>(keys + into.of_region);
  ulonglong2* const region = into.slots + static_cast<std::size_t>(blockIdx.x) * into.of_region;
  const unsigned queued = min(into.cursors[blockIdx.x * region_table::cursor_words], into.of_region);
  const bool keeps_smallest = into.row_of_empty == greatest_row;
  tally<Instrumented> events;
  for (unsigned slot = threadIdx.x; slot < into.of_region; slot += build_threads) {
    keys[slot] = 0;
    rows[slot] = into.row_of_empty;
  }
  for (unsigned first = 0; first == 0 || first < queued; first += entries_in_flight * build_threads) {
    ulonglong2 entry[entries_in_flight] = {};
#pragma unroll
    for (int k = 0; k < entries_in_flight; ++k) {
      const unsigned i = first + k * build_threads + threadIdx.x;
      if (i < queued) entry[k] = region[i];
    }
    if (first == 0) __syncthreads();  // the first loads are on their way while shared memory is cleared
#pragma unroll
    for (int k = 0; k < entries_in_flight; ++k) {
      const unsigned long long key = entry[k].x;
      if (key == 0) continue;
      const auto row = static_cast<int>(static_cast<unsigned>(entry[k].y));
      const unsigned home = static_cast<unsigned>(entry[k].y >> 32) & (into.of_region - 1);
      unsigned slot = home;
      for (; slot < into.of_region; ++slot) {
        const unsigned long long seen = atomicCAS(keys + slot, 0ull, key);
        if (seen != 0 && seen != key) continue;
        if (keeps_smallest)
          atomicMin(rows + slot, row);
        else if (seen == 0)
          rows[slot] = row;
        count_visit<interleaved, linear>(events, seen == key, home, slot - home + 1, all_events);
        break;
      }
      if (slot == into.of_region) into.spill(row);
    }
  }
  __syncthreads();
  for (unsigned slot = threadIdx.x; slot < into.of_region; slot += build_threads)
    region[slot] = {keys[slot], static_cast<unsigned>(rows[slot])};
  events.write(all_events);
}

template <class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_spilled(Table into, const region_table regions,
                                                                const coordinate* rows, int* status,
                                                                unsigned long long* all_events) {
  tally<Instrumented> events;
  const unsigned spilled = *regions.spilled_count;
  for (unsigned i = blockIdx.x * table_threads + threadIdx.x; i < spilled; i += gridDim.x * table_threads) {
    const int row = regions.spilled[i];
    if (!insert_row<insertion::load_first>(into, into.start(rows[row], row), row, slot_unseen, events,
                                           all_events))
      atomicMax(status, static_cast<int>(status_full));
  }
  events.write(all_events);
}

namespace {

template <bool Sorted>
void insert_by_regions(launcher& to, const problem& p) {
  using of = table<interleaved, splitmix, linear>;
  problem others = p;
  if (p.does(phase::insert)) {
    const region_table regions(p);
    if (regions.regions > most_regions)
      throw std::invalid_argument("a table built by regions has at most 2^25 slots");
    launch(to, empty_region_queues, dim3(blocks_for(regions.regions, table_threads)), dim3(table_threads), 0,
           regions, p.does(phase::clear), p.status);
    const std::size_t counts = regions.regions * sizeof(unsigned),
                      orders = dealt_per_block * (sizeof(unsigned long long) + sizeof(unsigned short)) +
                               regions.regions * sizeof(unsigned short);
    launch(to, deal_to_regions<Sorted>, dim3(blocks_for(p.rows, dealt_per_block)), dim3(deal_threads),
           counts + (Sorted ? orders : 0), regions, coordinates_of(p.coordinates), p.rows);
    const dim3 few(
        std::min(blocks_for(p.rows, table_threads), 4 * static_cast<unsigned>(to.device().multiprocessors)));
    with_form(p, [&](auto instrumented) {
      launch(to, build_regions<instrumented>, dim3(regions.regions), dim3(build_threads),
             regions.of_region * (sizeof(unsigned long long) + sizeof(int)), regions, p.events);
      launch(to, insert_spilled<of, instrumented>, few, dim3(table_threads), 0, of(p), regions,
             coordinates_of(p.coordinates), p.status, p.events);
    });
    if (p.last == phase::insert) return;
    others.first = phase::search;
  }
  run_phases<of>(to, others, nullptr, search_in_form<of>);
}

}  // namespace

void interleaved_regions(launcher& to, const problem& p, const switches&) { insert_by_regions<true>(to, p); }
void interleaved_regions_scattered(launcher& to, const problem& p, const switches&) {
  insert_by_regions<false>(to, p);
}

}  // namespace ablate::hash_table
