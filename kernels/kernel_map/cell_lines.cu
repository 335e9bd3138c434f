// Matches bitmaps of 4³ cells (cells.cu) along lines of offsets. For each offset a cell's 64 places are
// compared with its window, the map of the places that far away:
//   hit(o) = own map & window(o),  window(o) bit (x, y, z) = voxel (x, y, z) + o of the neighborhood,
// which overlaps up to eight neighbors' maps. Offsets that differ in z alone share the work along x and y: a
// layer is the neighborhood at one cell's height, moved by (ox, oy), four maps put together; a window is two
// layers, moved by constants. A line of seven offsets takes three layers, not 56 maps. A warp handles a line
// for a group of 32 cells, one per lane.
//
// Counting sums the hits of each offset over the group. Writing keeps the line's hits and their running
// counts in shared memory and distributes all pairs over the lanes at once: most offsets of a group have
// fewer pairs than a warp has lanes. A lane finds the offset and cell of its pair by bisection of the counts.
//
// searched_offsets::first_half: only the offsets before the middle one, whose cells are 18 of the 27 around;
// each pair is written twice, with in and out rows swapped in the opposite offset's list. Should move:
// instructions per offset and group, from about 120 to 35 (counting) and from about 210 to 100 (writing); in
// both, half the offsets.
#include "kernels/kernel_map/cell_matches.cuh"

namespace ablate::kernel_map {

constexpr int line_threads = 256, line_warps = line_threads / 32;
constexpr int max_of_a_line = 8;  ///< offsets; longer lines are taken in parts

/// The lines of a kernel's offsets, and how many groups of cells a block takes at a time: enough for each of
/// its warps to find lines of them.
struct line_set {
  int searched;  ///< offsets
  int parts, length;
  int of_group;
  int groups_per_tile;

  line_set(const problem& p, searched_offsets which) : searched(count_of(p, which)) {
    const int along_z = p.kernel[2];
    parts = (along_z + max_of_a_line - 1) / max_of_a_line;
    length = (along_z + parts - 1) / parts;
    of_group = (searched + along_z - 1) / along_z * parts;
    groups_per_tile = of_group >= 2 * line_warps ? 1 : of_group >= line_warps ? 2 : 4;
  }
};

/// The offsets (x, y, z + k) with the numbers first + k, k < count.
struct offset_line {
  int x, y, z, first, count;

  __device__ offset_line(const view& v, const line_set& lines, int i) {
    const int begin = i % lines.parts * lines.length;
    first = i / lines.parts * v.kernel[2] + begin;
    count = min(min(lines.length, v.kernel[2] - begin), lines.searched - first);
    const int3 o = v.offset(first);
    x = o.x;
    y = o.y;
    z = o.z;
  }
};

/// A lane's cell among its neighbors, whose maps are 32 words apart.
struct neighborhood {
  const unsigned long long* maps;
  const cell_box& box;

  __device__ unsigned long long map(int x, int y, int z) const { return maps[box.index(x, y, z) * 32]; }

  /// Maps at (·, y, z), moved down by ox voxels along x.
  __device__ unsigned long long moved_along_x(int ox, int y, int z) const {
    const int d = ox >> 2, r = ox & 3;
    const unsigned long long lower = map(d, y, z);
    return r == 0 ? lower : lower >> 16 * r | map(d + 1, y, z) << (64 - 16 * r);
  }

  /// The layer of cells at height z, moved down by ox and oy voxels.
  __device__ unsigned long long layer(int ox, int oy, int z) const {
    const int d = oy >> 2, r = oy & 3;
    const unsigned long long lower = moved_along_x(ox, d, z);
    if (r == 0) return lower;
    const unsigned long long stays = 0x0001000100010001ull * (0xffffu >> 4 * r);
    return (lower >> 4 * r & stays) | (moved_along_x(ox, d + 1, z) << (16 - 4 * r) & ~stays);
  }

  /// Calls `visit(k, window)` for the line's offsets.
  template <class Visit>
  __device__ void for_each_window(const offset_line& line, Visit visit) const {
    const int end = line.z + line.count;
    int d = line.z >> 2;
    unsigned long long here = layer(line.x, line.y, d);
    for (; d * 4 < end; ++d) {
      // Heights 4 · d + r; for r > 0 the upper places are in the layer above.
      const int first = line.z - 4 * d, last = end - 4 * d;
      const unsigned long long above = last > 1 ? layer(line.x, line.y, d + 1) : 0;
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        if (r < first || r >= last) continue;
        const unsigned long long stays = 0x1111111111111111ull * (0xfu >> r);
        visit(r - first, r == 0 ? here : (here >> r & stays) | (above << (4 - r) & ~stays));
      }
      here = above;
    }
  }
};

