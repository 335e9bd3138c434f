// The control: the packed keys of all sums at once, radix-sorted (64 bits) and deduplicated. What is left is
// the row store, ordered by batch, x, y and z; the table is then filled with rows that are all distinct, one
// compare-and-swap each. A sum out of range gets key 0, which sorts first and is dropped: once wrapped, it
// could not be recovered from its key. Should move: random reads, to none; bytes, to 16 per sum for each 8
// bits of the sort, however many sums are equal.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/coordinate_expand/driver.h"
#include "kernels/coordinate_expand/launches.h"
#include "kernels/coordinate_expand/view.cuh"

namespace ablate::coordinate_expand {

__global__ __launch_bounds__(table_threads) void pack_sums(view v, std::uint64_t* keys) {
  const long long row = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (row >= v.rows) return;
  const int q = static_cast<int>(blockIdx.y);
  const coordinate sum = v.sum(v.base[row], q);
  keys[q * v.rows + row] = hash_table::in_range(sum) ? hash_table::pack(sum) : 0;
}

__device__ coordinate unpacked(std::uint64_t key) {
  const auto field = [&](int shift) {
    return static_cast<int>((key >> shift & 0x3ffff) ^ 0x20000) - 0x20000;
  };
  return {static_cast<int>(key >> 54 & 0x1ff), field(36), field(18), field(0)};
}

__global__ __launch_bounds__(table_threads) void keep_distinct(view v, rows_table into,
                                                               const std::uint64_t* keys,
                                                               const std::int32_t* selected) {
  const int dropped = *selected > 0 && keys[0] == 0 ? 1 : 0;
  const int count = *selected - dropped;
  const int first = static_cast<int>(blockIdx.x * table_threads + threadIdx.x);
  if (first == 0) v.result->rows = count;
  tally<uncounted> events;
  for (int number = first; number < count; number += static_cast<int>(gridDim.x * table_threads)) {
    const coordinate row = unpacked(keys[number + dropped]);
    const bool has_slot = hash_table::insert_key<insertion::cas_first>(
        into, into.start(row), hash_table::slot_unseen, events, nullptr, [&](unsigned slot, bool mine) {
          if (mine) v.keep(into, slot, number, row);
        });
    if (!has_slot) atomicMax(&v.result->status, static_cast<int>(table_full));
  }
}

void sort(launcher& to, const problem& p, const switches&) {
  const room given{p.slots, p.capacity};
  if (p.does(phase::expand)) clear_table(to, p, given, 0);
  if (p.does(phase::expand) && p.rows > 0) {
    const scratch s(p);
    launch(to, pack_sums, dim3(blocks_for(p.rows, table_threads), static_cast<unsigned>(p.offsets())),
           dim3(table_threads), 0, view(p, given), s.keys[0]);
    cub::DoubleBuffer<std::uint64_t> keys(s.keys[0], s.keys[1]);
    call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
             [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
               return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, static_cast<int>(p.candidates()), 0,
                                                     64, stream);
             });
    call_cub(to, "cub::DeviceSelect", s.temporary, s.temporary_bytes,
             [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
               return cub::DeviceSelect::Unique(memory, bytes, keys.Current(), keys.Alternate(), s.selected,
                                                p.candidates(), stream);
             });
    launch(to, keep_distinct, dim3(8 * to.device().multiprocessors), dim3(table_threads), 0, view(p, given),
           table_of(p, given), keys.Alternate(), s.selected);
  }
}

}  // namespace ablate::coordinate_expand
