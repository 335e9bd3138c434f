// PTv3's own index steps, a thread per element.
//   voxels: (instance, cell) of each row, 16 bytes, the input of a kernel map.
//   slots: windows of whole size along an order. Of an instance with n rows, slot s takes the row at place s;
//   past the last row, that of the place a window before, as published. So row_of_slot[s] =
//   order[place(s)], and slot_of_row[r] = slot(inverse[r]), for all curves in one launch: the
//   published code pads by slices, waits, and gathers an order a curve.
//   pieces: the lists of a map cut into tiles of 64 pairs; the thread of a tile finds its list by going
//   through the 27 counts. Splits, for the gradients of weights: the same with more pairs, those of a list of
//   several numbered, since each has its share of the sum.
// Should move: launches, one a level each.

#include "kernels/common/launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/run.h"
#include "kernels/ptv3/window_slots.h"

namespace ablate::backbone {

constexpr int index_threads = 256;

__global__ __launch_bounds__(index_threads) void write_voxels_of_cells(const std::int32_t* cells,
                                                                       const std::uint32_t* ends,
                                                                       int instances, int4* voxels,
                                                                       unsigned rows) {
  const unsigned row = blockIdx.x * index_threads + threadIdx.x;
  if (row >= rows) return;
  const std::int32_t* const cell = cells + 3ll * row;
  voxels[row] = {instance_at(ends, instances, row), cell[0], cell[1], cell[2]};
}

void write_voxels(launcher& to, const problem& p, const network& n, const step& s) {
  const level& of = n.level_at(s.level);
  const std::uint32_t* const ends =
      p.ends == nullptr ? nullptr : p.ends + std::int64_t{s.level} * n.instances();
  launch(to, write_voxels_of_cells, dim3(blocks_for(of.real, index_threads)), dim3(index_threads), 0,
         cells_of(p, n, s.level), ends, n.instances(),
         reinterpret_cast<int4*>(const_cast<std::int32_t*>(map_of(p, n, s).coordinates)),
         static_cast<unsigned>(of.real));
}

struct slots_view {
  const std::uint32_t *ends, *slot_ends;
  const std::int32_t *orders, *inverses;  ///< [curves][pitch]
  std::int32_t* row_of_slot;              ///< [curves][slots]
  std::int32_t* slot_of_row;              ///< [curves][rows]
  long long pitch;
  unsigned rows, slots, window;
  int instances;
};

/// blockIdx.y: the curve. There are no fewer slots than rows.
__global__ __launch_bounds__(index_threads) void find_slots_of_rows(slots_view v) {
  const unsigned i = blockIdx.x * index_threads + threadIdx.x;
  const long long curve = blockIdx.y;
  if (i < v.slots) {
    const instance_slots of(v.ends, v.slot_ends, instance_at(v.slot_ends, v.instances, i));
    v.row_of_slot[curve * v.slots + i] = v.orders[curve * v.pitch + of.place_of(i, v.window)];
  }
  if (i < v.rows) {
    const auto place = static_cast<unsigned>(v.inverses[curve * v.pitch + i]);
    const instance_slots of(v.ends, v.slot_ends, instance_at(v.ends, v.instances, place));
    v.slot_of_row[curve * v.rows + i] = static_cast<std::int32_t>(of.slot_of(place));
  }
}

void find_slots(launcher& to, const problem& p, const network& n, const step& s) {
  const level& of = n.level_at(s.level);
  const grid_places& at = n.grid_at(s.level);
  slots_view v{};
  v.ends = p.ends == nullptr ? nullptr : p.ends + std::int64_t{s.level} * n.instances();
  v.slot_ends = slot_ends_of(p, n, s.level);
  v.orders = in_index<std::int32_t>(p, at.orders);
  v.inverses = in_index<std::int32_t>(p, at.inverses);
  v.row_of_slot = in_index<std::int32_t>(p, at.row_of_slot);
  v.slot_of_row = in_index<std::int32_t>(p, at.slot_of_row);
  v.pitch = n.pitch();
  v.rows = static_cast<unsigned>(of.real);
  v.slots = static_cast<unsigned>(of.slots);
  v.window = static_cast<unsigned>(n.shape.window);
  v.instances = n.instances();
  launch(to, find_slots_of_rows,
         dim3(blocks_for(of.slots, index_threads), static_cast<unsigned>(n.of.curves)), dim3(index_threads),
         0, v);
}

/// After the lists' last piece: pieces of nothing.
__global__ __launch_bounds__(index_threads) void cut_lists_into_tiles(const std::int64_t* ends,
                                                                      sparse_conv::piece* tiles, int count) {
  const int tile = static_cast<int>(blockIdx.x * index_threads + threadIdx.x);
  if (tile >= count) return;
  sparse_conv::piece own{0, 0, 0, -1};
  int before = 0;
  for (int q = 0; q < position_lists; ++q) {
    const int begin = static_cast<int>(ends[q]), pairs = static_cast<int>(ends[q + 1]) - begin;
    const int of_list = (pairs + sparse_conv::list_tile - 1) / sparse_conv::list_tile;
    const int number = tile - before;
    if (number >= 0 && number < of_list)
      own = {q, begin + number * sparse_conv::list_tile,
             min(sparse_conv::list_tile, pairs - number * sparse_conv::list_tile), -1};
    before += of_list;
  }
  tiles[tile] = own;
}

void cut_lists(launcher& to, const problem& p, const network& n, const step& s) {
  const map_places& at = n.grid_at(s.level).map;
  const std::int64_t tiles = tiles_of(n.level_at(s.level));
  launch(to, cut_lists_into_tiles, dim3(blocks_for(tiles, index_threads)), dim3(index_threads), 0,
         in_index<std::int64_t>(p, at.ends), in_index<sparse_conv::piece>(p, at.tiles),
         static_cast<int>(tiles));
}

struct splits_view {
  const std::int64_t* ends;  ///< [lists + 1]
  sparse_conv::piece* splits;
  std::int32_t *list_ends, *part_ends;  ///< [lists + 1]
  int lists, pairs, count;
};

/// There are as many threads as splits, and no fewer than lists + 1. After the lists' last split: splits of
/// nothing.
__global__ __launch_bounds__(index_threads) void cut_lists_into_splits(splits_view v) {
  const int at = static_cast<int>(blockIdx.x * index_threads + threadIdx.x);
  sparse_conv::piece own{0, 0, 0, -1};
  int before = 0, parts = 0;
  for (int q = 0; q < v.lists; ++q) {
    const int begin = static_cast<int>(v.ends[q]), pairs = static_cast<int>(v.ends[q + 1]) - begin;
    const int of_list = (pairs + v.pairs - 1) / v.pairs, number = at - before;
    if (at == q) v.part_ends[q] = parts;
    if (number >= 0 && number < of_list)
      own = {q, begin + number * v.pairs, min(v.pairs, pairs - number * v.pairs),
             of_list > 1 ? parts + number : -1};
    before += of_list;
    if (of_list > 1) parts += of_list;
  }
  if (at == v.lists) v.part_ends[at] = parts;
  if (at <= v.lists) v.list_ends[at] = static_cast<std::int32_t>(v.ends[at]);
  if (at < v.count) v.splits[at] = own;
}

void split_lists(launcher& to, const problem& p, const network& n, const step& s) {
  const map_places& at = map_places_of(n, s);
  splits_view v{};
  v.ends = in_index<std::int64_t>(p, at.ends);
  v.splits = in_index<sparse_conv::piece>(p, at.splits);
  v.list_ends = in_index<std::int32_t>(p, at.list_ends);
  v.part_ends = in_index<std::int32_t>(p, at.part_ends);
  v.lists = s.is_stem ? stem_lists : position_lists;
  v.pairs = pairs_of_splits(n, s);
  v.count = static_cast<int>(splits_of(list_ends_of(n, s), v.pairs).count);
  launch(to, cut_lists_into_splits, dim3(blocks_for(std::max(v.count, v.lists + 1), index_threads)),
         dim3(index_threads), 0, v);
}

}  // namespace ablate::backbone
