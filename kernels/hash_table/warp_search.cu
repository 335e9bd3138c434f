// The published cooperative search (WarpConvNet documentation, "Packed Hash Table", probe strategies), and
// two fixes. A warp probes 32 neighboring slots and decides by ballot. As published, once one lane has seen
// the key, every lane loads the row of its slot, and the first window starts at the key's first slot.
// `winner`: only the lane that has seen the key loads a row. `aligned`: also, the first window starts with
// the sector that holds the key's first slot; empty slots before that one are ignored. `published_aligned`:
// this second fix alone. There is no insertion by warps: one thread per row builds the table, by `insert`.
// Should move: row sectors per hit, from 4 or 5 to one; key sectors per window, from 8.75 on average to 8.
#include "kernels/common/switches.h"
#include "kernels/hash_table/launches.h"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"

namespace ablate::hash_table {

enum class warp_window { published, winner, aligned, published_aligned };

template <warp_window Kind>
constexpr bool starts_at_sector = Kind == warp_window::aligned || Kind == warp_window::published_aligned;
template <warp_window Kind>
constexpr bool loads_all_rows = Kind == warp_window::published || Kind == warp_window::published_aligned;

template <class Table, warp_window Kind, bool Instrumented>
__global__ __launch_bounds__(table_threads) void search_by_warps(const Table in, const coordinate* queries,
                                                                 long long count, bool guards, int* found,
                                                                 unsigned long long* all_events) {
  constexpr unsigned width = 32, per_sector = Table::layout::keys_per_sector;
  tally<Instrumented> events;
  const tile<width> lanes = my_tile<width>();
  const long long query =
      static_cast<long long>(blockIdx.x) * (table_threads / width) + lanes.meta_group_rank();
  if (query >= count) return;
  coordinate c = queries[query];
  int answer = slot_empty;
  unsigned windows = 0, first = 0;
  if (admissible(c, guards)) {
    auto way = in.start(c);
    // Lanes before the key's first slot.
    const unsigned before = starts_at_sector<Kind> ? way.slot % per_sector : 0;
    first = way.slot - before;
    way.slot = (first + lanes.thread_rank()) & in.mask();
    for (unsigned long long looked = 0; looked <= in.mask(); looked += width) {
      ++windows;
      const int seen = in.peek(way);
      const unsigned same = lanes.ballot(seen == slot_same);
      unsigned empty_lanes = lanes.ballot(seen == slot_empty);
      if (looked == 0) empty_lanes &= ~0u << before;
      if (same != 0) {
        const unsigned winner = __ffs(same) - 1;
        int row = no_row;
        if (loads_all_rows<Kind> || lanes.thread_rank() == winner) row = in.slots().row_at(way.slot);
        answer = lanes.shfl(row, winner);
        break;
      }
      if (empty_lanes != 0) break;
      way.slot = (way.slot + width) & in.mask();
    }
  }
  const bool leads = lanes.thread_rank() == 0;
  if (leads) found[query] = answer;
  count_windows(events, leads, answer >= 0, windows, (first % per_sector + width - 1) / per_sector + 1,
                all_events);
  events.write(all_events);
}

template <class Table, warp_window Kind>
void search_all_by_warps(launcher& to, const problem& p, const std::int32_t* queries, std::int64_t count) {
  with_form(p, [&](auto instrumented) {
    launch(to, search_by_warps<Table, Kind, instrumented>, dim3(blocks_for(count, table_threads / 32)),
           dim3(table_threads), 0, Table(p), coordinates_of(queries), count, p.guards, p.found, p.events);
  });
}

template <warp_window Kind>
void run_warp_search(launcher& to, const problem& p, const switches& s) {
  using of = table<split, splitmix, linear>;
  run_phases<of>(to, p,
                 s.word("insert") == "load_first" ? insert_all<of, insertion::load_first>
                                                  : insert_all<of, insertion::cas_first>,
                 search_all_by_warps<of, Kind>);
}

void packed_warp_search(launcher& to, const problem& p, const switches& s) {
  const bool is_aligned = s.has("window") && s.word("window") == "aligned";
  if (s.has("row") && s.word("row") == "winner")
    (is_aligned ? run_warp_search<warp_window::aligned> : run_warp_search<warp_window::winner>)(to, p, s);
  else
    (is_aligned ? run_warp_search<warp_window::published_aligned>
                : run_warp_search<warp_window::published>)(to, p, s);
}

}  // namespace ablate::hash_table
