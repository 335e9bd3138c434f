// From flags to the list: one selection of the flagged row numbers, in order (a decoupled look-back scan over
// tiles). It reads one byte per row and writes 4 per listed row; nothing needs sorting.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "kernels/unique_rows/phases.cuh"

namespace ablate::unique_rows {

constexpr int bytes_per_thread = 16;

__global__ void write_empty_list(std::int32_t* count, std::int32_t* status) {
  *count = 0;
  *status = hash_table::status_ok;
}

/// Writes whole 16-byte words: the flags' memory ends at a multiple of 16 bytes.
__global__ __launch_bounds__(table_threads) void zero_flags(std::uint8_t* flags, long long rows) {
  const long long word = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (word * bytes_per_thread < rows) reinterpret_cast<uint4*>(flags)[word] = {};
}

void list_nothing(launcher& to, const problem& p) {
  launch(to, write_empty_list, dim3(1), dim3(1), 0, p.count, p.status);
}

void clear_flags(launcher& to, const problem& p) {
  launch(to, zero_flags, dim3(blocks_for(p.rows, table_threads * bytes_per_thread)), dim3(table_threads), 0,
         scratch(p).flags, p.rows);
}

void list_flagged(launcher& to, const problem& p) {
  const scratch s(p);
  call_cub(to, "cub::DeviceSelect", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<std::int32_t>(0),
                                               s.flags, p.list, p.count, p.rows, stream);
           });
}

}  // namespace ablate::unique_rows
