#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ablate::kernel_map {

/// Kernel map of a sparse convolution (docs/operations/kernel_map.md): for each kernel offset q, the pairs
/// (in row, out row) with in = stride · out + dilation · offset(q) in the same batch. Row coordinates are
/// distinct. Offsets in row-major order: q = (ix · ky + iy) · kz + iz, offset = (ix − cx, iy − cy, iz − cz)
/// with c = (k − 1) / 2 if k is odd, else 0.

/// The phases of a map, in order. A problem runs `first` through `last`.
enum class phase {
  coarse,  ///< the table of occupied cells, if the variant has one
  build,   ///< the variant's other lookup structures, from the coordinates
  map      ///< the pairs, list by list
};

/// The output format of a map. Except for lists, the check makes `ends` and `status` from the last table
/// named, and `in_rows` and `out_rows` are left untouched.
enum class output {
  lists,  ///< `ends`, `in_rows`, `out_rows`
  dense,  ///< T[offsets][outs]: the in row, or −1
  masks,  ///< T, followed by masks[mask_words][outs]: bit q % 32 of word q / 32 says whether T[q][j] ≥ 0; one
          ///< word of 32 neighboring out rows is 128 contiguous bytes, one access per warp
  reverse  ///< T, followed by T'[offsets][rows]: the out row paired with the in row, or −1
};

/// What the host does while a map is built.
enum class host_role {
  absent,  ///< nothing: all work is enqueued up front
  end,     ///< one call; the host waits for it and reads the number of pairs
  count,   ///< one call; the host reads the number of pairs before the lists are written, then waits
  stages,  ///< separate calls for the cell table, the row table, the count and the lists, each waited for
  graph    ///< one CUDA graph for everything; the host waits for it
};

enum map_status : std::int32_t {
  map_ok = 0,
  map_full = 1,     ///< a table was full
  map_overflow = 2  ///< more pairs than `capacity`; the excess is counted in `ends` but not stored
};

/// What the instrumented kernels count. Variants without them leave `queries` at 0.
enum event {
  queries,        ///< out rows
  probes,         ///< slots of the fine table read
  coarse_probes,  ///< slots of a coarse table read
  survivors,      ///< (out row, offset) whose coarse cell is occupied
  pairs,          ///< found
  event_count
};

struct problem {
  std::int64_t rows = 0;  ///< in rows, below 2^31
  std::int64_t outs = 0;  ///< out rows, below 2^31
  bool same = true;       ///< the out rows are the in rows, in the same order (stride 1)
  std::array<int, 3> kernel{3, 3, 3}, stride{1, 1, 1}, dilation{1, 1, 1};  ///< along x, y, z
  bool guards = true;         ///< in coordinates out of range have no row; else fields wrap
  std::int64_t slots = 16;    ///< of the fine table, a power of two
  std::int64_t capacity = 0;  ///< pairs that fit in in_rows and out_rows
  phase first = phase::coarse, last = phase::map;
  host_role host = host_role::absent;
  output wanted = output::lists;
  bool first_half = false;  ///< only the lists of q < ⌊offsets / 2⌋; the rest stay empty. With `same`, they
                            ///< would mirror these. Lists only

  const std::int32_t* coordinates = nullptr;      ///< [rows][4]: batch, x, y, z; distinct, in range
  const std::int32_t* out_coordinates = nullptr;  ///< [outs][4]; the same pointer if `same`

  std::int64_t* ends =
      nullptr;  ///< [offsets + 1]: 0, then the end of each list (the last is the total number of pairs)
  std::int32_t* in_rows = nullptr;   ///< [capacity]: list by list, in any order within a list; variants with
                                     ///< slabs leave gaps: list q begins at q · outs
  std::int32_t* out_rows = nullptr;  ///< [capacity]
  std::int32_t* status = nullptr;    ///< [1]: worst map_status; set by the build, raised by the map
  std::int32_t* tables = nullptr;    ///< [table_words]: the tables `wanted` names, in sequence
  void* scratch = nullptr;           ///< scratch_bytes(problem)
  unsigned long long* events = nullptr;  ///< [event_count]; null runs the uninstrumented kernels

  int offsets() const { return kernel[0] * kernel[1] * kernel[2]; }
  int lists() const { return first_half ? offsets() / 2 : offsets(); }  ///< wanted, always the first ones
  int mask_words() const { return (offsets() + 31) / 32; }              ///< per out row
  std::int64_t table_words() const {
    if (wanted == output::lists) return 0;
    const std::int64_t dense = offsets() * outs;
    if (wanted == output::masks) return dense + mask_words() * outs;
    return wanted == output::reverse ? dense + offsets() * rows : dense;
  }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Workspace of the most demanding variant, in bytes.
std::size_t scratch_bytes(const problem&);

/// Offset q, dilated: along x, y, z.
std::array<int, 3> offset_of(const problem&, int q);

}  // namespace ablate::kernel_map
