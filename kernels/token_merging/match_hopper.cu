// Matches by warpgroup MMAs: S = X_sources · X_destinationsᵀ by tiles of 128 × 256; each row keeps its
// greatest product and its index, and S is never stored.
//   Rows of both sides are first packed, because TMA has no list of rows. Then one block per multiprocessor
// loops over tiles: one thread loads 64 channels of both sides at a time through a ring of four stages, and
// two warpgroups multiply 64 sources each by 256 destinations. Neither waits for the other, so one searches
// its maxima while the other multiplies. A tile's result goes to its row by an atomic maximum of a word with
// the product above the destination; the lower destination is the greater word. Sixteen tiles of sources
// traverse all destinations together, so both are in L2 when needed.
//   Should move: the tensor pipe's activity, because operands bypass registers;
// DRAM bytes, as sixteen tiles of sources share what is read of the destinations.

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/ring_product.cuh"
#include "kernels/common/hopper/tensor_map.h"
#include "kernels/common/min_max.h"
#include "kernels/token_merging/launches.h"
#include "kernels/token_merging/view.cuh"

namespace ablate::token_merging {

constexpr int hopper_rows = 128, hopper_columns = 256, hopper_step = 64, hopper_stages = 4;
constexpr int hopper_consumers = 256, hopper_threads = hopper_consumers + 128;
// A multiprocessor's 65536, to hold a tile's products and what is looked for among them.
constexpr int registers_of_consumer = 232, registers_of_producer = 40;
static_assert(hopper_consumers * registers_of_consumer + 128 * registers_of_producer <= 65536);
constexpr int tiles_side_by_side = 16;  ///< of sources
constexpr unsigned bytes_of_step = 2 * hopper_step;

using hopper_match_memory =
    hopper::product_ring<hopper_stages, hopper_rows * bytes_of_step, hopper_columns * bytes_of_step>;
constexpr std::size_t hopper_match_bytes =
    sizeof(hopper_match_memory) + 1024;  // begins at a multiple of 1024

/// A match as a number, greater for the one that is before. Products of 0 are alike, whatever their sign.
__device__ inline unsigned long long key_of(const match& m) {
  const unsigned bits = __float_as_uint(m.similarity + 0.0f);
  const unsigned ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(ordered) << 32 | ~static_cast<unsigned>(m.destination);
}
__device__ inline match match_of(unsigned long long key) {
  const auto ordered = static_cast<unsigned>(key >> 32);
  return {__uint_as_float((ordered >> 31) != 0 ? ordered & 0x7fffffffu : ~ordered),
          static_cast<int>(~static_cast<unsigned>(key))};
}

/// Rows of either side as its list has them; and no source has a match yet.
__global__ __launch_bounds__(block_threads) void pack_rows(const __grid_constant__ view v,
                                                           match_scratch scratch) {
  const long long thread = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  const int pieces = v.match_channels / piece_elements;
  const long long row = thread / pieces;
  const int piece = static_cast<int>(thread % pieces);
  if (row >= v.sources + v.destinations) return;
  const bool is_source = row < v.sources;
  const long long number = is_source ? row : row - v.sources;
  const int token = (is_source ? v.source_tokens : v.destination_tokens)[number];
  std::uint16_t* const to = (is_source ? scratch.sources : scratch.destinations) + number * v.match_channels;
  reinterpret_cast<uint4*>(to)[piece] = reinterpret_cast<const uint4*>(v.x_row(token))[piece];
  if (is_source && piece == 0) scratch.keys[number] = 0;
}

/// Tiles in the order in which blocks take them.
struct match_tiles {
  int sources, destinations;  ///< rows
  int source_tiles, destination_tiles, steps;

  explicit match_tiles(const view& v)
      : sources(v.sources),
        destinations(v.destinations),
        source_tiles((v.sources + hopper_rows - 1) / hopper_rows),
        destination_tiles((v.destinations + hopper_columns - 1) / hopper_columns),
        steps(v.match_channels / hopper_step) {}

  __host__ __device__ int count() const { return source_tiles * destination_tiles; }

