#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/serialize/index.h"
#include "kernels/serialize/order.h"
#include "kernels/serialize/scratch.h"

namespace ablate::serialize {

constexpr int key_threads = 256;

/// The problem as kernels that write keys take it.
template <class Index>
struct keys_view {
  const std::int32_t* grid;
  const std::uint32_t* ends;
  std::uint64_t* keys;
  std::uint64_t* words;  ///< null: not needed
  Index* numbers;        ///< null: not needed
  long long points;
  int instances, depth, first_curve, curves, number_copies;
  int key_bits, index_bits;
  bool together, packs;

  keys_view(const problem& p, const sort_plan& plan)
      : grid(p.grid),
        ends(p.ends),
        keys(p.keys),
        words(nullptr),
        numbers(nullptr),
        points(p.points),
        instances(p.instances),
        depth(p.depth),
        first_curve(static_cast<int>(p.first_curve)),
        curves(p.curves),
        number_copies(plan.together ? p.curves : 1),
        key_bits(p.key_bits()),
        index_bits(plan.index_bits),
        together(plan.together),
        packs(plan.packs) {
    if (!p.does(phase::sort)) return;
    const scratch s(p);
    if (plan.makes_words()) words = s.words;
    if (!plan.packs) numbers = reinterpret_cast<Index*>(s.numbers);
  }

  /// The instance of point i: the first that ends after it.
  __device__ unsigned instance_of(long long i) const {
    int low = 0, high = instances - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (ends[middle] > i)
        high = middle;
      else
        low = middle + 1;
    }
    return static_cast<unsigned>(low);
  }

  __device__ bool wants(int curve) const { return curve >= first_curve && curve < first_curve + curves; }

  __device__ void write(int curve, long long i, std::uint64_t key) const {
    const std::uint64_t place = static_cast<std::uint64_t>(curve - first_curve);
    const long long at = static_cast<long long>(place) * points + i;
    keys[at] = key;
    if (words == nullptr) return;
    const std::uint64_t word = together ? place << key_bits | key : key;
    words[at] = packs ? word << index_bits | static_cast<std::uint64_t>(i) : word;
  }
};

/// One thread per point reads its cell once for all curves. A Coder computes a cell's codes by `z(x, y, z)`
/// and `hilbert(x, y, z, z_code, depth)`; if it `reads_z_code`, the z-order code is computed for the Hilbert
/// curve too. All threads of a block construct a Coder, since its constructor may fill shared memory.
template <class Coder, class Index>
__global__ __launch_bounds__(key_threads) void write_keys(keys_view<Index> v) {
  const Coder coder;
  const long long i = static_cast<long long>(blockIdx.x) * key_threads + threadIdx.x;
  if (i >= v.points) return;
  const auto x = static_cast<unsigned>(v.grid[3 * i]), y = static_cast<unsigned>(v.grid[3 * i + 1]),
             z = static_cast<unsigned>(v.grid[3 * i + 2]);
  const std::uint64_t instance = static_cast<std::uint64_t>(v.instance_of(i)) << 3 * v.depth;
#pragma unroll
  for (int transposed = 0; transposed < 2; ++transposed) {
    const int z_curve = static_cast<int>(curve::z) + transposed;
    const int hilbert_curve = static_cast<int>(curve::hilbert) + transposed;
    const unsigned a = transposed ? y : x, b = transposed ? x : y;
    const bool wants_z = v.wants(z_curve), wants_hilbert = v.wants(hilbert_curve);
    std::uint64_t code = 0;
    if (wants_z || (wants_hilbert && Coder::reads_z_code)) code = coder.z(a, b, z);
    if (wants_z) v.write(z_curve, i, instance | code);
    if (wants_hilbert) v.write(hilbert_curve, i, instance | coder.hilbert(a, b, z, code, v.depth));
  }
  if (v.numbers == nullptr) return;
  for (int copy = 0; copy < v.number_copies; ++copy) v.numbers[copy * v.points + i] = static_cast<Index>(i);
}

/// The whole operation, with keys by `Coder`.
template <class Coder>
void serialize_by(launcher& to, const problem& p, const switches& s) {
  const sort_plan plan(p, s);
  with_index(p, [&](auto index) {
    using Index = decltype(index);
    launch(to, write_keys<Coder, Index>, dim3(blocks_for(p.points, key_threads)), dim3(key_threads), 0,
           keys_view<Index>(p, plan));
  });
  if (p.does(phase::sort)) find_order(to, p, plan);
  if (p.pads()) pad_patches(to, p);
}

}  // namespace ablate::serialize
