// C5 in one launch. The points are sorted by the leading bits of their key only (a cell), which is few enough
// for counters in shared memory, and cut into chunks of S. One cooperative kernel whose blocks stay on the
// chip, one a multiprocessor: (1) box; (2) each block counts its points by cell, commits the counts in bulk
// and keeps what the commit returned; (3) each block sums all cells for itself, which gives every point its
// rank, bucket and row. Between phases stands a grid barrier in the place of a launch. Between (2) and (3) a
// block holds its points in shared memory in the order of their cells, so it writes its rows as runs; parts
// that do not fit go through device memory. Should move: launches, from four to one; L2 atomics, to one a
// cell and block; L2 write sectors, down.
#include <cooperative_groups.h>

#include "kernels/psh_bucket/grid_share.cuh"
#include "kernels/psh_bucket/key_order.cuh"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/staging.cuh"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

/// `held`: points for which a block has shared memory; 0 = none is held.
template <bool Instrumented>
__global__ __launch_bounds__(block_points) void rank_and_cut(view v, bool isotropic, int cell_bits,
                                                             unsigned held) {
  extern __shared__ std::uint32_t shared[];
  const int cells = 1 << cell_bits, cell_shift = 16 - cell_bits;
  std::uint32_t* const count = shared;  // then: first place of the cell in the block's order
  std::uint32_t* const base =
      shared + cells;  // points of the cell in blocks before, then also in cells before
  std::uint32_t* const ranked = base + cells;  // [held]: cell and rank in it
  staging rows(ranked + held, held);
  const auto grid = cooperative_groups::this_grid();
  const unsigned thread = blockIdx.x * block_points + threadIdx.x, threads = gridDim.x * block_points;
  tally<Instrumented> events;

  for (unsigned i = thread; i < static_cast<unsigned>(v.instances) * cells; i += threads)
    v.scratch.key_histogram[i] = 0;
  for (int c = threadIdx.x; c < cells; c += block_points) count[c] = 0;
  store_extremes_of_parts(v);
  write_chunk_counts(v, thread, threads);
  pad_chunk_rows(v, thread, threads);
  grid.sync();

  const voxel_scale box = scale_of_all(v, isotropic);
  for_each_part(v, [&](const instance_part& part) {
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      events.add(points);
      events.add(shared_atomics);
      const unsigned cell = ordered_key(v, v.key_of(v.voxel_of(point, box))) >> cell_shift;
      const unsigned rank = atomicAdd(count + cell, 1u);
      if (held > 0) {
        ranked[point - part.begin] = rank << 16 | cell;
      } else {
        v.bucket_id[point] = static_cast<std::uint16_t>(cell);
        v.bucket_off[point] = rank;
      }
    }
    __syncthreads();
    std::uint32_t* cell_count = v.scratch.key_histogram + static_cast<std::int64_t>(part.instance) * cells;
    for (int c = threadIdx.x; c < cells; c += block_points) {
      if (count[c] == 0) continue;
      base[c] = atomicAdd(cell_count + c, count[c]);
      events.add(global_atomics);
    }
    __syncthreads();
    if (held > 0) {
      sum_in_order<unsigned>(
          cells, [&](int c) { return count[c]; },
          [&](int c, unsigned before, unsigned) { count[c] = before; });
      for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
        const unsigned mine = ranked[point - part.begin], cell = mine & 0xffff;
        rows.put(count[cell] + (mine >> 16), mine, point, v.coordinates + 3ull * point);
      }
    } else {
      for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
        v.bucket_off[point] += base[v.bucket_id[point]];
      for (int c = threadIdx.x; c < cells; c += block_points) count[c] = 0;
      __syncthreads();
    }
  });
  grid.sync();

  for_each_part(v, [&](const instance_part& part) {
    const std::uint32_t* cell_count =
        v.scratch.key_histogram + static_cast<std::int64_t>(part.instance) * cells;
    sum_in_order<unsigned>(
        cells, [&](int c) { return __ldcg(cell_count + c); },
        [&](int c, unsigned before, unsigned) { base[c] = before + (held > 0 ? base[c] : 0); });
    if (held == 0) {
      for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
        write_ranked(v, part.instance, part.instance_begin, base[v.bucket_id[point]] + v.bucket_off[point],
                     point);
    } else {
      const unsigned first_row = v.strided ? part.instance * v.buckets * v.capacity : part.instance_begin;
      for (unsigned i = threadIdx.x; i < part.end - part.begin; i += block_points) {
        const unsigned rank = base[ranked[i] & 0xffff] + (ranked[i] >> 16);
        const unsigned bucket = rank / v.capacity;
        v.bucket_id[part.begin + i] = static_cast<std::uint16_t>(bucket);
        v.bucket_off[part.begin + i] = rank - bucket * v.capacity;
        const unsigned staged = rows.row(i);
        rows.row(i) = first_row + base[staged & 0xffff] + (staged >> 16);
      }
      __syncthreads();
      rows.write(v, part.end - part.begin);
    }
    __syncthreads();
  });
  events.write(v.events);
}

void rank_chunk_resident(launcher& to, const problem& p, const switches& s) {
  const unsigned blocks = resident_blocks(to, p);
  const int cell_bits = static_cast<int>(s.integer("key_bits"));
  const std::size_t fixed = 2 * sizeof(std::uint32_t) << cell_bits;
  const auto part = static_cast<std::size_t>(points_of_largest_part(p, blocks));
  const std::size_t wanted = fixed + part * (sizeof(std::uint32_t) + staging::bytes_per_point);
  // A rank within a block and cell has 16 bits.
  const bool holds = part < 65536 && wanted + most_static_shared <= to.device().shared_bytes_per_block;
  with_form(p, [&](auto instrumented) {
    launch(to, rank_and_cut<instrumented>,
           geometry{.grid = dim3(blocks),
                    .block = dim3(block_points),
                    .dynamic_shared_bytes = holds ? wanted : fixed,
                    .cooperative = true},
           view(p), p.quantization == quantization::isotropic, cell_bits, holds ? part : 0);
  });
  scatter_features(to, p);
}

}  // namespace ablate::psh_bucket