  struct corner {
    int source, destination;
  };
  __device__ corner at(int tile) const {
    const int of_group = tiles_side_by_side * destination_tiles;
    const int first = tile / of_group * tiles_side_by_side, in_group = tile % of_group;
    const int tall = min(tiles_side_by_side, source_tiles - first);
    return {(first + in_group % tall) * hopper_rows, in_group / tall * hopper_columns};
  }
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// One thread. Rows beyond a side's end are zeros, and their bytes count.
__device__ inline void bring_match_tiles(const CUtensorMap& sources, const CUtensorMap& destinations,
                                         const match_tiles& tiles, hopper_match_memory& shared) {
  using namespace cuda::ptx;
  hopper::ring_position at;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles.count(); tile += static_cast<int>(gridDim.x)) {
    const match_tiles::corner corner = tiles.at(tile);
    for (int step = 0; step < tiles.steps; ++step) {
      hopper::barrier& full = shared.full[at.stage];
      hopper::wait(shared.empty[at.stage], at.parity ^ 1);
      hopper::arrive_expecting(full, (hopper_rows + hopper_columns) * bytes_of_step);
      const int of_sources[] = {step * hopper_step, corner.source};
      const int of_destinations[] = {step * hopper_step, corner.destination};
      cp_async_bulk_tensor(space_cluster, space_global, shared.rows[at.stage], &sources, of_sources, &full);
      cp_async_bulk_tensor(space_cluster, space_global, shared.columns[at.stage], &destinations,
                           of_destinations, &full);
      at.advance<hopper_stages>();
    }
  }
}

#endif

__global__ __launch_bounds__(hopper_threads,
                             1) void match_on_hopper(const __grid_constant__ CUtensorMap sources,
                                                     const __grid_constant__ CUtensorMap destinations,
                                                     match_tiles tiles, unsigned long long* keys) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  auto& shared = hopper::begin_ring<hopper_match_memory>(raw, hopper_consumers / 32);
  __syncthreads();
  const int group = hopper::warpgroup();
  if (group == hopper_consumers / 128) {
    hopper::setmaxnreg_dec<registers_of_producer>();
    if (threadIdx.x == hopper_consumers) bring_match_tiles(sources, destinations, tiles, shared);
    return;
  }
  hopper::setmaxnreg_inc<registers_of_consumer>();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row_of_thread = 64 * group + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane / 4;
  hopper::ring_position at;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles.count(); tile += static_cast<int>(gridDim.x)) {
    const match_tiles::corner corner = tiles.at(tile);
    float s[hopper_columns / 2];
    hopper::multiply_through_ring<hopper_columns, operand_major::k_major, 16, 32>(s, tiles.steps, shared,
                                                                                  group, at);
    const int first = corner.destination + 2 * (lane % 4);
    if (corner.destination + hopper_columns > tiles.destinations) {
#pragma unroll
      for (int i = 0; i < hopper_columns / 2; ++i)
        if (first + 8 * (i / 4) + i % 2 >= tiles.destinations) s[i] = -INFINITY;
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      match best{-INFINITY, 0};
#pragma unroll
      for (int j = 0; j < hopper_columns / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (const float seen = s[4 * j + 2 * half + e]; seen > best.similarity)
            best = {seen, first + 8 * j + e};
      unsigned long long key = key_of(best);
#pragma unroll
      for (int far = 1; far < 4; far *= 2) key = max(key, __shfl_xor_sync(~0u, key, far));
      const int source = corner.source + row_of_thread + 8 * half;
      if (lane % 4 == 0 && source < tiles.sources) atomicMax(keys + source, key);
    }
  }
#endif
}

/// A thread a source.
__global__ __launch_bounds__(block_threads) void unpack_keys(const __grid_constant__ view v,
                                                             const unsigned long long* keys) {
  const long long source = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (source >= v.sources) return;
  const match found = match_of(keys[source]);
  v.best[source] = found.destination;
  v.similarity[source] = found.similarity;
}

CUtensorMap map_of_packed(const launcher& to, std::uint16_t* rows, int count, int channels,
                          unsigned rows_of_box) {
  const std::size_t sizes[] = {static_cast<std::size_t>(channels), static_cast<std::size_t>(count)};
  const std::size_t strides[] = {2 * static_cast<std::size_t>(channels)};
  const unsigned box[] = {hopper_step, rows_of_box};
  return hopper::tensor_map(to, {rows, sizes, strides, box, bytes_of_step});
}

void match_hopper(launcher& to, const problem& p, const switches&) {
  make_metric_rows(to, p);
  const view v(p);
  const match_scratch scratch = cut_match_scratch(p);
  const long long rows = static_cast<long long>(v.sources) + v.destinations;
  launch(to, pack_rows, dim3(blocks_for(rows * (v.match_channels / piece_elements), block_threads)),
         dim3(block_threads), 0, v, scratch);
  const match_tiles tiles(v);
  launch(to, match_on_hopper,
         dim3(static_cast<unsigned>(std::min(tiles.count(), to.device().multiprocessors))),
         dim3(hopper_threads), hopper_match_bytes,
         map_of_packed(to, scratch.sources, v.sources, v.match_channels, hopper_rows),
         map_of_packed(to, scratch.destinations, v.destinations, v.match_channels, hopper_columns), tiles,
         scratch.keys);
  launch(to, unpack_keys, dim3(blocks_for(v.sources, block_threads)), dim3(block_threads), 0, v,
         scratch.keys);
}

}  // namespace ablate::token_merging
