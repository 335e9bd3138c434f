// One thread per out row, no dense table. A first pass over all offsets counts; a second pass counts again,
// so that each block can reserve its part of every list with one atomic, then searches again to write the
// pairs there. Three probes per entry. Should move: bytes of the dense table, gone; random sectors, three
// times as many.
#include "kernels/kernel_map/queries.cuh"

namespace ablate::kernel_map {

template <class Table, bool Instrumented>
__global__ __launch_bounds__(query_threads) void count_and_write(view v, const Table in) {
  query_block block(v);
  block.stage_offsets(v);
  block.clear_counts();
  __syncthreads();
  const long long out = static_cast<long long>(blockIdx.x) * query_threads + threadIdx.x;
  const bool asks = out < v.outs;
  const coordinate at = asks ? v.outs_at[out] : coordinate{};
  tally<Instrumented> events;
  for (int q = 0; q < v.offsets; ++q)
    block.count(q, asks && find_row(v, in, at, block.offset(q), events) >= 0);
  block.reserve(v);
  for (int q = 0; q < v.offsets; ++q) {
    const int row = asks ? find_row(v, in, at, block.offset(q), events) : -1;
    block.put(v, q, row >= 0, row, out);
  }
  events.write(v.events);
}

void map_by_query_count_scatter(launcher& to, const problem& p) {
  run_phases<packed_rows>(to, p, [&] {
    count_then<packed_rows>(to, p, [&](auto instrumented) {
      launch(to, count_and_write<packed_rows, instrumented>, grid_of_queries(p, query_block::written_bytes),
             view(p), packed_rows(row_problem(p)));
    });
  });
}

}  // namespace ablate::kernel_map
