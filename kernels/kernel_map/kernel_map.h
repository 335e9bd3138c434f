#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ablate::kernel_map {

/// Kernel map of a sparse convolution (specification: packed_hash §4): for each offset q of the kernel the
/// pairs (in row, out row) with in = stride · out + dilation · offset(q), in the same batch. The rows'
/// coordinates are distinct. Offsets in row-major order: q = (ix · ky + iy) · kz + iz, offset = (ix − cx, iy
/// − cy, iz − cz) with c = (k − 1) / 2 where k is odd, else 0.

/// The parts of the work, in order. A problem asks for those from `first` to `last`.
enum class phase {
  coarse,    ///< the table of occupied cells, where a variant has one
  build,     ///< whatever else a variant looks rows up in, from the coordinates
  map,       ///< pairs, list after list
  read_back  ///< for the check: `digest` of the lists
};

/// What the host does while a map is made.
enum class host_role {
  absent,  ///< nothing: everything is enqueued beforehand
  end,     ///< one call; the host waits for its end and reads how many pairs there are
  count,   ///< one call; the host reads how many pairs there are before the lists are written, then waits
  stages,  ///< table of cells, table of rows, count and lists are calls of their own, each waited for
  graph    ///< the whole is one CUDA graph; the host waits for its end
};

enum map_status : std::int32_t {
  map_ok = 0,
  map_full = 1,     ///< a table had no room
  map_overflow = 2  ///< more pairs than `capacity`; those beyond it are not stored, `ends` counts them
};

/// What the instrumented form counts. A variant without one leaves `queries` 0.
enum event {
  queries,        ///< out rows
  probes,         ///< slots of the fine table looked at
  coarse_probes,  ///< slots of a coarse table looked at
  survivors,      ///< (out row, offset) whose cell of the coarse grid is occupied
  pairs,          ///< found
  event_count
};

struct problem {
  std::int64_t rows = 0;  ///< in rows, below 2^31
  std::int64_t outs = 0;  ///< out rows, below 2^31
  bool same = true;       ///< out rows are the in rows, in the same order (stride 1)
  std::array<int, 3> kernel{3, 3, 3}, stride{1, 1, 1}, dilation{1, 1, 1};  ///< along x, y, z
  bool guards = true;         ///< an in coordinate out of range is no row; if not, its fields wrap
  std::int64_t slots = 16;    ///< of the fine table, a power of two
  std::int64_t capacity = 0;  ///< pairs that in_rows and out_rows have room for
  phase first = phase::coarse, last = phase::map;
  host_role host = host_role::absent;

  const std::int32_t* coordinates = nullptr;      ///< [rows][4]: batch, x, y, z; distinct, in range
  const std::int32_t* out_coordinates = nullptr;  ///< [outs][4]; the same pointer where `same`

  std::int64_t* ends =
      nullptr;  ///< [offsets + 1]: 0, then the end of each list (the number of all pairs last)
  std::int32_t* in_rows = nullptr;   ///< [capacity]: list after list, in any order within a list
  std::int32_t* out_rows = nullptr;  ///< [capacity]
  std::int32_t* status = nullptr;    ///< [1]: map_status, the worst; set by the build, raised by the map
  std::uint64_t* digest = nullptr;   ///< [offsets]: sum of mixed(in row << 32 | out row) over the list, mod
                                     ///< 2^64; anything for a list that ends beyond the capacity
  void* scratch = nullptr;           ///< scratch_bytes(problem)
  unsigned long long* events = nullptr;  ///< [event_count]; null = the plain form of the kernels

  int offsets() const { return kernel[0] * kernel[1] * kernel[2]; }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Working memory of the hungriest variant, bytes.
std::size_t scratch_bytes(const problem&);

/// Offset q, dilated: along x, y, z.
std::array<int, 3> offset_of(const problem&, int q);

/// SplitMix64's output mixer: a pair's share of a digest.
std::uint64_t mixed(std::uint64_t);

/// The oracle, into host buffers, whatever the phases: `ends`, `digest` and `status`, and the lists where
/// in_rows is not null. 10^6 rows and 343 offsets take a second. Out rows may repeat; stride · out is in
/// range.
void reference(const problem&);

}  // namespace ablate::kernel_map
