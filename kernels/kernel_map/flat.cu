// G2, the published driver without pruning: one thread for each (out row, offset) looks its in row up and
// stores it, or −1, in the dense table T[offset][out row]. A block is 64 rows by 8 offsets, so a warp holds
// 32 neighboring rows of one offset: reads of coordinates and writes of T are whole sectors, and the probes
// are what costs: one random sector each, offsets · rows of them. The lists are then made from T.
// A map onto its own rows needs half of the searches: `flat_mirrored` (Y2) stores each pair a second time, in
// T, for the opposite offset; `flat_exchanged` has a T of half the offsets and makes the opposite list from
// the same entries, in and out rows exchanged, so both lists are written in a row and nothing is scattered
// over T.
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

constexpr int rows_per_block = 64, offsets_per_block = 8;

enum class symmetry { none, in_table, in_lists };

template <class Table, symmetry Symmetry, bool Instrumented>
__global__ __launch_bounds__(rows_per_block* offsets_per_block) void search_offsets(view v, const Table in,
                                                                                    int searched) {
  const long long out = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  const int q = static_cast<int>(blockIdx.y) * offsets_per_block + static_cast<int>(threadIdx.y);
  if (out >= v.outs || q >= searched) return;
  constexpr bool mirrors = Symmetry == symmetry::in_table;
  tally<Instrumented> events;
  if (q == 0) {
    events.add(queries);
    if (Symmetry == symmetry::in_lists) events.add(pairs);  // the row with itself, which nobody searches
  }
  int row = -1;
  if (mirrors && q == v.offsets / 2) {
    row = static_cast<int>(out);
  } else {
    coordinate c = v.wanted(v.outs_at[out], v.offset(q));
    if (hash_table::admissible(c, v.guards)) {
      auto way = in.start(c);
      row = in.find(way);
      events.add(probes, way.looked + 1);
    }
  }
  if (row >= 0) events.add(pairs, Symmetry != symmetry::none && q != v.offsets / 2 ? 2 : 1);
  v.scratch.dense[q * v.outs + out] = row;
  if (mirrors && q != v.offsets / 2 && row >= 0)
    v.scratch.dense[(v.offsets - 1 - q) * v.outs + row] = static_cast<int>(out);
  events.write(v.events);
}

__global__ __launch_bounds__(256) void fill_upper_half(view v) {
  const long long first = (v.offsets / 2 + 1) * v.outs, count = v.offsets * v.outs;
  for (long long i = first + blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll)
    v.scratch.dense[i] = -1;
}

template <class Table, symmetry Symmetry>
void map_flat(launcher& to, const problem& p) {
  if (p.does(phase::build)) build_rows<Table>(to, p);
  if (p.does(phase::map)) {
    const int half = p.offsets() / 2;
    const int searched = Symmetry == symmetry::none       ? p.offsets()
                         : Symmetry == symmetry::in_table ? half + 1
                                                          : half;
    if constexpr (Symmetry == symmetry::in_table)
      launch(to, fill_upper_half, dim3(8 * to.device().multiprocessors), dim3(256), 0, view(p));
    with_form(p, [&](auto instrumented) {
      launch(to, search_offsets<Table, Symmetry, instrumented>,
             dim3(searched == 0 ? 0 : blocks_for(p.outs, rows_per_block),
                  blocks_for(searched, offsets_per_block)),
             dim3(rows_per_block, offsets_per_block), 0, view(p), Table(row_problem(p)), searched);
    });
    lists_from_dense(to, p, Symmetry == symmetry::in_lists);
    end_map(to, p);
  }
  if (p.does(phase::read_back)) sum_digests(to, p);
}

void flat(launcher& to, const problem& p, const switches&) { map_flat<packed_rows, symmetry::none>(to, p); }
void flat_interleaved(launcher& to, const problem& p, const switches&) {
  map_flat<interleaved_rows, symmetry::none>(to, p);
}
void flat_mirrored(launcher& to, const problem& p, const switches&) {
  map_flat<packed_rows, symmetry::in_table>(to, p);
}
void flat_exchanged(launcher& to, const problem& p, const switches&) {
  map_flat<packed_rows, symmetry::in_lists>(to, p);
}

}  // namespace ablate::kernel_map
