// Tables built by regions: the launches of the three steps, and the last of them.
#include <stdexcept>

#include "kernels/common/min_max.h"
#include "kernels/common/switches.h"
#include "kernels/hash_table/build_regions.cuh"
#include "kernels/hash_table/deal_to_regions.cuh"
#include "kernels/hash_table/launches.h"
#include "kernels/hash_table/phases.cuh"

namespace ablate::hash_table {

__global__ __launch_bounds__(table_threads) void empty_region_queues(const region_table into, bool clears,
                                                                     int* status) {
  let_next_kernel_begin();
  const unsigned region = blockIdx.x * table_threads + threadIdx.x;
  if (region < into.regions) into.cursors[region * region_table::cursor_words] = 0;
  if (region != 0) return;
  *into.spilled_count = 0;
  if (clears) *status = status_ok;
}

template <class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_spilled(Table into, const region_table regions,
                                                                const coordinate* rows, int* status,
                                                                unsigned long long* all_events) {
  constexpr int lanes = 32;
  wait_for_previous_kernel();
  tally<Instrumented> events;
  const tile<lanes> warp = my_tile<lanes>();
  const unsigned spilled = *regions.spilled_count, warps = gridDim.x * table_threads / lanes;
  for (unsigned i = (blockIdx.x * table_threads + threadIdx.x) / lanes; i < spilled; i += warps) {
    const int row = regions.spilled[i];
    const coordinate c = rows[row];
    const unsigned home = into.start(c, row).slot;
    const bool done =
        insert_by_tile<lanes>(into, warp, c, row, events, [&](bool same, unsigned, unsigned slot) {
          if (warp.thread_rank() == 0)
            count_visit<interleaved, linear>(events, same, home, ((slot - home) & into.mask()) + 1,
                                             all_events);
        });
    if (!done && warp.thread_rank() == 0) atomicMax(status, static_cast<int>(status_full));
  }
  events.write(all_events);
}

namespace {

enum class launches { one_after_another, overlapped };

constexpr unsigned alone = 1, cluster = 8;

template <unsigned ClusterBlocks, building Building>
void insert_by_regions(launcher& to, const problem& p, launches in) {
  using of = table<interleaved, splitmix, linear>;
  problem others = p;
  if (p.does(phase::insert)) {
    const region_table regions(p);
    if (regions.regions > max_regions)
      throw std::invalid_argument("a table built by regions has at most 2^25 slots");
    const bool overlaps = in == launches::overlapped;
    launch(to, empty_region_queues, dim3(blocks_for(regions.regions, table_threads)), dim3(table_threads), 0,
           regions, p.does(phase::clear), p.status);
    launch(to, deal_to_regions<ClusterBlocks>,
           {.grid = dim3(ClusterBlocks *
                         blocks_for(p.rows, static_cast<long long>(ClusterBlocks) * dealt_per_block)),
            .block = dim3(deal_threads),
            .dynamic_shared_bytes = deal_bytes(regions.regions),
            .cluster_blocks = ClusterBlocks,
            .overlaps_previous = overlaps},
           regions, coordinates_of(p.coordinates), p.rows);
    const dim3 few(
        std::min(blocks_for(p.rows, table_threads), 4 * static_cast<unsigned>(to.device().multiprocessors)));
    with_form(p, [&](auto instrumented) {
      launch(to, build_regions<Building, instrumented>,
             {.grid = dim3(regions.regions),
              .block = dim3(build_threads),
              .dynamic_shared_bytes = build_bytes<Building>(regions.of_region),
              .overlaps_previous = overlaps},
             regions, p.events);
      launch(to, insert_spilled<of, instrumented>,
             {.grid = few, .block = dim3(table_threads), .overlaps_previous = overlaps}, of(p), regions,
             coordinates_of(p.coordinates), p.status, p.events);
    });
    if (p.last == phase::insert) return;
    others.first = phase::search;
  }
  run_phases<of>(to, others, nullptr, search_in_form<of>);
}

template <unsigned ClusterBlocks>
void insert_in_clusters(launcher& to, const problem& p, const switches& s) {
  const launches in = s.is_on("pdl") ? launches::overlapped : launches::one_after_another;
  if (s.has("build") && s.word("build") == "counted")
    insert_by_regions<ClusterBlocks, building::counted>(to, p, in);
  else
    insert_by_regions<ClusterBlocks, building::probed>(to, p, in);
}

}  // namespace

void interleaved_regions(launcher& to, const problem& p, const switches& s) {
  if (s.has("cluster") && s.word("cluster") == "8")
    insert_in_clusters<cluster>(to, p, s);
  else
    insert_in_clusters<alone>(to, p, s);
}

}  // namespace ablate::hash_table