/// What a warp keeps of a line while it writes its pairs.
struct line_pairs {
  unsigned long long hits[max_of_a_line * 32];  ///< [offset][cell]
  long long places[max_of_a_line];              ///< where the line's pair 0 would be in an offset's list
  long long opposite[max_of_a_line];            ///< and in the opposite one's
  unsigned short before[max_of_a_line * 32];    ///< pairs of the line before those of [offset][cell]
};

/// Blocks take tiles of groups in turn; its warps take lines of the tile's groups. With few tiles, several
/// blocks share a tile's lines. Shared memory: the maps of each cell's neighbors; to write also where their
/// rows begin, and a line_pairs for each warp.
template <list_pass Pass, searched_offsets Searched, bool Instrumented>
__global__ __launch_bounds__(line_threads, resident_match_blocks) void match_lines(view v, cell_box box,
                                                                                   line_set lines) {
  constexpr bool writes = Pass == list_pass::write, symmetric = Searched == searched_offsets::first_half;
  extern __shared__ unsigned long long memory_of_lines[];
  __shared__ int next;
  const int neighbors = box.cells(), own = box.index(0, 0, 0) * 32;
  const int staged = lines.groups_per_tile * neighbors * 32;
  auto* const maps = memory_of_lines;                               // [groups][neighbors][32]
  auto* const begins = reinterpret_cast<unsigned*>(maps + staged);  // [groups][neighbors][32]
  const unsigned lane = threadIdx.x % 32;
  auto& pairs_of_line = reinterpret_cast<line_pairs*>(begins + staged)[threadIdx.x / 32];
  tally<Instrumented> events;

  const unsigned cells = v.scratch.cell_count[0], groups = groups_of(v);
  const unsigned tiles = (groups + lines.groups_per_tile - 1) / lines.groups_per_tile;
  const int all_lines = lines.groups_per_tile * lines.of_group;
  const unsigned slices =
      tiles == 0 ? 0 : max(1u, min((all_lines + line_warps - 1u) / line_warps, gridDim.x / tiles));
  for (unsigned item = blockIdx.x; item < tiles * slices; item += gridDim.x) {
    const unsigned first_group = item / slices * lines.groups_per_tile;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < staged; i += line_threads) {
      const unsigned id = (first_group + i / 32 / neighbors) * 32 + lane;
      const int other = id < cells ? v.scratch.dense[i / 32 % neighbors * v.rows + id] : -1;
      maps[i] = other < 0 ? 0 : v.scratch.cell_bits[other];
      if (writes) begins[i] = other < 0 ? 0 : v.scratch.cell_begin[other];
    }
    if (threadIdx.x == 0) next = static_cast<int>(item % slices);
    __syncthreads();
    for (;;) {
      int taken = 0;
      if (lane == 0) taken = atomicAdd(&next, static_cast<int>(slices));
      taken = __shfl_sync(~0u, taken, 0);
      if (taken >= all_lines) break;
      const unsigned group = first_group + taken / lines.of_group;
      const int number = taken % lines.of_group;
      const offset_line line(v, lines, number);
      if (group >= groups || line.count <= 0) continue;
      const int stage = taken / lines.of_group * neighbors * 32;
      const neighborhood around{maps + stage + lane, box};
      const unsigned long long mine = maps[stage + own + lane];
      std::uint32_t* const counts = v.scratch.block_counts + static_cast<long long>(group) * lines.searched;

      if constexpr (!writes) {
        unsigned kept = 0;
        around.for_each_window(line, [&](int k, unsigned long long window) {
          const unsigned found = __popcll(window & mine), all = __reduce_add_sync(~0u, found);
          if (static_cast<int>(lane) == k) kept = all;
          events.add(pairs, symmetric ? 2 * found : found);
        });
        if (static_cast<int>(lane) < line.count) counts[line.first + lane] = kept;
        if (number == 0) {
          events.add(queries, __popcll(mine));
          if (symmetric) events.add(pairs, __popcll(mine));  // each row with itself, which is not searched
        }
      } else {
        unsigned all = 0, before_offset = 0;
        around.for_each_window(line, [&](int k, unsigned long long window) {
          const unsigned long long hit = window & mine;
          const unsigned found = __popcll(hit);
          unsigned up_to = found;
          if (__any_sync(~0u, found != 0)) {
#pragma unroll
            for (unsigned other = 1; other < 32; other *= 2) {
              const unsigned before = __shfl_up_sync(~0u, up_to, other);
              if (lane >= other) up_to += before;
            }
          }
          pairs_of_line.hits[k * 32 + lane] = hit;
          pairs_of_line.before[k * 32 + lane] = static_cast<unsigned short>(all + up_to - found);
          if (static_cast<int>(lane) == k) before_offset = all;
          all += __shfl_sync(~0u, up_to, 31);
        });
        if (all == 0) continue;
        if (static_cast<int>(lane) < line.count) {
          const int q = line.first + static_cast<int>(lane);
          const long long chunk_at = static_cast<long long>(group / groups_per_chunk) * lines.searched + q;
          const long long within =
              static_cast<long long>(v.scratch.chunk_counts[chunk_at]) + counts[q] - before_offset;
          pairs_of_line.places[lane] = v.ends[q] + within;
          if (symmetric) pairs_of_line.opposite[lane] = v.ends[v.offsets - 1 - q] + within;
        }
        __syncwarp();
        for (unsigned pair = lane; pair < all; pair += 32) {
          // The last entry with no more pairs before it.
          int entry = 0;
#pragma unroll
          for (int width = max_of_a_line * 16; width > 0; width /= 2)
            if (entry + width < line.count * 32 && pairs_of_line.before[entry + width] <= pair)
              entry += width;
          const int k = entry / 32, cell = stage + entry % 32, here = own + cell;
          const int place =
              place_of_rank(pairs_of_line.hits[entry], static_cast<int>(pair - pairs_of_line.before[entry]));
          const int x = (place >> 4) + line.x, y = (place >> 2 & 3) + line.y, z = (place & 3) + line.z + k;
          const int there = box.index(x >> 2, y >> 2, z >> 2) * 32 + cell;
          const int partner = place_in_cell({0, x, y, z});
          const int in = v.scratch.cell_rows[begins[there] + __popcll(maps[there] & below(partner))];
          const int out = v.scratch.cell_rows[begins[here] + __popcll(maps[here] & below(place))];
          put_pair(v, pairs_of_line.places[k] + pair, in, out);
          if (symmetric) put_pair(v, pairs_of_line.opposite[k] + pair, out, in);
        }
        __syncwarp();
      }
    }
  }
  events.write(v.events);
}

