// The hash-free control: rows radix-sorted by key and found by binary search; Minuet (arXiv 2401.06145) also
// searches sorted coordinates. Keys are those of the table with each field biased: they order rows by batch,
// x, y, z, and consecutive out rows want ascending keys at an offset: key + offset is one addition while no
// field leaves its range. A block takes 256 consecutive out rows and 32 offsets. Two threads per offset find
// the first and last in row that the block can want there, and each thread searches between these, in keys
// that the whole block reads. Wanted coordinates out of range have no row or, where fields wrap, are searched
// for among all. Lists are made without a table T: one pass counts the pairs, a second finds them again and
// writes them, a block's part of a list in row order. Should move: L2 sectors, from one random sector per
// probe to a few neighboring ones per warp; the sort reads and writes 12 bytes per row eight times instead of
// building a table.
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/min_max.h"
#include "kernels/kernel_map/launches.h"
#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

constexpr int sort_threads = 256, sorted_per_block = 256, sorted_offsets_per_block = 32;
constexpr int sorted_warps = sorted_per_block / 32;
constexpr int field_bits = 18, key_bits = 63;
constexpr int field_values = 1 << field_bits, field_bias = field_values / 2;

/// Batch, x, y, z from the highest bit down; the fields are biased, so none is negative.
__device__ std::uint64_t ordered_key(std::uint64_t batch, int x, int y, int z) {
  const auto field = [](int value) { return static_cast<std::uint64_t>(value & (field_values - 1)); };
  return batch << 3 * field_bits | field(x) << 2 * field_bits | field(y) << field_bits | field(z);
}

__global__ __launch_bounds__(sort_threads) void make_sort_keys(const coordinate* rows, long long count,
                                                               int3 stride, sort_buffers to, int* status) {
  const long long i = static_cast<long long>(blockIdx.x) * sort_threads + threadIdx.x;
  if (i == 0 && status != nullptr) *status = 0;
  if (i >= count) return;
  const coordinate c = rows[i];
  to.keys[i] = ordered_key(static_cast<unsigned>(c.x), c.y * stride.x + field_bias,
                           c.z * stride.y + field_bias, c.w * stride.z + field_bias);
  to.rows[i] = static_cast<int>(i);
}

