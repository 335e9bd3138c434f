// The order of the keys by CUB's stable radix sort, and its inverse.
//
// Pairs: key and point number move together, 12 or 16 bytes read and written per 8 bits sorted; the sorted
// numbers are the order, and a kernel scatters its inverse. Packed: the number is in the word's lowest bits,
// so 8 bytes move, and the kernel that extracts it also scatters the inverse. Together: the words of all
// curves are sorted at once, by two more bits, in a fourth of the launches. Should move: bytes; kernels per
// region.
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/serialize/index.h"
#include "kernels/serialize/order.h"
#include "kernels/serialize/scratch.h"

namespace ablate::serialize {

constexpr int order_threads = 256;

/// One row of blocks per curve.
inline dim3 order_grid(const problem& p) {
  return dim3(blocks_for(p.points, order_threads), static_cast<unsigned>(p.curves));
}

template <class Index>
__global__ __launch_bounds__(order_threads) void invert_order(const Index* order, long long points,
                                                              Index* inverse) {
  const long long i = static_cast<long long>(blockIdx.x) * order_threads + threadIdx.x;
  if (i >= points) return;
  const long long of_curve = blockIdx.y * points;
  inverse[of_curve + static_cast<long long>(order[of_curve + i])] = static_cast<Index>(i);
}

/// `inverse` may be null.
template <class Index>
__global__ __launch_bounds__(order_threads) void unpack_order(const std::uint64_t* words, int index_bits,
                                                              long long points, Index* order,
                                                              Index* inverse) {
  const long long i = static_cast<long long>(blockIdx.x) * order_threads + threadIdx.x;
  if (i >= points) return;
  const long long of_curve = blockIdx.y * points;
  const std::uint64_t mask = (std::uint64_t{1} << index_bits) - 1;
  const auto point = static_cast<long long>(words[of_curve + i] & mask);
  order[of_curve + i] = static_cast<Index>(point);
  if (inverse != nullptr) inverse[of_curve + point] = static_cast<Index>(i);
}

template <class Index>
void sort_pairs(launcher& to, const problem& p, const sort_plan& plan, const scratch& s, std::int64_t first,
                std::int64_t items) {
  const std::uint64_t* const words = (plan.makes_words() ? s.words : p.keys) + first;
  // Sorted separately, all curves start with the same numbers.
  const Index* const numbers = reinterpret_cast<const Index*>(s.numbers);
  Index* const order = static_cast<Index*>(p.order) + first;
  call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortPairs(memory, bytes, words, s.sorted + first, numbers, order,
                                                    static_cast<int>(items), plan.first_bit, plan.end_bit,
                                                    stream);
           });
}

inline void sort_words(launcher& to, const sort_plan& plan, const scratch& s, std::int64_t first,
                       std::int64_t items) {
  const std::uint64_t* const words = s.words + first;
  call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortKeys(memory, bytes, words, s.sorted + first,
                                                   static_cast<int>(items), plan.first_bit, plan.end_bit,
                                                   stream);
           });
}

template <class Index>
void order_of(launcher& to, const problem& p, const sort_plan& plan) {
  const scratch s(p);
  const std::int64_t items = plan.together ? p.curves * p.points : p.points;
  for (std::int64_t first = 0; first < p.curves * p.points; first += items) {
    if (plan.packs)
      sort_words(to, plan, s, first, items);
    else
      sort_pairs<Index>(to, p, plan, s, first, items);
  }
  const auto order = static_cast<Index*>(p.order);
  const auto inverse = p.does(phase::patches) ? static_cast<Index*>(p.inverse) : nullptr;
  if (plan.packs)
    launch(to, unpack_order<Index>, order_grid(p), dim3(order_threads), 0, s.sorted, plan.index_bits,
           p.points, order, inverse);
  else if (inverse != nullptr)
    launch(to, invert_order<Index>, order_grid(p), dim3(order_threads), 0, order, p.points, inverse);
}

void find_order(launcher& to, const problem& p, const sort_plan& plan) {
  if (p.points == 0) return;
  with_index(p, [&](auto index) { order_of<decltype(index)>(to, p, plan); });
}

}  // namespace ablate::serialize
