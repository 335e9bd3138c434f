// The expansion's driver: empties the table, puts the base rows into table and store, then adds the
// sums, a chunk of offsets per step. By the published rule (`bound`), table and store are made large
// enough before each step for the worst case, that all of its sums are new, so most of the table stays
// empty if rows are neighbors. `retry` runs the step on the current table, gives up once half of the
// slots are taken, and repeats it on a table sized for the rows found by then. Either way the host waits
// after each step and reads the number of rows. A larger table is built from the row store: existing
// rows keep their numbers. Memory is preallocated; neither allocation nor a copy of the store is part of
// the work.
#include "kernels/common/min_max.h"
#include "kernels/common/refuse_launch.h"
#include "kernels/coordinate_expand/driver.h"

#include "kernels/coordinate_expand/view.cuh"

namespace ablate::coordinate_expand {

__global__ __launch_bounds__(table_threads) void empty_table(rows_table all, std::int64_t* slots,
                                                             outcome* result, int rows) {
  const long long slot = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (slot == 0) {
    *result = {rows, expand_ok};
    *slots = static_cast<std::int64_t>(all.mask()) + 1;
  }
  if (slot <= all.mask()) all.clear(static_cast<unsigned>(slot));
}

/// Inserts distinct rows, numbered by position: the base into table and store, or the store's rows into a new
/// table.
__global__ __launch_bounds__(table_threads) void insert_known_rows(view v, rows_table into,
                                                                   const coordinate* rows, long long count) {
  const long long number = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (number >= count) return;
  const coordinate row = rows[number];
  tally<uncounted> events;
  const bool has_slot = hash_table::insert_key<insertion::cas_first>(
      into, into.start(row), hash_table::slot_unseen, events, nullptr, [&](unsigned slot, bool mine) {
        if (mine) v.keep(into, slot, static_cast<int>(number), row);
      });
  if (!has_slot) atomicMax(&v.result->status, static_cast<int>(table_full));
}

void clear_table(launcher& to, const problem& p, const room& now, std::int64_t rows) {
  launch(to, empty_table, dim3(blocks_for(now.slots, table_threads)), dim3(table_threads), 0,
         table_of(p, now), scratch(p).slots, p.result, static_cast<int>(rows));
}

/// Builds a table of these rows, numbered by position.
void build_table(launcher& to, const problem& p, const room& now, const std::int32_t* rows,
                 std::int64_t count) {
  clear_table(to, p, now, count);
  launch(to, insert_known_rows, dim3(blocks_for(count, table_threads)), dim3(table_threads), 0, view(p, now),
         table_of(p, now), hash_table::coordinates_of(rows), count);
}

void require_memory(const problem& p, const room& wanted) {
  if (wanted.slots > p.max_slots || wanted.capacity > p.max_rows)
    refuse_launch({"an expansion of ", p.rows, " rows: ", wanted.slots, " slots and ", wanted.capacity,
                   " rows are more than the set can need"});
}

void expand_within_bound(launcher& to, const problem& p, step take) {
  room now{p.slots, p.capacity};
  outcome known{static_cast<std::int32_t>(p.rows), expand_ok};
  for (int first = 0; first < p.offsets() && known.status == expand_ok; first += p.chunk) {
    const int offsets = std::min(p.chunk, p.offsets() - first);
    now.capacity = known.rows + p.rows * offsets;
    if (2 * now.capacity > now.slots) {
      now.slots = std::max(slots_at_half_load(now.capacity), 2 * now.slots);
      require_memory(p, now);
      build_table(to, p, now, p.store, known.rows);
    }
    require_memory(p, now);
    take(to, p, now, first, offsets, false);
    known = to.read(p.result, known);
  }
}

void expand_with_retries(launcher& to, const problem& p, step take) {
  room now{p.slots, p.capacity};
  for (int first = 0; first < p.offsets(); first += p.chunk) {
    const int offsets = std::min(p.chunk, p.offsets() - first);
    for (;;) {
      take(to, p, now, first, offsets, true);
      const outcome found = to.read(p.result, {static_cast<std::int32_t>(p.rows), expand_ok});
      if (found.status == expand_ok) break;
      const std::int64_t kept = std::min<std::int64_t>(found.rows, now.capacity);
      now.slots = std::max(slots_at_half_load(found.rows), 2 * now.slots);
      now.capacity = now.slots / 2;
      require_memory(p, now);
      build_table(to, p, now, p.store, kept);
    }
  }
}

void expand_by_steps(launcher& to, const problem& p, step take) {
  const room given{p.slots, p.capacity};
  if (p.does(phase::base)) build_table(to, p, given, p.base, p.rows);
  if (p.does(phase::expand)) {
    if (p.grows == growth::bound) expand_within_bound(to, p, take);
    if (p.grows == growth::retry) expand_with_retries(to, p, take);
    for (int first = 0; p.grows == growth::none && first < p.offsets(); first += p.chunk)
      take(to, p, given, first, std::min(p.chunk, p.offsets() - first), false);
  }
}

}  // namespace ablate::coordinate_expand
