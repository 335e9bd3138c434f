// A step of the expansion: one thread per sum of base row and offset. It inserts the sum into the table. A
// thread that claims a slot draws the next row number, by an atomic on one counter, and stores it in the slot
// and the sum in the row store; a thread that finds the key is done. Most sums are present, so the cost on
// present keys counts: `cas_first` issues a compare-and-swap for each, `load_first` a read. Sums are assigned
// by offset (a warp: 32 base rows, one offset, all distinct) or by row (a warp: all offsets of the step for a
// few neighboring rows, many sums equal).
#pragma once

#include <type_traits>

#include "kernels/coordinate_expand/driver.h"
#include "kernels/coordinate_expand/view.cuh"

namespace ablate::coordinate_expand {

/// The sum that a thread forms; false if it has none.
struct by_offset {
  static dim3 grid(const problem& p, int offsets) {
    return dim3(blocks_for(p.rows, table_threads), static_cast<unsigned>(offsets));
  }
  __device__ static bool sum(const view& v, int first, int, coordinate& c) {
    const long long row = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
    if (row >= v.rows) return false;
    c = v.sum(v.base[row], first + static_cast<int>(blockIdx.y));
    return true;
  }
};

struct by_row {
  static dim3 grid(const problem& p, int offsets) {
    return dim3(blocks_for(p.rows * offsets, table_threads));
  }
  /// Thread g of the grid forms the sum of row g / offsets and offset g mod offsets. `offsets` blocks cover
  /// table_threads rows, so the division is one of small numbers.
  __device__ static bool sum(const view& v, int first, int offsets, coordinate& c) {
    const unsigned count = static_cast<unsigned>(offsets);
    const unsigned at = blockIdx.x % count * table_threads + threadIdx.x;
    const long long row = static_cast<long long>(blockIdx.x / count) * table_threads + at / count;
    if (row >= v.rows) return false;
    c = v.sum(v.base[row], first + static_cast<int>(at % count));
    return true;
  }
};

/// How the rows that have claimed a slot get their numbers.
enum class numbering {
  each,        ///< an addition each, as published; ptxas merges those of lanes that arrive together
  one_by_one,  ///< an increment each, which ptxas does not merge
  by_warp      ///< one addition per warp, aggregated first
};

/// All lanes of a warp must take part.
template <numbering Numbering, bool Instrumented>
__device__ int take_number(bool wins, int* counter, tally<Instrumented>& events) {
  if constexpr (Numbering != numbering::by_warp) {
    if (!wins) return 0;
    events.add(hash_table::atomics);
    if constexpr (Numbering == numbering::each) return atomicAdd(counter, 1);
    // With a limit that no row number reaches: without one, the compiler turns it back into an addition.
    constexpr unsigned no_number = 0x7fffffff;
    return static_cast<int>(atomicInc(reinterpret_cast<unsigned*>(counter), no_number));
  } else {
    const unsigned winners = __ballot_sync(~0u, wins), lane = threadIdx.x % 32;
    if (winners == 0) return 0;
    const int leader = __ffs(winners) - 1;
    int first = 0;
    if (static_cast<int>(lane) == leader) {
      first = atomicAdd(counter, __popc(winners));
      events.add(hash_table::atomics);
    }
    return __shfl_sync(~0u, first, leader) + __popc(winners & ((1u << lane) - 1));
  }
}

/// A table whose probe sequences end once the step has failed: in a nearly full table, thousands of keys
/// would otherwise probe every slot.
struct table_until_failure : rows_table {
  const volatile std::int32_t* status;

  __device__ table_until_failure(const rows_table& table, const std::int32_t* status)
      : rows_table(table), status(status) {}
  __device__ bool next(visit& v) const {
    constexpr unsigned slots_between_looks = 64;
    return rows_table::next(v) && (v.looked % slots_between_looks != 0 || *status == expand_ok);
  }
};

/// `Table`: rows_table or table_until_failure.
template <insertion Policy, class Order, numbering Numbering, class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void add_sums(view v, rows_table into, int first, int offsets) {
  constexpr bool until_failure = std::is_same_v<Table, table_until_failure>;
  tally<Instrumented> events;
  coordinate sum{};
  bool inserts = Order::sum(v, first, offsets, sum) && (!v.guards || hash_table::in_range(sum));
  if constexpr (until_failure)
    inserts = inserts && *static_cast<const volatile std::int32_t*>(&v.result->status) == expand_ok;
  if constexpr (Policy == insertion::warp_deduplicated) {
    // No key is 0, so the lanes that insert nothing form a group of their own.
    const unsigned same =
        __match_any_sync(~0u, inserts ? static_cast<unsigned long long>(hash_table::pack(sum)) : 0ull);
    inserts = inserts && threadIdx.x % 32 == static_cast<unsigned>(__ffs(same)) - 1;
  }
  bool wins = false;
  unsigned slot = 0;
  if (inserts) {
    Table table = [&] {
      if constexpr (until_failure)
        return table_until_failure(into, &v.result->status);
      else
        return into;
    }();
    const auto settle = [&](unsigned at, bool mine) {
      slot = at;
      wins = mine;
    };
    if (!hash_table::insert_key<Policy>(table, table.start(sum), hash_table::slot_unseen, events, v.events,
                                        settle))
      atomicMax(&v.result->status, static_cast<int>(table_full));
  }
  const int number = take_number<Numbering>(wins, &v.result->rows, events);
  if (wins) v.keep(into, slot, number, sum);
  events.write(v.events);
}

template <insertion Policy, class Order, numbering Numbering>
void add_step(launcher& to, const problem& p, const room& now, int first, int offsets, bool gives_up) {
  with_form(p, [&](auto instrumented) {
    launch(to,
           gives_up ? add_sums<Policy, Order, Numbering, table_until_failure, instrumented>
                    : add_sums<Policy, Order, Numbering, rows_table, instrumented>,
           Order::grid(p, offsets), dim3(table_threads), 0, view(p, now), table_of(p, now), first, offsets);
  });
}

}  // namespace ablate::coordinate_expand
