#pragma once

#include <cstdint>

#include "kernels/serialize/interleave.cuh"
#include "kernels/voxelize/sort_scratch.h"
#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

/// The keys of all points of the batch in ascending order, as a kernel argument: keys of one cell are
/// neighbors, and no point has to be read again.
template <class Key>
struct sorted_keys {
  using key = Key;

  const Key* keys;
  long long count;
  Key none;
  int code_bits;
  bool morton;

  sorted_keys(const problem& p, const cell_keys& format)
      : keys(reinterpret_cast<const Key*>(sort_scratch(p).sorted)),
        count(p.all_points()),
        none(static_cast<Key>(format.none)),
        code_bits(format.code_bits()),
        morton(format.morton) {}

  /// The key at place i; past the end, the key of no cell.
  __device__ Key at(long long i) const { return i < count ? keys[i] : none; }

  /// The counter of the key's cell.
  template <class Count>
  __device__ Count* counter_of(const view<Count>& v, Key key) const {
    if (!morton) return v.grid + key;
    const std::uint64_t code = key & ((std::uint64_t{1} << code_bits) - 1);
    const int c[3] = {static_cast<int>(serialize::gather_bits(code)),
                      static_cast<int>(serialize::gather_bits(code >> 1)),
                      static_cast<int>(serialize::gather_bits(code >> 2))};
    return v.grid + static_cast<long long>(key >> code_bits) * v.cells_per_cloud + v.index_of(c);
  }
};

/// The sort phase: writes the keys and sorts them with CUB.
void sort_keys(launcher&, const problem&, const cell_keys&);

/// Both phases of a sorting variant; `launch_count(Count{}, std::bool_constant<instrumented>{},
/// sorted_keys<Key>)` is the second.
template <class Launch>
void count_sorted(launcher& to, const problem& p, const switches& s, Launch launch_count) {
  const cell_keys format(p, s.word("sort") == "morton");
  if (p.does(phase::sort)) sort_keys(to, p, format);
  if (!p.does(phase::count)) return;
  with_form(p, [&](auto count, auto instrumented) {
    if (key_bytes(p) == 4)
      launch_count(count, instrumented, sorted_keys<std::uint32_t>(p, format));
    else
      launch_count(count, instrumented, sorted_keys<std::uint64_t>(p, format));
  });
}

}  // namespace ablate::voxelize
