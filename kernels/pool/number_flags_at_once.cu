// The flags of orders in one launch, see number_flags.cu for what is computed.
//   The second launch there gathers cluster[row] for the rows that begin a cluster on the other curves, and
//   the members' positions. Both waits, of DRAM and of the launch, can go:
//   - a block of another curve keeps its heads (rows, codes) in registers, waits until all blocks of the
//     first curve have written `cluster`, and carries its part of the order itself: no list of heads, no
//     second gather of codes;
//   - a block of the first curve gathers positions along with codes, for its tile and `halo_places` after
//     it, and adds up each cluster that begins in its tile from shared memory. A cluster that goes on
//     beyond the halo is followed through the order, place by place.
// state: [curves][tiles] flags + 1, then tiles of the first curve that are done, then blocks that wait no
// more. The last of these leaves all zeros. A block waits for blocks with lower numbers only: those of its
// curve and of the first curve.
// Should move against two launches: launches, DRAM waits one after another (order, code; no more), bytes
// of the heads; against it: instructions at barriers, polls of L2.
#include "kernels/pool/tile_flags.cuh"

namespace ablate::pool {

constexpr int halo_places = number_threads;  ///< one a thread
constexpr int held_places = tile_places + halo_places;

/// A block's data of the first curve: of the places of its tile and after.
struct tile_members {
  float position[3][held_places];
  bool begins[held_places];  ///< a cluster
};

/// The words after the flags' numbers.
struct block_counters {
  std::uint32_t *done, *waited;
  unsigned blocks;

  __device__ explicit block_counters(const grid_view& v)
      : done(v.state + v.curves * v.tiles),
        waited(done + 1),
        blocks(static_cast<unsigned>(v.curves * v.tiles)) {}

  /// The whole block, when it has read for the last time what others publish. For thread 0: how many have
  /// before.
  __device__ unsigned wait_no_more() const {
    if (threadIdx.x != 0) return 0;
    __threadfence();
    return atomicAdd(waited, 1u);
  }

  /// The first warp of the last block zeroes the state, `before` from lane 0.
  __device__ void clear_behind_last(const grid_view& v, unsigned before) const {
    if (threadIdx.x >= 32 || __shfl_sync(~0u, before, 0) + 1 != blocks) return;
    for (unsigned i = threadIdx.x; i < blocks + 2; i += 32) v.state[i] = 0;
  }
};

__device__ inline void read_position(const grid_view& v, int row, float (&position)[3]) {
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) position[axis] = __ldg(v.positions + 3ll * row + axis);
}

/// The mean of the cluster of `code` that begins at the place `local` of the tile.
__device__ inline void write_mean_from(const grid_view& v, const tile_members& held, unsigned cluster,
                                       std::uint64_t code, int local) {
  const int tile_begin = static_cast<int>(blockIdx.x) * tile_places;
  const int end = min(v.points - tile_begin, held_places);
  float sum[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) sum[axis] = held.position[axis][local];
  int next = local + 1;
  for (; next < end && !held.begins[next]; ++next)
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) sum[axis] += held.position[axis][next];
  if (next == held_places) {
    for (; tile_begin + next < v.points; ++next) {
      const int row = __ldg(v.orders + tile_begin + next);
      if (v.code_of(0, row) != code) break;
      float position[3];
      read_position(v, row, position);
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) sum[axis] += position[axis];
    }
  }
#pragma unroll
  for (int axis = 0; axis < 3; ++axis)
    v.position_out[3ll * cluster + axis] = sum[axis] / static_cast<float>(next - local);
}

