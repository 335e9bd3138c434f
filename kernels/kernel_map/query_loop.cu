// One thread per out row loops over all offsets and stores its results in the dense table T[offset][out row];
// the lists are then made from T. The offsets are in shared memory, 12 bytes each, and the out row's
// coordinate is read once instead of once per eight offsets. A warp's stores are still whole sectors. The
// same probes as the grid's, with 1 / offsets of its threads. Should move: instructions, down; occupancy,
// down if out rows are few, and with it the probes in flight.
#include "kernels/kernel_map/queries.cuh"

namespace ablate::kernel_map {

template <class Table, bool Instrumented>
__global__ __launch_bounds__(query_threads) void search_in_loop(view v, const Table in) {
  query_block block(v);
  block.stage_offsets(v);
  __syncthreads();
  const long long out = static_cast<long long>(blockIdx.x) * query_threads + threadIdx.x;
  if (out >= v.outs) return;
  const coordinate at = v.outs_at[out];
  tally<Instrumented> events;
  events.add(queries);
  for (int q = 0; q < v.offsets; ++q) {
    const int row = find_row(v, in, at, block.offset(q), events);
    if (row >= 0) events.add(pairs);
    v.scratch.dense[q * v.outs + out] = row;
  }
  events.write(v.events);
}

template <class Table>
void map_by_query_loop(launcher& to, const problem& p, list_form lists) {
  run_phases<Table>(to, p, [&] {
    with_form(p, [&](auto instrumented) {
      launch(to, search_in_loop<Table, instrumented>, grid_of_queries(p, query_block::offset_bytes), view(p),
             Table(row_problem(p)));
    });
    lists_in_form(to, p, lists);
  });
}

void map_by_query_loop_on_packed_rows(launcher& to, const problem& p, list_form lists) {
  map_by_query_loop<packed_rows>(to, p, lists);
}
void map_by_query_loop_on_interleaved_rows(launcher& to, const problem& p, list_form lists) {
  map_by_query_loop<interleaved_rows>(to, p, lists);
}

}  // namespace ablate::kernel_map