namespace {

template <list_pass Pass, searched_offsets Searched>
void match(launcher& to, const problem& p, const cell_box& box, const line_set& lines) {
  constexpr bool writes = Pass == list_pass::write;
  const std::size_t of_place = sizeof(unsigned long long) + (writes ? sizeof(unsigned) : 0);
  const std::size_t bytes =
      lines.groups_per_tile * box.cells() * 32 * of_place + (writes ? line_warps * sizeof(line_pairs) : 0);
  with_form(p, [&](auto instrumented) {
    launch(to, match_lines<Pass, Searched, instrumented>, dim3(match_blocks(to, p)), dim3(line_threads),
           bytes, view(p), box, lines);
  });
}

template <searched_offsets Searched>
void map_by_lines(launcher& to, const problem& p, cell_numbering numbering) {
  constexpr bool symmetric = Searched == searched_offsets::first_half;
  const cell_box box = box_of(p, map_edge, Searched);
  const line_set lines(p, Searched);
  find_all_neighbors(to, p, numbering, box);
  match<list_pass::count, Searched>(to, p, box, lines);
  sum_group_counts(to, p, lines.searched);
  sum_counts(to, p, symmetric);
  match<list_pass::write, Searched>(to, p, box, lines);
  if (symmetric) write_middle_list(to, p);
  end_map(to, p);
}

}  // namespace

void map_cells_by_lines(launcher& to, const problem& p, searched_offsets which, cell_numbering numbering) {
  which == searched_offsets::first_half ? map_by_lines<searched_offsets::first_half>(to, p, numbering)
                                        : map_by_lines<searched_offsets::all>(to, p, numbering);
}

}  // namespace ablate::kernel_map
