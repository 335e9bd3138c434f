// The list without a sort: one byte per row flags the rows that the table keeps, and the flagged rows are
// selected in order. The variants differ in what sets the flags:
//   flag_slots    the slots: all are read sequentially, only the array of rows, 4 bytes each; an empty one
//                 holds none. No random reads, one random write per coordinate.
//   flag_found    a search for every row, as published: a random read of a key and of a row each.
//   flag_winners  the insertion: a row that has just claimed its slot is kept, all others are not. One byte
//                 per row, written sequentially; nothing is read again. Only if any of equal rows will do.
// Should move: random sectors, from two per row (flag_found) to none beyond those of the insertion.
#include "kernels/unique_rows/phases.cuh"

namespace ablate::unique_rows {

__global__ __launch_bounds__(table_threads) void flag_rows_of_slots(const rows_table of, std::uint8_t* flags,
                                                                    long long rows) {
  const long long slot = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (slot > of.mask()) return;
  // An empty slot holds no_row or greatest_row, which are no row's number.
  const int row = of.slots().row_at(static_cast<unsigned>(slot));
  if (row >= 0 && row < rows) flags[row] = 1;
}

template <bool Instrumented>
__global__ __launch_bounds__(table_threads) void flag_rows_found(const rows_table in, const coordinate* rows,
                                                                 long long count, std::uint8_t* flags,
                                                                 unsigned long long* all_events) {
  tally<Instrumented> events;
  const long long row = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (row >= count) return;
  auto way = in.start(rows[row]);
  const unsigned first = way.slot;
  const int found = in.find(way);
  if (found >= 0) flags[found] = 1;
  hash_table::count_visit<rows_table::layout, rows_table::sequence>(
      events, found >= 0, first, min(way.looked, in.mask()) + 1, all_events);
  events.write(all_events);
}

template <insertion Policy, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_and_flag(rows_table into, const coordinate* rows,
                                                                 long long count, std::uint8_t* flags,
                                                                 int* status,
                                                                 unsigned long long* all_events) {
  tally<Instrumented> events;
  const long long at = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (at >= count) return;
  const auto row = static_cast<int>(at);
  bool won = false;
  const auto settle = [&](unsigned slot, bool mine) {
    into.settle(slot, row, mine, events);
    won = mine;
  };
  if (!hash_table::insert_key<Policy>(into, into.start(rows[at], row), hash_table::slot_unseen, events,
                                      all_events, settle))
    atomicMax(status, static_cast<int>(hash_table::status_full));
  flags[at] = won ? 1 : 0;
  events.write(all_events);
}

void flag_slots(launcher& to, const problem& p) {
  if (p.rows == 0) return list_nothing(to, p);
  clear_flags(to, p);
  launch(to, flag_rows_of_slots, dim3(blocks_for(p.slots, table_threads)), dim3(table_threads), 0,
         rows_table(table_problem(p)), scratch(p).flags, p.rows);
  list_flagged(to, p);
}

void flag_found(launcher& to, const problem& p) {
  if (p.rows == 0) return list_nothing(to, p);
  clear_flags(to, p);
  with_form(p, [&](auto instrumented) {
    launch(to, flag_rows_found<instrumented>, dim3(blocks_for(p.rows, table_threads)), dim3(table_threads), 0,
           rows_table(table_problem(p)), hash_table::coordinates_of(p.coordinates), p.rows, scratch(p).flags,
           p.events);
  });
  list_flagged(to, p);
}

template <insertion Policy>
void flag_while_inserting(launcher& to, const problem& p) {
  const rows_table table(table_problem(p));
  launch(to, hash_table::clear_slots<rows_table>, dim3(blocks_for(p.slots, table_threads)),
         dim3(table_threads), 0, table, p.status);
  if (p.rows == 0) return list_nothing(to, p);
  with_form(p, [&](auto instrumented) {
    launch(to, insert_and_flag<Policy, instrumented>, dim3(blocks_for(p.rows, table_threads)),
           dim3(table_threads), 0, table, hash_table::coordinates_of(p.coordinates), p.rows, scratch(p).flags,
           p.status, p.events);
  });
  list_flagged(to, p);
}

void flag_winners(launcher& to, const problem& p, claiming how) {
  how == claiming::load_first ? flag_while_inserting<insertion::load_first>(to, p)
                              : flag_while_inserting<insertion::cas_first>(to, p);
}

}  // namespace ablate::unique_rows
