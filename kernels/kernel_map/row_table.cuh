#pragma once

#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/interleaved.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

using packed_rows = hash_table::table<hash_table::split, hash_table::splitmix, hash_table::linear>;
using interleaved_rows = hash_table::table<hash_table::interleaved, hash_table::splitmix, hash_table::linear>;

/// The row table as a hash_table problem.
inline hash_table::problem row_problem(const problem& p) {
  const scratch s(p);
  hash_table::problem rows;
  rows.rows = p.rows;
  rows.slots = p.slots;
  rows.coordinates = p.coordinates;
  rows.table = s.table;
  rows.status = s.table_status;
  return rows;
}

template <class Table>
void build_rows(launcher& to, const problem& p) {
  hash_table::run_phases<Table>(
      to, row_problem(p), hash_table::insert_in_form<Table, hash_table::insertion::load_first>, nullptr);
  end_stage(to, p, scratch(p).table_status);
}
extern template void build_rows<packed_rows>(launcher&, const problem&);

/// The phases of a variant with a row table and no cells; `map()` makes the lists.
template <class Table, class Map>
void run_phases(launcher& to, const problem& p, Map map) {
  if (p.does(phase::build)) build_rows<Table>(to, p);
  if (p.does(phase::map)) {
    map();
    end_map(to, p);
  }
}

/// The in row that pairs with an out row at an offset, or −1.
template <class Table, bool Instrumented>
__device__ int find_row(const view& v, const Table& in, const coordinate& out, const int3& offset,
                        tally<Instrumented>& events) {
  coordinate c = v.wanted(out, offset);
  if (!hash_table::admissible(c, v.guards)) return -1;
  auto way = in.start(c);
  const int row = in.find(way);
  events.add(probes, way.looked + 1);
  return row;
}

}  // namespace ablate::kernel_map
