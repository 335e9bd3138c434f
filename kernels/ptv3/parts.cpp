#include "kernels/ptv3/parts.h"

#include <algorithm>
#include <bit>

#include "kernels/common/memory_cutter.h"

namespace ablate::backbone {
namespace {

constexpr int halvings = 1;  ///< of the grid, from a level to the next

/// Sizes alone.
serialize::problem serialization_sizes(const network& n) {
  serialize::problem p;
  p.instances = n.instances() + 1;
  p.points = n.pitch();
  p.depth = n.depth;
  p.curves = n.of.curves;
  p.index_bytes = 4;
  return p;
}

pool::problem grid_pooling_sizes(const network& n, const step& s) {
  pool::problem p;
  p.how = pool::clustering::grid;
  p.instances = n.instances();
  p.points = n.level_at(s.level).real;
  p.largest = n.level_at(s.level).largest;
  p.shift = halvings;
  p.rows = p.padded_rows = n.level_at(s.level + 1).real;
  p.channels = s.channels;
  p.op = pool::reduction::maximum;
  p.curves = n.of.curves;
  p.depth = n.depth - s.level * halvings;
  p.spacing = n.pitch();
  p.first = p.last = pool::phase::index;
  return p;
}

kernel_map::problem map_sizes(const network& n, const step& s) {
  kernel_map::problem p;
  p.rows = p.outs = n.level_at(s.level).real;
  const int kernel = s.is_stem ? stem_kernel : position_kernel;
  p.kernel = {kernel, kernel, kernel};
  p.slots = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, 2 * p.rows))));
  p.wanted = kernel_map::output::masks;
  return p;
}

/// Without the map.
sparse_conv::problem convolution_sizes(const network& n, const step& s) {
  sparse_conv::problem conv;
  conv.rows = n.level_at(s.level).real;
  conv.pairs = pairs_of(list_ends_of(n, s));
  conv.kernel = s.is_stem ? stem_kernel : position_kernel;
  conv.in_channels = s.channels;
  conv.out_channels = n.layer_at(s.layer).outputs;
  conv.has_bias = n.layer_at(s.layer).has_bias;
  return conv;
}

void place_table(sparse_conv::problem& conv, const problem& p, const map_places& at) {
  conv.table = in_index<std::int32_t>(p, at.table);
  conv.masks = in_index<std::uint32_t>(p, at.table + 4 * conv.offsets() * conv.rows);
}

/// Shares of the sums of gradients.
std::int64_t cut_convolution_gradient(sparse_conv::problem& conv, std::byte* memory) {
  memory_cutter cutter{memory};
  cutter.cut(conv.parts, conv.part_count * conv.out_channels * conv.in_channels);
  cutter.cut(conv.bias_sums, std::int64_t{sparse_conv::bias_parts} * conv.out_channels);
  return static_cast<std::int64_t>(cutter.used);
}

sparse_conv::problem convolution_gradient_sizes(const network& n, const step& s) {
  sparse_conv::problem conv = convolution_sizes(n, s);
  const list_splits splits = splits_of(list_ends_of(n, s), pairs_of_splits(n, s));
  conv.forward = false;
  conv.input_gradient = s.out >= 0;
  conv.weight_gradient = true;
  conv.split_count = splits.count;
  conv.part_count = splits.parts;
  return conv;
}

}  // namespace

const map_places& map_places_of(const network& n, const step& s) {
  return s.is_stem ? n.index.stem : n.grid_at(s.level).map;
}

const std::vector<std::int64_t>& list_ends_of(const network& n, const step& s) {
  return s.is_stem ? n.stem_list_ends : n.level_at(s.level).list_ends;
}

int pairs_of_splits(const network& n, const step& s) {
  return sparse_conv::pairs_of_split(s.is_stem ? sparse_conv::stem_channels
                                               : n.of.encoder[static_cast<std::size_t>(s.level)].channels);
}

list_splits splits_of(const std::vector<std::int64_t>& list_ends, int pairs) {
  list_splits splits;
  for (std::size_t q = 0; q + 1 < list_ends.size(); ++q) {
    const std::int64_t of_list = (list_ends[q + 1] - list_ends[q] + pairs - 1) / pairs;
    splits.count += of_list;
    if (of_list > 1) splits.parts += of_list;
  }
  return splits;
}

const std::int32_t* cells_of(const problem& p, const network& n, int l) {
  return l == 0 && !n.of.in_buckets ? p.cells : in_index<std::int32_t>(p, n.grid_at(l).cells);
}

