// Rows sorted once along the curve that the windows follow, then the core that the switches state on whole
// buckets of the sorted rows (the sort replaces hashing into buckets). Rows stay sorted from layer
// to layer, so the attention of a layer moves nothing; sorting (a stable radix sort of keys and row numbers)
// and moving Q, K and V belong to the phase before it. Outputs are in sorted rows, and only the check takes
// them back.
// Should move, against hopper_gathered_vectorized: bytes of L2 and DRAM, down to hopper_online's.
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/window_attention/gather.cuh"
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

constexpr int number_threads = 256;

__global__ __launch_bounds__(number_threads) void number_rows(const std::uint64_t* keys, long long count,
                                                              std::uint64_t* copied_keys,
                                                              std::int32_t* numbers) {
  const long long row = static_cast<long long>(blockIdx.x) * number_threads + threadIdx.x;
  if (row >= count) return;
  copied_keys[row] = keys[row];
  numbers[row] = static_cast<std::int32_t>(row);
}

void hopper_sorted(launcher& to, const problem& p, const switches& s) {
  const moved_rows moved(p);
  if (p.does(phase::order)) {
    launch(to, number_rows, dim3(blocks_for(p.tokens, number_threads)), dim3(number_threads), 0, p.keys,
           p.tokens, moved.keys[0], moved.rows[0]);
    cub::DoubleBuffer<std::uint64_t> keys(moved.keys[0], moved.keys[1]);
    cub::DoubleBuffer<std::int32_t> rows(moved.rows[0], moved.rows[1]);
    call_cub(to, "cub::DeviceRadixSort", moved.sort_memory, moved.sort_bytes,
             [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
               return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, rows, static_cast<int>(p.tokens),
                                                      0, key_bits, stream);
             });
    gather_qkv(to, p, moved, rows.Current());
  }
  if (p.does(phase::attend)) {
    problem sorted = in_moved_rows(p, moved);
    sorted.scope = p.scope;
    attend_as_stated(to, sorted, s);
  }
}

}  // namespace ablate::window_attention
