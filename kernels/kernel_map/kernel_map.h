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
  read_back  ///< for the check: `digest` of the lists; of tables `ends` and `status` too
};

/// The form in which a map is wanted. In all but lists `ends`, `digest` and `status` come with read_back,
/// from the last of the tables named, and `in_rows` and `out_rows` stay as they are.
enum class output {
  lists,  ///< `ends`, `in_rows`, `out_rows`
  dense,  ///< T[offsets][outs]: the in row, or −1
  masks,  ///< T, and behind it masks[mask_words][outs]: bit q % 32 of word q / 32 says whether T[q][j] ≥ 0;
          ///< the same word of 32 neighboring out rows is 128 bytes in a row, one access of a warp
  reverse  ///< T, and behind it T'[offsets][rows]: the out row that meets the in row, or −1
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
  output wanted = output::lists;
  bool first_half = false;  ///< only the lists of q < ⌊offsets / 2⌋ are wanted, the others are empty (Y1); a
                            ///< map onto its own rows has the rest mirrored in these. Of lists only

  const std::int32_t* coordinates = nullptr;      ///< [rows][4]: batch, x, y, z; distinct, in range
  const std::int32_t* out_coordinates = nullptr;  ///< [outs][4]; the same pointer where `same`

  std::int64_t* ends =
      nullptr;  ///< [offsets + 1]: 0, then the end of each list (the number of all pairs last)
  std::int32_t* in_rows = nullptr;   ///< [capacity]: list after list, in any order within a list; variants
                                     ///< with slabs leave room: list q begins at q · outs
  std::int32_t* out_rows = nullptr;  ///< [capacity]
  std::int32_t* status = nullptr;    ///< [1]: map_status, the worst; set by the build, raised by the map
  std::uint64_t* digest = nullptr;   ///< [digests]: for each offset, sum of mixed(in row << 32 | out row)
                                     ///< over the list, mod 2^64; anything for a list that ends beyond the
                                     ///< capacity. Masks know no in row: theirs is 2^32 − 1. Of two tables,
                                     ///< those of the last one, and behind them those of T
  std::int32_t* tables = nullptr;    ///< [table_words]: what `wanted` names, one behind the other
  void* scratch = nullptr;           ///< scratch_bytes(problem)
  unsigned long long* events = nullptr;  ///< [event_count]; null = the plain form of the kernels

  int offsets() const { return kernel[0] * kernel[1] * kernel[2]; }
  int lists() const { return first_half ? offsets() / 2 : offsets(); }  ///< that are wanted: the first ones
  int mask_words() const { return (offsets() + 31) / 32; }              ///< of an out row
  std::int64_t table_words() const {
    if (wanted == output::lists) return 0;
    const std::int64_t dense = offsets() * outs;
    if (wanted == output::masks) return dense + mask_words() * outs;
    return wanted == output::reverse ? dense + offsets() * rows : dense;
  }
  bool has_table_behind_dense() const { return wanted == output::masks || wanted == output::reverse; }
  int digests() const { return has_table_behind_dense() ? 2 * offsets() : offsets(); }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Working memory of the hungriest variant, bytes.
std::size_t scratch_bytes(const problem&);

/// Offset q, dilated: along x, y, z.
std::array<int, 3> offset_of(const problem&, int q);

/// SplitMix64's output mixer: a pair's share of a digest.
std::uint64_t mixed(std::uint64_t);

/// The oracle, into host buffers, whatever the phases: `ends`, `digest` and `status`, and the lists where
/// in_rows is not null. The capacity counts where lists are wanted. 10^6 rows and 343 offsets take a second.
/// Out rows may repeat; stride · out is in range.
void reference(const problem&);

}  // namespace ablate::kernel_map
