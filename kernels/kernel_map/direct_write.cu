// The oldest published driver: each offset's list has its own slab with room for every out row, so no
// counting precedes the writes: each pair found takes its place with an atomic on the offset's counter. One
// search per entry, no dense table, no second pass. Slabs: in_rows and out_rows from q · outs on. Should
// move: probes and bytes, down to the minimum; atomics, up to one per pair, on only as many addresses as
// there are offsets.
#include "kernels/kernel_map/grid.cuh"
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

template <class Table, bool Instrumented>
__global__ __launch_bounds__(rows_per_block* offsets_per_block) void search_into_slabs(view v,
                                                                                       const Table in) {
  const long long out = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  const int q = static_cast<int>(blockIdx.y) * offsets_per_block + static_cast<int>(threadIdx.y);
  if (out >= v.outs || q >= v.offsets) return;
  tally<Instrumented> events;
  if (q == 0) events.add(queries);
  const int row = find_row(v, in, v.outs_at[out], v.offset(q), events);
  if (row >= 0) {
    events.add(pairs);
    const auto place = static_cast<long long>(atomicAdd(v.scratch.counts + q, 1ull));
    put_pair(v, q * v.outs + place, row, static_cast<int>(out));
  }
  events.write(v.events);
}

void map_by_direct_write(launcher& to, const problem& p) {
  run_phases<packed_rows>(to, p, [&] {
    clear_counts(to, p);
    with_form(p, [&](auto instrumented) {
      launch(to, search_into_slabs<packed_rows, instrumented>, grid_over(p.outs, p.offsets()), view(p),
             packed_rows(row_problem(p)));
    });
    sum_counts(to, p);
  });
}

}  // namespace ablate::kernel_map
