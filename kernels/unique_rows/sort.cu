// The control without a table: packed keys are sorted with their rows (a stable radix sort of 63 bits; bit 63
// is the same in all), the first of each run of equal keys is the smallest row of its coordinate, and those
// rows are flagged and selected in order. All accesses are sequential but one random flag write per row.
// Should move: sectors per request, down to the minimum; bytes, to 24 per row for each 8 bits of the sort.
#include <cub/device/device_radix_sort.cuh>

#include "kernels/unique_rows/launches.h"
#include "kernels/unique_rows/phases.cuh"

namespace ablate::unique_rows {

constexpr int key_bits = 63;

__global__ __launch_bounds__(table_threads) void pack_rows(const coordinate* rows, long long count,
                                                           std::uint64_t* keys, std::int32_t* numbers,
                                                           std::int32_t* status) {
  const long long row = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (row >= count) return;
  if (row == 0) *status = hash_table::status_ok;
  keys[row] = hash_table::pack(rows[row]);
  numbers[row] = static_cast<std::int32_t>(row);
}

__global__ __launch_bounds__(table_threads) void flag_first_of_runs(const std::uint64_t* keys,
                                                                    const std::int32_t* numbers,
                                                                    long long count, std::uint8_t* flags) {
  const long long i = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (i < count) flags[numbers[i]] = i == 0 || keys[i] != keys[i - 1] ? 1 : 0;
}

void sort(launcher& to, const problem& p, const switches&) {
  if (p.rows == 0) return list_nothing(to, p);
  const scratch s(p);
  const dim3 grid(blocks_for(p.rows, table_threads)), block(table_threads);
  launch(to, pack_rows, grid, block, 0, hash_table::coordinates_of(p.coordinates), p.rows, s.keys[0],
         s.rows[0], p.status);
  cub::DoubleBuffer<std::uint64_t> keys(s.keys[0], s.keys[1]);
  cub::DoubleBuffer<std::int32_t> rows(s.rows[0], s.rows[1]);
  call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, rows, static_cast<int>(p.rows), 0,
                                                    key_bits, stream);
           });
  launch(to, flag_first_of_runs, grid, block, 0, keys.Current(), rows.Current(), p.rows, s.flags);
  list_flagged(to, p);
}

}  // namespace ablate::unique_rows