/// Lower bound: the first of keys[begin … end) not below `key`, or end; adds the keys read to `looked`.
__device__ unsigned first_not_below(const std::uint64_t* keys, unsigned begin, unsigned end,
                                    std::uint64_t key, unsigned& looked) {
  while (begin < end) {
    const unsigned middle = begin + (end - begin) / 2;
    ++looked;
    if (keys[middle] < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// An offset of the block, and the range [begin, end) of sorted in rows that its out rows can match.
struct sorted_range {
  int3 offset;
  unsigned begin, end;
};

template <list_pass Pass, bool Instrumented = false>
__global__ __launch_bounds__(sorted_per_block) void match_sorted(view v, sort_buffers in, sort_buffers out) {
  constexpr bool writes = Pass == list_pass::write;
  __shared__ sorted_range ranges[sorted_offsets_per_block];
  __shared__ unsigned counted[sorted_warps][sorted_offsets_per_block];  // pairs; then those of earlier warps
  __shared__ long long places[sorted_offsets_per_block];  // where the block's pairs begin in their list
  __shared__ int found[writes ? sorted_offsets_per_block : 1][sorted_per_block];
  const long long first = static_cast<long long>(blockIdx.x) * sorted_per_block;
  const int count = static_cast<int>(min(static_cast<long long>(sorted_per_block), v.outs - first));
  const int first_offset = static_cast<int>(blockIdx.y) * sorted_offsets_per_block;
  const int offsets = min(sorted_offsets_per_block, v.offsets - first_offset);
  const auto rows = static_cast<unsigned>(v.rows);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  tally<Instrumented> events;
  unsigned looked = 0;

  if (warp < 2 && lane < offsets) {
    const bool is_end = warp == 1;
    const int3 o = v.offset(first_offset + lane);
    const std::int64_t distance = static_cast<std::int64_t>(o.x) * (1ll << 2 * field_bits) +
                                  static_cast<std::int64_t>(o.y) * (1ll << field_bits) + o.z;
    const std::uint64_t key = out.sorted_keys[first + (is_end ? count - 1 : 0)];
    const bool is_below_all = distance < 0 && key < static_cast<std::uint64_t>(-distance);
    const std::uint64_t wanted = is_below_all ? 0 : key + static_cast<std::uint64_t>(distance);
    const unsigned at = first_not_below(in.sorted_keys, 0, rows, wanted + is_end, looked);
    if (is_end) {
      ranges[lane].end = at;
    } else {
      ranges[lane].begin = at;
      ranges[lane].offset = o;
    }
  }
  __syncthreads();

  const bool is_here = thread < count;
  const std::uint64_t own = is_here ? out.sorted_keys[first + thread] : 0;
  const auto field = [&](int i) { return static_cast<int>(own >> i * field_bits & (field_values - 1)); };
  const int own_x = field(2), own_y = field(1), own_z = field(0);
  unsigned mine = 0;  // pairs of this warp at the lane's offset
  for (int k = 0; k < offsets; ++k) {
    const sorted_range range = ranges[k];
    const int x = own_x + range.offset.x, y = own_y + range.offset.y, z = own_z + range.offset.z;
    const auto is_field = [](int value) { return static_cast<unsigned>(value) < field_values; };
    const bool in_range = is_field(x) && is_field(y) && is_field(z);
    int row = -1;
    if (is_here && (in_range || !v.guards)) {
      const std::uint64_t wanted = ordered_key(own >> 3 * field_bits, x, y, z);
      const unsigned begin = in_range ? range.begin : 0, end = in_range ? range.end : rows;
      const unsigned at = first_not_below(in.sorted_keys, begin, end, wanted, looked);
      if (at < end && in.sorted_keys[at] == wanted) row = in.sorted_rows[at];
    }
    const unsigned all = __popc(__ballot_sync(~0u, row >= 0));
    if (lane == k) mine = all;
    if (writes) found[k][thread] = row;
  }
  counted[warp][lane] = mine;
  __syncthreads();
  if (warp == 0 && lane < offsets) {
    const int q = first_offset + lane;
    unsigned before = 0;
    for (int w = 0; w < sorted_warps; ++w) {
      const unsigned of_warp = counted[w][lane];
      counted[w][lane] = before;
      before += of_warp;
    }
    const auto all = static_cast<unsigned long long>(before);
    if (!writes && all > 0) atomicAdd(v.scratch.counts + q, all);
    if (writes)
      places[lane] =
          v.ends[q] + (all > 0 ? static_cast<long long>(atomicAdd(v.scratch.cursors + q, all)) : 0);
  }
  if (!writes) {
    if (blockIdx.y == 0) events.add(queries, is_here);
    events.add(probes, looked);
    events.add(pairs, mine);
    events.write(v.events);
    return;
  }
  __syncthreads();
  const int own_row = is_here ? out.sorted_rows[first + thread] : 0;
  for (int k = 0; k < offsets; ++k) {
    const int row = found[k][thread];
    const unsigned pairs_here = __ballot_sync(~0u, row >= 0), below = (1u << lane) - 1;
    if (row >= 0) put_pair(v, places[k] + counted[warp][k] + __popc(pairs_here & below), row, own_row);
  }
}

void sort_by_key(launcher& to, const problem& p, const std::int32_t* coordinates, std::int64_t count,
                 const std::array<int, 3>& stride, const sort_buffers& order, std::int32_t* status) {
  launch(to, make_sort_keys, dim3(std::max(1u, blocks_for(count, sort_threads))), dim3(sort_threads), 0,
         reinterpret_cast<const coordinate*>(coordinates), count, int3{stride[0], stride[1], stride[2]},
         order, status);
  if (count == 0) return;
  const scratch s(p);
  call_cub(to, "cub::DeviceRadixSort", s.sort_memory, s.sort_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortPairs(memory, bytes, order.keys, order.sorted_keys, order.rows,
                                                    order.sorted_rows, static_cast<int>(count), 0, key_bits,
                                                    stream);
           });
}

template <list_pass Pass>
void match_in_order(launcher& to, const problem& p) {
  const dim3 grid(blocks_for(p.outs, sorted_per_block), blocks_for(p.offsets(), sorted_offsets_per_block));
  const scratch s(p);
  const auto run = [&](auto kernel) {
    launch(to, kernel, grid, dim3(sorted_per_block), 0, view(p), s.in_order, s.out_order);
  };
  if constexpr (Pass == list_pass::count)
    with_form(p, [&](auto instrumented) { run(match_sorted<Pass, instrumented>); });
  else
    run(match_sorted<Pass>);
}

void sorted(launcher& to, const problem& p, const switches&) {
  const scratch s(p);
  if (p.does(phase::build)) {
    sort_by_key(to, p, p.coordinates, p.rows, {1, 1, 1}, s.in_order, s.table_status);
    end_stage(to, p, s.table_status);
  }
  if (p.does(phase::map)) {
    if (!p.same) sort_by_key(to, p, p.out_coordinates, p.outs, p.stride, s.out_order, nullptr);
    clear_counts(to, p);
    match_in_order<list_pass::count>(to, p);
    sum_counts(to, p);
    match_in_order<list_pass::write>(to, p);
    end_map(to, p);
  }
}

}  // namespace ablate::kernel_map
