// Padding to patches. A single-block kernel finds where each instance's slots and sequences begin, by a
// prefix sum over the instances; then one thread per slot finds its instance by binary search. Which place a
// slot holds is arithmetic: its own or, in the empty slots of the last patch, the one a patch earlier. The
// order itself is not read.
#include <cub/block/block_scan.cuh>

#include "kernels/common/launch.cuh"
#include "kernels/serialize/index.h"
#include "kernels/serialize/order.h"
#include "kernels/serialize/scratch.h"

namespace ablate::serialize {

constexpr int patch_threads = 256;

/// One block. Slots and sequences are summed as the two halves of one word; neither sum reaches 2^32.
__global__ __launch_bounds__(patch_threads) void begin_sequences(const std::uint32_t* ends, int instances,
                                                                 std::uint32_t patch,
                                                                 std::uint32_t* first_slot,
                                                                 std::uint32_t* first_sequence) {
  using scan = cub::BlockScan<unsigned long long, patch_threads>;
  __shared__ typename scan::TempStorage memory;
  unsigned long long before = 0;
  for (int first = 0; first < instances; first += patch_threads) {
    const int k = first + static_cast<int>(threadIdx.x);
    unsigned long long sizes = 0;
    if (k < instances) {
      const std::uint32_t points = ends[k] - (k == 0 ? 0 : ends[k - 1]);
      const std::uint32_t sequences = (points + patch - 1) / patch;
      const std::uint32_t slots = points <= patch ? points : sequences * patch;
      sizes = static_cast<unsigned long long>(slots) << 32 | sequences;
    }
    unsigned long long begin, total;
    scan(memory).ExclusiveSum(sizes, begin, total);
    if (k < instances) {
      first_slot[k] = static_cast<std::uint32_t>((before + begin) >> 32);
      first_sequence[k] = static_cast<std::uint32_t>(before + begin);
    }
    before += total;
    __syncthreads();  // `memory` is reused
  }
}

template <class Index>
struct slots_view {
  const std::uint32_t *ends, *first_slot, *first_sequence;
  Index *pad, *unpad;
  std::int32_t* cu_seqlens;
  long long slots, sequences;
  int instances;
  std::uint32_t patch;

  /// The last instance that begins no later than the slot: earlier ones that begin there too are empty.
  __device__ int instance_of(std::uint32_t slot) const {
    int low = 0, high = instances - 1;
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (first_slot[middle] <= slot)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
};

/// One thread per slot, and one for the end of the last sequence.
template <class Index>
__global__ __launch_bounds__(patch_threads) void pad_slots(slots_view<Index> v) {
  const long long thread = static_cast<long long>(blockIdx.x) * patch_threads + threadIdx.x;
  if (thread == v.slots) v.cu_seqlens[v.sequences] = static_cast<std::int32_t>(v.slots);
  if (thread >= v.slots) return;
  const auto slot = static_cast<std::uint32_t>(thread);
  const int k = v.instance_of(slot);
  const std::uint32_t first_place = k == 0 ? 0 : v.ends[k - 1], points = v.ends[k] - first_place;
  const std::uint32_t of_instance = slot - v.first_slot[k];
  const bool is_filled = of_instance < points;
  const std::uint32_t place = first_place + (is_filled ? of_instance : of_instance - v.patch);
  v.pad[slot] = static_cast<Index>(place);
  if (is_filled) v.unpad[place] = static_cast<Index>(slot);
  if (of_instance % v.patch == 0)
    v.cu_seqlens[v.first_sequence[k] + of_instance / v.patch] = static_cast<std::int32_t>(slot);
}

void pad_patches(launcher& to, const problem& p) {
  const scratch s(p);
  const auto patch = static_cast<std::uint32_t>(p.patch);
  launch(to, begin_sequences, dim3(1), dim3(patch_threads), 0, p.ends, p.instances, patch, s.first_slot,
         s.first_sequence);
  with_index(p, [&](auto index) {
    using Index = decltype(index);
    const slots_view<Index> v{p.ends,
                              s.first_slot,
                              s.first_sequence,
                              static_cast<Index*>(p.pad),
                              static_cast<Index*>(p.unpad),
                              p.cu_seqlens,
                              p.slots,
                              p.sequences,
                              p.instances,
                              patch};
    launch(to, pad_slots<Index>, dim3(blocks_for(p.slots + 1, patch_threads)), dim3(patch_threads), 0, v);
  });
}

}  // namespace ablate::serialize
