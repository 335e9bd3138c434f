// The keys of all points, ascending: a kernel that reads each point once and writes 4 bytes for it, then
// CUB's radix sort of keys only, over the bits of the largest key (19 for one cloud on 64³ cells, 22 on 128³:
// the key of points outside takes one bit more than the cells; 3 passes of 8 bits either way). Should move:
// bytes, 8 per point and pass.
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/voxelize/sorted_keys.cuh"

namespace ablate::voxelize {

template <class Key>
__global__ __launch_bounds__(block_threads) void write_cell_keys(view<int> v, cell_keys format, Key* keys) {
  const long long i = point_of_thread();
  if (i >= v.points_per_cloud) return;
  const float* point = v.cloud_points() + 3 * i;
  int c[3];
  Key key = static_cast<Key>(format.none);
  if (v.locate_point(point[0], point[1], point[2], c)) {
    if (format.morton)
      key = static_cast<Key>(static_cast<std::uint64_t>(blockIdx.y) << 3 * format.axis_bits |
                             serialize::interleave(c[2], c[1], c[0]));
    else
      key = static_cast<Key>(blockIdx.y * v.cells_per_cloud + v.index_of(c));
  }
  keys[blockIdx.y * v.points_per_cloud + i] = key;
}

template <class Key>
void sort_keys_of(launcher& to, const problem& p, const cell_keys& format) {
  const sort_scratch s(p);
  Key* const keys = reinterpret_cast<Key*>(s.keys);
  Key* const sorted = reinterpret_cast<Key*>(s.sorted);
  launch(to, write_cell_keys<Key>, grid_of(p, block_threads), dim3(block_threads), 0, view<int>(p), format,
         keys);
  const int points = points_to_sort(p.all_points());
  if (points == 0) return;
  call_cub(to, "cub::DeviceRadixSort", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortKeys(memory, bytes, static_cast<const Key*>(keys), sorted,
                                                   points, 0, format.key_bits(), stream);
           });
}

void sort_keys(launcher& to, const problem& p, const cell_keys& format) {
  if (key_bytes(p) == 4)
    sort_keys_of<std::uint32_t>(to, p, format);
  else
    sort_keys_of<std::uint64_t>(to, p, format);
}

}  // namespace ablate::voxelize