const float* positions_of(const problem& p, const network& n, int l) {
  return l == 0 && !n.of.in_buckets ? p.positions : in_index<float>(p, n.grid_at(l).positions);
}

const std::int32_t* moved_by(const problem& p, const network& n, const step& s) {
  const window_index by = windows_of(p, n, s);
  return s.kind == step_kind::into_windows ? by.row_of_slot : by.slot_of_row;
}

window_index windows_of(const problem& p, const network& n, const step& s) {
  const level& of = n.level_at(s.level);
  if (n.is_block()) {
    const auto* const order = reinterpret_cast<const std::int32_t*>(p.windows);
    return {order, moved(order, of.slots)};
  }
  const grid_places& grid = n.grid_at(s.level);
  return {moved(in_index<std::int32_t>(p, grid.row_of_slot), s.curve * of.slots),
          moved(in_index<std::int32_t>(p, grid.slot_of_row), s.curve * of.real)};
}

std::int64_t tiles_of(const level& of) {
  std::int64_t tiles = 0;
  for (std::size_t q = 0; q + 1 < of.list_ends.size(); ++q)
    tiles += (of.list_ends[q + 1] - of.list_ends[q] + sparse_conv::list_tile - 1) / sparse_conv::list_tile;
  return tiles;
}

std::int64_t serialization_bytes(const network& n) {
  return static_cast<std::int64_t>(serialize::scratch_bytes(serialization_sizes(n)));
}
std::int64_t grid_pooling_bytes(const network& n, const step& s) {
  return static_cast<std::int64_t>(pool::scratch_bytes(grid_pooling_sizes(n, s)));
}
std::int64_t map_bytes(const network& n, const step& s) {
  return static_cast<std::int64_t>(kernel_map::scratch_bytes(map_sizes(n, s)));
}
std::int64_t grid_state_words(const network& n) {
  return pool::state_words(grid_pooling_sizes(n, {.kind = step_kind::cluster}));
}

serialize::problem serialization_of(const problem& p, const network& n, const step& s) {
  const grid_places& at = n.grid_at(0);
  serialize::problem codes = serialization_sizes(n);
  codes.grid = cells_of(p, n, 0);
  codes.ends = moved(p.ends, std::int64_t{level_count} * n.instances());
  codes.keys = in_index<std::uint64_t>(p, at.codes);
  codes.order = in_index<std::int32_t>(p, at.orders);
  codes.inverse = in_index<std::int32_t>(p, at.inverses);
  codes.scratch = scratch_at(p, n, s);
  return codes;
}

pool::problem grid_pooling_of(const problem& p, const network& n, const step& s) {
  const grid_places &from = n.grid_at(s.level), &to = n.grid_at(s.level + 1);
  pool::problem pooling = grid_pooling_sizes(n, s);
  place_pooling(pooling, p, n, s);
  pooling.cells = cells_of(p, n, s.level);
  pooling.positions = positions_of(p, n, s.level);
  pooling.codes = in_index<std::uint64_t>(p, from.codes);
  pooling.orders = in_index<std::int32_t>(p, from.orders);
  pooling.position_out = in_index<float>(p, to.positions);
  pooling.cell_out = in_index<std::int32_t>(p, to.cells);
  pooling.code_out = in_index<std::uint64_t>(p, to.codes);
  pooling.order_out = in_index<std::int32_t>(p, to.orders);
  pooling.inverse_out = in_index<std::int32_t>(p, to.inverses);
  pooling.state = p.tickets;
  if (s.kind == step_kind::cluster) pooling.scratch = scratch_at(p, n, s);
  return pooling;
}

pool::problem pooling_of(const problem& p, const network& n, const step& s) {
  return n.pools_by_grid() ? grid_pooling_of(p, n, s) : pooling_in_buckets_of(p, n, s);
}

kernel_map::problem map_of(const problem& p, const network& n, const step& s) {
  kernel_map::problem map = map_sizes(n, s);
  map.coordinates = map.out_coordinates = in_index<std::int32_t>(p, n.grid_at(s.level).voxels);
  map.tables = in_index<std::int32_t>(p, map_places_of(n, s).table);
  map.scratch = scratch_at(p, n, s);
  return map;
}

kernel_map::problem lists_of(const problem& p, const network& n, const step& s) {
  const map_places& at = map_places_of(n, s);
  kernel_map::problem lists = map_of(p, n, s);
  lists.capacity = pairs_of(list_ends_of(n, s));
  lists.ends = in_index<std::int64_t>(p, at.ends);
  lists.status = in_index<std::int32_t>(p, at.status);
  lists.in_rows = in_index<std::int32_t>(p, at.in_rows);
  lists.out_rows = in_index<std::int32_t>(p, at.out_rows);
  return lists;
}

