// Pooling by grid with two sorts of packed words.
//   1 word = code of the coarser grid on the first curve, the row below it: one radix sort by the code's bits
//     gives the order, whose flags number the clusters as in number_flags.cu.
//   2 word = curve, code, cluster: one sort of the other curves together gives their orders. The number of
//     clusters stays on the device, so the sort has one word per point; words past the clusters are all ones
//     and end up last.
// 8 bytes move for each word and 8 bits. Should move: bytes, to those of the sorts; launches.
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/refuse_launch.h"
#include "kernels/pool/launches.h"
#include "kernels/pool/number_flags.cuh"
#include "kernels/pool/phases.h"

namespace ablate::pool {

constexpr int pack_threads = 256;

/// Bits of a code in the coarser grid, instance and all; at least one, since cub does not promise a sort by
/// none.
inline int coarse_bits(const problem& p) {
  const auto instance_bits = static_cast<int>(std::bit_width(static_cast<unsigned>(p.instances) - 1));
  return std::max(1, 3 * (p.depth - p.shift) + instance_bits);
}
inline int number_bits_of(const problem& p) {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(p.points, 1) - 1)));
}

__global__ __launch_bounds__(pack_threads) void pack_codes(const __grid_constant__ grid_view v,
                                                           int number_bits, std::uint64_t* words) {
  const int row = static_cast<int>(blockIdx.x * pack_threads + threadIdx.x);
  if (row < v.points) words[row] = v.code_of(0, row) << number_bits | static_cast<std::uint64_t>(row);
}

__global__ __launch_bounds__(pack_threads) void unpack_rows(const std::uint64_t* words, int points,
                                                            int number_bits, std::int32_t* order) {
  const int place = static_cast<int>(blockIdx.x * pack_threads + threadIdx.x);
  if (place < points)
    order[place] = static_cast<std::int32_t>(words[place] & ((std::uint64_t{1} << number_bits) - 1));
}

/// blockIdx.y: curves from the second on. A cluster's code is that of its first member.
__global__ __launch_bounds__(pack_threads) void pack_clusters(const __grid_constant__ grid_view v,
                                                              int number_bits, int code_bits,
                                                              std::uint64_t* words) {
  const int place = static_cast<int>(blockIdx.x * pack_threads + threadIdx.x);
  if (place >= v.points) return;
  const int curve = static_cast<int>(blockIdx.y) + 1;
  std::uint64_t& word = words[static_cast<long long>(blockIdx.y) * v.points + place];
  if (static_cast<unsigned>(place) >= v.rows()) {
    word = ~std::uint64_t{0};
    return;
  }
  const std::uint64_t code = v.code_of(curve, static_cast<int>(v.member[v.start[place]]));
  v.code_out[curve * v.pitch + place] = code;
  word = (static_cast<std::uint64_t>(blockIdx.y) << code_bits | code) << number_bits |
         static_cast<std::uint64_t>(place);
}

__global__ __launch_bounds__(pack_threads) void unpack_clusters(const __grid_constant__ grid_view v,
                                                                const std::uint64_t* words, int number_bits) {
  const unsigned j = blockIdx.x * pack_threads + threadIdx.x, rows = v.rows();
  if (j >= rows) return;
  const long long of_curve = (static_cast<long long>(blockIdx.y) + 1) * v.pitch;
  const std::uint64_t word = words[static_cast<long long>(blockIdx.y) * rows + j];
  const auto cluster = static_cast<std::int32_t>(word & ((std::uint64_t{1} << number_bits) - 1));
  v.order_out[of_curve + j] = cluster;
  v.inverse_out[of_curve + cluster] = static_cast<std::int32_t>(j);
}

/// Sorts words[0 … items) to sorted, by the bits above the number.
void sort_words(launcher& to, const scratch& s, std::int64_t items, int first_bit, int end_bit) {
  call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortKeys(memory, bytes, s.words, s.sorted, points_to_sort(items),
                                                   first_bit, end_bit, stream);
           });
}

void index_by_packed_sort(launcher& to, const problem& p, const switches&) {
  const scratch s(p);
  grid_view v(p);
  const int number_bits = number_bits_of(p), code_bits = coarse_bits(p);
  const dim3 grid(blocks_for(p.points, pack_threads)), block(pack_threads);
  if (number_bits + code_bits + 2 > 64)
    refuse_launch({"sort_packed: a word of 64 bits does not hold curve, code and number"});
  if (p.points > 0) {
    launch(to, pack_codes, grid, block, 0, v, number_bits, s.words);
    sort_words(to, s, p.points, number_bits, number_bits + code_bits);
    launch(to, unpack_rows, grid, block, 0, s.sorted, static_cast<int>(p.points), number_bits, s.order);
  }
  v.orders = s.order;
  number_clusters(to, v, 1);
  carry_orders(to, v, 1, false);
  const int others = p.curves - 1;
  if (others == 0 || p.points == 0) return;
  const dim3 of_others(grid.x, static_cast<unsigned>(others));
  launch(to, pack_clusters, of_others, block, 0, v, number_bits, code_bits, s.words);
  // All ones end with curve 3, which no word of a cluster has.
  sort_words(to, s, others * p.points, number_bits, number_bits + code_bits + 2);
  launch(to, unpack_clusters, of_others, block, 0, v, s.sorted, number_bits);
}

void sort_packed(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_by_packed_sort);
}

}  // namespace ablate::pool