/// A block of the first curve.
__device__ inline void number_first_curve(const grid_view& v) {
  using scan = cub::BlockScan<unsigned, number_threads>;
  __shared__ typename scan::TempStorage storage;
  __shared__ tile_members held;
  const block_counters counters(v);
  const int t = static_cast<int>(threadIdx.x);
  const int behind = (static_cast<int>(blockIdx.x) + 1) * tile_places + t;  // this thread's place of the halo
  thread_places at;
  at.read_rows(v, v.orders);
  const bool has_halo = behind < v.points;
  const int halo_row = has_halo ? __ldg(v.orders + behind) : 0;
  const int row_before_halo = has_halo && t % 32 == 0 ? __ldg(v.orders + behind - 1) : 0;

  float position[places_of_thread][3], halo_position[3];
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k)
    if (at.row[k] >= 0) read_position(v, at.row[k], position[k]);
  if (has_halo) read_position(v, halo_row, halo_position);
  const std::uint64_t halo_code = has_halo ? v.code_of(0, halo_row) : 0;
  std::uint64_t before_halo = has_halo && t % 32 == 0 ? v.code_of(0, row_before_halo) : 0;
  at.read_codes(v, 0);
  const std::uint64_t from_neighbor = __shfl_up_sync(~0u, halo_code, 1);
  if (t % 32 != 0) before_halo = from_neighbor;
  const unsigned own = at.find_flags();

  // A cluster's cell is that of the row that begins it: under way while the block waits for others.
  int cell[places_of_thread][3];
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k)
    if (at.flag[k]) {
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) cell[k][axis] = __ldg(v.cells + 3ll * at.row[k] + axis) >> v.shift;
    }
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    if (at.row[k] < 0) break;
    const int local = places_of_thread * t + k;
    held.begins[local] = at.flag[k];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) held.position[axis][local] = position[k][axis];
  }
  if (has_halo) {
    held.begins[tile_places + t] = halo_code != before_halo;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) held.position[axis][tile_places + t] = halo_position[axis];
  }

  unsigned first_cluster, flags;
  scan(storage).ExclusiveSum(own, first_cluster, flags);
  const unsigned before_tile = flags_before(v, flags);  // its barriers complete `held` too
  const unsigned waited_before = counters.wait_no_more();
  first_cluster += before_tile;

  // What the other curves wait for comes first.
  unsigned next = first_cluster;
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    if (at.row[k] < 0) break;
    next += at.flag[k];
    v.cluster[at.row[k]] = next - 1;
  }
  if (v.curves > 1) {
    __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicAdd(counters.done, 1u);
    }
  }

  at.write_members(v);
  next = first_cluster;
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    if (!at.flag[k]) continue;
    const unsigned cluster = next++;
    v.start[cluster] = static_cast<unsigned>(at.first + k);
    v.code_out[cluster] = at.code[k];
    v.order_out[cluster] = v.inverse_out[cluster] = static_cast<std::int32_t>(cluster);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) v.cell_out[3ll * cluster + axis] = cell[k][axis];
    v.begin_instances(at.first_instance(v, k), v.instance_of(at.code[k]), cluster);
    write_mean_from(v, held, cluster, at.code[k], places_of_thread * t + k);
  }
  if (static_cast<int>(blockIdx.x) == v.tiles - 1 && t == 0) write_end(v, v.orders, before_tile + flags);
  counters.clear_behind_last(v, waited_before);
}

/// A block of another curve.
__device__ inline void carry_other_curve(const grid_view& v, int curve) {
  using scan = cub::BlockScan<unsigned, number_threads>;
  __shared__ typename scan::TempStorage storage;
  const block_counters counters(v);
  const long long of_curve = curve * v.pitch;
  thread_places at;
  at.read_rows(v, v.orders + of_curve);
  at.read_codes(v, curve);
  const unsigned own = at.find_flags();
  unsigned next, flags;
  scan(storage).ExclusiveSum(own, next, flags);
  next += flags_before(v, flags);

  if (threadIdx.x == 0) {
    const volatile std::uint32_t* const done = counters.done;
    while (*done != static_cast<unsigned>(v.tiles)) {
    }
    __threadfence();
  }
  __syncthreads();
  const unsigned waited_before = counters.wait_no_more();
  unsigned cluster[places_of_thread];
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k)
    if (at.flag[k]) cluster[k] = __ldcg(v.cluster + at.row[k]);
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    if (!at.flag[k]) continue;
    const unsigned j = next++;
    v.order_out[of_curve + j] = static_cast<std::int32_t>(cluster[k]);
    v.inverse_out[of_curve + cluster[k]] = static_cast<std::int32_t>(j);
    v.code_out[of_curve + cluster[k]] = at.code[k];
  }
  counters.clear_behind_last(v, waited_before);
}

__global__ __launch_bounds__(number_threads) void number_and_carry(const __grid_constant__ grid_view v) {
  const int curve = static_cast<int>(blockIdx.y);
  curve == 0 ? number_first_curve(v) : carry_other_curve(v, curve);
}

void index_by_flags_at_once(launcher& to, const problem& p) {
  launch(to, number_and_carry,
         dim3(static_cast<unsigned>(tiles_of(p.points)), static_cast<unsigned>(p.curves)),
         dim3(number_threads), 0, grid_view(p));
}

}  // namespace ablate::pool
