// Tables filled region by region, whatever the layout of their slots. If the table is larger than L2, every
// random insertion costs a fetch from and a write-back to device memory. Here each row is first sent, as
// (key, slot, row), to one of 32 regions of neighboring slots: a block counts its rows by region in shared
// memory, reserves a range of each region's queue with one atomic, and writes them. Then the queues are
// inserted one after the other: blocks run roughly in index order, so the one or two regions in progress stay
// in L2, and each sector of the table is fetched and written back once. A row whose queue is full goes
// straight into the table, which is always correct. Should move: DRAM bytes per row, from three random
// sectors to 48 sequential ones plus the table once.
#include <type_traits>

#include "kernels/common/switches.h"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/launches.h"
#include "kernels/hash_table/layouts/interleaved.cuh"
#include "kernels/hash_table/layouts/interleaved_whole.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"

namespace ablate::hash_table {

constexpr int regions = 32, rows_per_thread = 8, rows_per_block = rows_per_thread * table_threads;

/// What an entry of a queue holds of a layout's key, and the key again from that.
__device__ inline unsigned long long packed_part(unsigned long long key) { return key; }
__device__ inline unsigned long long packed_part(const interleaved_whole::key_type& key) { return key.key; }
template <class Key>
__device__ Key key_from(unsigned long long part, int row) {
  if constexpr (std::is_same_v<Key, interleaved_whole::key_type>)
    return {part, row};
  else
    return part;
}

/// The regions' queues, after the table's slots: none takes more than 16 bytes.
struct region_queues {
  unsigned* lengths;    ///< [regions]: rows sent, possibly more than fit
  ulonglong2* entries;  ///< [regions][capacity]: key; slot << 32 | row
  unsigned capacity;
  int shift;  ///< region = slot >> shift

  explicit region_queues(const problem& p) {
    auto* const behind = static_cast<char*>(p.table) + 16 * p.slots;
    lengths = reinterpret_cast<unsigned*>(behind);
    entries = reinterpret_cast<ulonglong2*>(behind + 256);
    capacity = static_cast<unsigned>(p.rows / regions + p.rows / (20 * regions) + 1024);
    shift = 0;
    while ((p.slots >> shift) > regions) ++shift;
  }
};

__global__ void empty_queues(region_queues queues) {
  if (threadIdx.x < regions) queues.lengths[threadIdx.x] = 0;
}

template <class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void send_to_regions(Table into, region_queues queues,
                                                                 const coordinate* rows, long long count,
                                                                 int* status,
                                                                 unsigned long long* all_events) {
  __shared__ unsigned counts[regions], bases[regions];
  tally<Instrumented> events;
  if (threadIdx.x < regions) counts[threadIdx.x] = 0;
  __syncthreads();
  const long long first = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  typename Table::visit way[rows_per_thread];
  unsigned rank[rows_per_thread];
#pragma unroll
  for (int k = 0; k < rows_per_thread; ++k) {
    const long long row = first + k * table_threads;
    if (row >= count) continue;
    way[k] = into.start(rows[row], static_cast<int>(row));
    rank[k] = atomicAdd(counts + (way[k].slot >> queues.shift), 1u);
  }
  __syncthreads();
  if (threadIdx.x < regions)
    bases[threadIdx.x] = atomicAdd(queues.lengths + threadIdx.x, counts[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < rows_per_thread; ++k) {
    const long long row = first + k * table_threads;
    if (row >= count) continue;
    const unsigned region = way[k].slot >> queues.shift, place = bases[region] + rank[k];
    if (place < queues.capacity) {
      queues.entries[static_cast<long long>(region) * queues.capacity + place] = {
          packed_part(way[k].key),
          static_cast<unsigned long long>(way[k].slot) << 32 | static_cast<unsigned>(row)};
    } else if (!insert_row<insertion::load_first>(into, way[k], static_cast<int>(row), slot_unseen, events,
                                                  all_events)) {
      atomicMax(status, static_cast<int>(status_full));
    }
  }
  events.write(all_events);
}

/// blockIdx.x runs through the queues, region by region.
template <class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_regions(Table into, region_queues queues,
                                                                unsigned blocks_per_region, int* status,
                                                                unsigned long long* all_events) {
  tally<Instrumented> events;
  const unsigned region = blockIdx.x / blocks_per_region;
  const unsigned place = blockIdx.x % blocks_per_region * table_threads + threadIdx.x;
  if (place < min(queues.lengths[region], queues.capacity)) {
    const ulonglong2 entry = queues.entries[static_cast<long long>(region) * queues.capacity + place];
    const auto row = static_cast<int>(static_cast<unsigned>(entry.y));
    const typename Table::visit way{key_from<typename Table::key_type>(entry.x, row),
                                    static_cast<unsigned>(entry.y >> 32), 1};
    if (!insert_row<insertion::load_first>(into, way, row, slot_unseen, events, all_events))
      atomicMax(status, static_cast<int>(status_full));
  }
  events.write(all_events);
}

template <class Layout>
void run_partitioned(launcher& to, const problem& p) {
  using of = table<Layout, splitmix, linear>;
  const region_queues queues(p);
  if (p.does(phase::clear)) launch(to, empty_queues, dim3(1), dim3(regions), 0, queues);
  const auto insert = [](launcher& into, const problem& all) {
    const region_queues filled(all);
    const unsigned blocks_per_region = blocks_for(filled.capacity, table_threads);
    with_form(all, [&](auto instrumented) {
      launch(into, send_to_regions<of, instrumented>, dim3(blocks_for(all.rows, rows_per_block)),
             dim3(table_threads), 0, of(all), filled, coordinates_of(all.coordinates), all.rows, all.status,
             all.events);
      launch(into, insert_regions<of, instrumented>, dim3(regions * blocks_per_region), dim3(table_threads),
             0, of(all), filled, blocks_per_region, all.status, all.events);
    });
  };
  run_phases<of>(to, p, insert, search_in_form<of>);
}

void partitioned(launcher& to, const problem& p, const switches& s) {
  const text_view layout = s.word("layout");
  if (layout == "packed")
    run_partitioned<split>(to, p);
  else if (layout == "interleaved")
    run_partitioned<interleaved>(to, p);
  else
    run_partitioned<interleaved_whole>(to, p);
}

}  // namespace ablate::hash_table
