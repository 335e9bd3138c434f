// As query_count_scatter, except for kernels of at most 27 offsets: the rows found by the second pass stay in
// registers, an array and a bit mask, until the block has reserved its places, so they are not searched for
// again. Two probes per entry, no dense table. The loop over the offsets is unrolled because registers cannot
// be indexed. Should move: probes, to two thirds of query_count_scatter's; registers, up by 27, and occupancy
// down with them.
#include "kernels/kernel_map/queries.cuh"

namespace ablate::kernel_map {

constexpr int max_held = 27;

template <class Table, bool Instrumented>
__global__ __launch_bounds__(query_threads) void hold_and_write(view v, const Table in) {
  query_block block(v);
  block.stage_offsets(v);
  block.clear_counts();
  __syncthreads();
  const long long out = static_cast<long long>(blockIdx.x) * query_threads + threadIdx.x;
  const bool asks = out < v.outs;
  const coordinate at = asks ? v.outs_at[out] : coordinate{};
  tally<Instrumented> events;
  int held[max_held];
  unsigned found = 0;
#pragma unroll
  for (int q = 0; q < max_held; ++q) {
    held[q] = -1;
    if (q >= v.offsets) continue;
    if (asks) held[q] = find_row(v, in, at, block.offset(q), events);
    if (held[q] >= 0) found |= 1u << q;
    block.count(q, held[q] >= 0);
  }
  block.reserve(v);
#pragma unroll
  for (int q = 0; q < max_held; ++q)
    if (q < v.offsets) block.put(v, q, found >> q & 1, held[q], out);
  events.write(v.events);
}

void map_with_held_rows(launcher& to, const problem& p) {
  run_phases<packed_rows>(to, p, [&] {
    count_then<packed_rows>(to, p, [&](auto instrumented) {
      launch(to, hold_and_write<packed_rows, instrumented>, grid_of_queries(p, query_block::written_bytes),
             view(p), packed_rows(row_problem(p)));
    });
  });
}

}  // namespace ablate::kernel_map