sparse_conv::problem convolution_of(const problem& p, const network& n, const step& s) {
  const map_places& at = map_places_of(n, s);
  sparse_conv::problem conv = convolution_sizes(n, s);
  place_table(conv, p, at);
  conv.x = rows_at(p, n, s.in);
  conv.weights = moved(p.matrices, n.place_at(s.layer).matrix);
  conv.bias = moved(p.vectors, n.place_at(s.layer).vectors);
  conv.y = rows_at(p, n, s.out);
  if (s.scratch >= 0) {
    conv.in_rows = in_index<std::int32_t>(p, at.in_rows);
    conv.out_rows = in_index<std::int32_t>(p, at.out_rows);
    conv.tiles = in_index<sparse_conv::piece>(p, at.tiles);
    conv.tile_count = tiles_of(n.level_at(s.level));
    conv.sums = reinterpret_cast<float*>(scratch_at(p, n, s));
  }
  return conv;
}

std::int64_t convolution_gradient_bytes(const network& n, const step& s) {
  sparse_conv::problem conv = convolution_gradient_sizes(n, s);
  return cut_convolution_gradient(conv, nullptr);
}

sparse_conv::problem convolution_gradient_of(const problem& p, const network& n, const step& s) {
  const map_places& at = map_places_of(n, s);
  sparse_conv::problem conv = convolution_gradient_sizes(n, s);
  place_table(conv, p, at);
  conv.ends = in_index<std::int32_t>(p, at.list_ends);
  conv.in_rows = in_index<std::int32_t>(p, at.in_rows);
  conv.out_rows = in_index<std::int32_t>(p, at.out_rows);
  conv.splits = in_index<sparse_conv::piece>(p, at.splits);
  conv.part_ends = in_index<std::int32_t>(p, at.part_ends);
  conv.x = rows_at(p, n, s.kept);
  conv.weights = moved(p.matrices, n.place_at(s.layer).matrix);
  conv.out_gradient = rows_at(p, n, s.in);
  if (s.out >= 0) conv.x_gradient = rows_at(p, n, s.out);
  conv.weight_gradient_out = matrix_gradient_at(p, n, s.layer);
  conv.bias_gradient = vector_gradient_at(p, n, s.layer);
  cut_convolution_gradient(conv, scratch_at(p, n, s));
  return conv;
}

row_norm::problem batch_norm_of(const problem& p, const network& n, const step& s) {
  row_norm::problem norm;
  norm.kind = row_norm::kind::batch_inference;
  norm.rows = n.level_at(s.level).rows;
  norm.valid = n.level_at(s.level).real;
  norm.channels = s.channels;
  norm.act = row_norm::activation::gelu_erf;
  norm.in = rows_at(p, n, s.in);
  norm.mean = moved(p.vectors, n.place_at(s.layer).vectors);
  norm.variance = moved(norm.mean, s.channels);
  norm.gamma = moved(norm.mean, 2 * s.channels);
  norm.beta = moved(norm.mean, 3 * s.channels);
  norm.out = rows_at(p, n, s.out);
  if (n.trains()) {
    norm.kind = row_norm::kind::batch_training;
    norm.statistics = reinterpret_cast<float*>(rows_at(p, n, s.written));
    norm.partial = reinterpret_cast<float*>(scratch_at(p, n, s));
  }
  return norm;
}

std::vector<std::uint32_t> ends_table(const network& n) {
  std::vector<std::uint32_t> all;
  for (const level& l : n.levels) all.insert(all.end(), l.ends.begin(), l.ends.end());
  if (!n.is_ptv3()) return all;
  const std::vector<std::uint32_t>& first = n.levels.front().ends;
  all.insert(all.end(), first.begin(), first.end());
  all.push_back(static_cast<std::uint32_t>(n.pitch()));
  for (const level& l : n.levels) all.insert(all.end(), l.slot_ends.begin(), l.slot_ends.end());
  return all;
}

const std::uint32_t* slot_ends_of(const problem& p, const network& n, int l) {
  return moved(p.ends, std::int64_t{level_count + 1 + l} * n.instances() + 1);
}

const step& first_step_of_features(const network& n) {
  return *std::ranges::find_if_not(n.steps, [](const step& s) { return is_index(s.kind); });
}

}  // namespace ablate::backbone
