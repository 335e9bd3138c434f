// PTv3 as steps, in the order of its code: codes and orders; the stem; at each level what its windows and
// convolutions need, then the blocks; between levels a projection, the clusters, their maximum. The kernel
// map of a level serves encoder and decoder. On its way to Flash3D: rows in bucket order, so that windows
// need no index and rows stay where they are, cells and features following them once; then pools in buckets,
// which need no codes.
#include "kernels/ptv3/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/network/step_builder.h"
#include "kernels/ptv3/parts.h"
#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::backbone {
namespace {

class ptv3_builder : step_builder {
 public:
  using step_builder::step_builder;

  network build(const grid_levels& grid, index_order order) {
    n_.levels = levels_at(grid);
    n_.depth = grid.depth;
    n_.stem_list_ends = grid.stem_list_ends;
    place_index();
    if (n_.of.in_buckets) {
      add_order();
      push({.kind = step_kind::arrange, .name = "arrange"});
    }
    if (n_.pools_by_grid())
      push({.kind = step_kind::codes, .name = "codes", .scratch = add("codes", serialization_bytes(n_))});
    add_map(0, true);
    const bool is_first = order == index_order::first;
    for (int l = 0; is_first && l < level_count; ++l) {
      if (l > 0) add_clusters(l - 1);
      add_level_index(l);
    }
    add_clearing(n_.convolves_lists() ? max_sum_bytes() : 0);
    int x = add_stem(add_features());
    std::vector<int> skipped;
    for (int l = 0; l < level_count; ++l) {
      if (!is_first) add_level_index(l);
      x = add_blocks(x, l, encoder(l), n_.layers.encoder[at(l)], encoder_drops(l));
      skipped.push_back(x);
      if (l + 1 == level_count) break;
      const int projected = add_linear(x, l, n_.layers.down[at(l)].linear, {});
      if (!is_first) add_clusters(l);
      x = add_reduce(projected, l);
    }
    for (int l = level_count - 2; l >= 0; --l) {
      x = add_up(x, skipped[at(l)], l);
      x = add_blocks(x, l, n_.of.decoder[at(l)], n_.layers.decoder[at(l)], decoder_drops(l));
    }
    const int channels = n_.of.decoder.front().channels;
    n_.of.in_buckets ? finish_restored(x, channels) : finish(x, channels);
    return std::move(n_);
  }

 private:
  std::vector<level> levels_at(const grid_levels& grid) const {
    if (!n_.of.in_buckets) return levels_of(grid, n_.shape.window);
    const std::vector<int> interleaved = interleaved_windows(n_.of, n_.shape.align);
    return n_.pools_by_grid() ? levels_in_buckets(grid, n_.shape, interleaved)
                              : levels_of(grid.of.front().ends, n_.shape, interleaved);
  }

  std::int64_t place_table(std::int64_t rows, int kernel) {
    const std::int64_t offsets = kernel * kernel * kernel, words = (offsets + 31) / 32;
    return take(n_.index.bytes, 4 * (offsets + words) * rows);
  }

  map_places place_map(int l) {
    const level& of = n_.levels[at(l)];
    map_places map;
    map.table = place_table(of.real, position_kernel);
    place_lists(map, position_lists, of.pairs());
    if (n_.trains())
      place_splits(map, of.list_ends, encoder(l).channels);
    else
      map.tiles = take(n_.index.bytes, static_cast<std::int64_t>(sizeof(sparse_conv::piece)) * tiles_of(of));
    return map;
  }

  void place_lists(map_places& map, int lists, std::int64_t pairs) {
    std::int64_t& used = n_.index.bytes;
    map.ends = take(used, 8 * (lists + 1));
    map.status = take(used, 4);
    map.in_rows = take(used, 4 * pairs);
    map.out_rows = take(used, 4 * pairs);
  }

  /// What the gradient of the weights goes by.
  void place_splits(map_places& map, const std::vector<std::int64_t>& list_ends, int channels) {
    std::int64_t& used = n_.index.bytes;
    const auto bytes_of_ends = 4 * static_cast<std::int64_t>(list_ends.size());
    map.splits = take(used, static_cast<std::int64_t>(sizeof(sparse_conv::piece)) *
                                splits_of(list_ends, sparse_conv::pairs_of_split(channels)).count);
    map.list_ends = take(used, bytes_of_ends);
    map.part_ends = take(used, bytes_of_ends);
  }

  void place_index() {
    std::int64_t& used = n_.index.bytes;
    if (n_.of.in_buckets) place_order();
    n_.index.stem.table = place_table(n_.points(), stem_kernel);
    if (n_.trains()) {
      place_lists(n_.index.stem, stem_lists, n_.stem_pairs());
      place_splits(n_.index.stem, n_.stem_list_ends, sparse_conv::stem_channels);
    }
    for (int l = 0; l < level_count; ++l) {
      const level& of = n_.levels[at(l)];
      index_places::of_level all;
      grid_places& grid = all.grid;
      if (n_.of.in_buckets && (l == 0 || !n_.pools_by_grid())) all.coordinates = take(used, 6 * of.rows);
      if (l == 0 && n_.of.in_buckets) grid.cells = take(used, 12 * n_.pitch());
      if (n_.pools_by_grid()) place_grid(grid, l);
      if (l == 0 || n_.of.has_positions) grid.voxels = take(used, 16 * of.real);
      if (!n_.of.in_buckets) {
        grid.row_of_slot = take(used, 4 * n_.of.curves * of.slots);
        grid.slot_of_row = take(used, 4 * n_.of.curves * of.real);
      }
      if (n_.of.has_positions) grid.map = place_map(l);
      if (l + 1 < level_count) place_clusters(all, l);
      n_.index.of.push_back(all);
    }
  }

  /// What grid pooling goes by, and leaves.
  void place_grid(grid_places& grid, int l) {
    std::int64_t& used = n_.index.bytes;
    const std::int64_t real = n_.levels[at(l)].real, of_curves = n_.of.curves * n_.pitch();
    if (l > 0) grid.cells = take(used, 12 * real);
    if (l > 0 || n_.of.in_buckets) grid.positions = take(used, 12 * real);
    grid.codes = take(used, 8 * of_curves);
    grid.orders = take(used, 4 * of_curves);
    grid.inverses = take(used, 4 * of_curves);
  }

  void add_map(int l, bool is_stem) {
    step s{.kind = step_kind::map, .level = l, .is_stem = is_stem};
    s.name = is_stem ? "stem.map" : fmt::format("map.{}", l);
    s.scratch = add(s.name, map_bytes(n_, s));
    push(s);
  }

  /// What a level's convolutions and windows go by.
  void add_level_index(int l) {
    if (n_.of.has_positions) add_map(l, false);
    if (!n_.of.in_buckets) push({.kind = step_kind::slots, .name = fmt::format("slots.{}", l), .level = l});
  }

  void add_clusters(int l) {
    step s{.kind = step_kind::cluster, .name = fmt::format("cluster.{}", l), .level = l};
    if (n_.pools_by_grid()) s.scratch = add(s.name, grid_pooling_bytes(n_, s));
    push(s);
  }

  int add_features() {
    const std::int64_t bytes = 2 * sparse_conv::stem_channels * n_.points();
    const int given = add("features", bytes, tensor::home::input);
    if (!n_.of.in_buckets) return given;
    step take{.kind = step_kind::take, .name = "take", .channels = sparse_conv::stem_channels, .in = given};
    take.out = add(take.name, bytes);
    push(take);
    return take.out;
  }

  int add_stem(int features) {
    step conv{.kind = step_kind::convolve,
              .name = "stem.conv",
              .channels = sparse_conv::stem_channels,
              .layer = n_.layers.stem,
              .is_stem = true,
              .in = features};
    conv.out = add(conv.name, row_bytes(0, encoder(0).channels));
    push(conv);
    if (n_.trains()) return add_batch_norm(conv.out, 0, n_.layers.stem_norm);
    step norm{.kind = step_kind::batch_norm,
              .name = "stem.norm",
              .channels = encoder(0).channels,
              .layer = n_.layers.stem_norm,
              .in = conv.out};
    norm.out = add(norm.name, row_bytes(0, norm.channels));
    push(norm);
    return norm.out;
  }

  /// Of any convolution in a block.
  std::int64_t max_sum_bytes() const {
    std::int64_t most = 0;
    for (int l = 0; l < level_count; ++l) {
      most = std::max(most, sum_bytes(l, encoder(l).channels));
      if (l + 1 < level_count) most = std::max(most, sum_bytes(l, n_.of.decoder[at(l)].channels));
    }
    return most;
  }
  std::int64_t sum_bytes(int l, int channels) const { return 2 * row_bytes(l, channels); }

  int add_blocks(int x, int l, const stage& s, const std::vector<block_layers>& blocks,
                 const std::vector<float>& drops) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      x = add_block(x, l, s, static_cast<int>(i) % n_.of.curves, blocks[i], drops[i]);
    return x;
  }

  int add_block(int x, int l, const stage& of, int curve, const block_layers& layers, float drop) {
    if (n_.of.has_positions && !n_.of.in_buckets && n_.joins())
      return add_joined_block(x, l, of, curve, layers);
    if (n_.of.has_positions) x = add_position(x, l, layers);
    const int qkv = add_linear(x, l, layers.qkv, {.norm = layers.attention_norm, .splits = true});
    const int attended = add_attention(qkv, l, of, {}, curve, n_.layer_at(layers.qkv).name);
    x = add_residual(attended, l, layers.projection, x, drop);
    return add_mlp(x, l, layers, linear::epilogue::gelu_erf, drop);
  }

  /// The same with rows in their windows from the norm before attention to the projection after it.
  int add_joined_block(int x, int l, const stage& of, int curve, const block_layers& layers) {
    const std::string name = block_of(layers);
    const step entrance = add_entrance(add_encoding(x, l, layers), x, l, curve, layers);
    const int qkv = add_linear(entrance.next, l, layers.qkv, {.is_of_slots = true}),
              attended = add_attention_in_windows(qkv, l, of, {}, name),
              projected = add_linear(attended, l, layers.projection, {.is_of_slots = true});
    const bool is_whole = is_mlp_in_one_launch(n_.form, rows(l), of.channels);
    const step exit = add_exit(projected, entrance, is_whole ? -1 : layers.mlp_norm);
    if (is_whole) return add_mlp(exit.out, l, layers, linear::epilogue::gelu_erf, 0);
    const int hidden = add_linear(exit.next, l, layers.first, {.behind = linear::epilogue::gelu_erf});
    return add_residual(hidden, l, layers.second, exit.out, 0);
  }

  std::string block_of(const block_layers& layers) const {
    const std::string& name = n_.layer_at(layers.qkv).name;
    return name.substr(0, name.rfind('.'));
  }

  step add_entrance(int encoded, int x, int l, int curve, const block_layers& layers) {
    step s{.kind = step_kind::enter_windows, .name = block_of(layers) + ".enter_windows", .level = l};
    s.channels = n_.layer_at(layers.position_norm).outputs;
    s.norm = layers.position_norm;
    s.next_norm = layers.attention_norm;
    s.curve = curve;
    s.in = encoded;
    s.skip = x;
    s.out = add(s.name, row_bytes(l, s.channels));
    s.next = add(s.name + ".normed", 2 * n_.level_at(l).slots * s.channels);
    push(s);
    return s;
  }

  step add_exit(int projected, const step& entrance, int norm) {
    step s{.kind = step_kind::leave_windows, .level = entrance.level, .channels = entrance.channels};
    s.name = entrance.name.substr(0, entrance.name.rfind('.')) + ".leave_windows";
    s.curve = entrance.curve;
    s.next_norm = norm;
    s.in = projected;
    s.skip = entrance.out;
    s.out = add(s.name, row_bytes(s.level, s.channels));
    if (norm >= 0) s.next = add(s.name + ".normed", row_bytes(s.level, s.channels));
    push(s);
    return s;
  }

  /// x + norm(linear(convolution(x)))
  int add_position(int x, int l, const block_layers& layers) {
    const int encoded = add_encoding(x, l, layers);
    step sum{.kind = step_kind::add_normed, .level = l, .norm = layers.position_norm, .skip = x};
    sum.name = n_.layer_at(layers.position_norm).name;
    sum.channels = n_.layer_at(layers.position_norm).outputs;
    sum.in = encoded;
    sum.out = add(sum.name, row_bytes(l, sum.channels));
    push(sum);
    return sum.out;
  }

  /// linear(convolution(x))
  int add_encoding(int x, int l, const block_layers& layers) {
    const layer& of = n_.layer_at(layers.convolution);
    step conv{.kind = step_kind::convolve,
              .name = of.name,
              .level = l,
              .channels = of.outputs,
              .layer = layers.convolution,
              .in = x};
    conv.out = add(of.name, row_bytes(l, of.outputs));
    if (n_.convolves_lists())
      conv.scratch = n_.joins() ? n_.cleared : add(of.name + ".sums", sum_bytes(l, of.outputs));
    push(conv);
    return add_linear(conv.out, l, layers.position, {});
  }
};

}  // namespace

network forward_of_ptv3(const model& m, const grid_levels& grid, const window_shape& shape, layer_form form,
                        index_order order, pass_kind pass, const drop_path& drops) {
  if (m.kind != family::ptv3) throw std::invalid_argument(m.name + " is no PTv3");
  if (m.in_buckets && m.has_positions)
    throw std::invalid_argument(m.name + ": convolutions in blocks do not know of padding");
  return ptv3_builder(m, shape, form, pass, drops).build(grid, order);
}

}  // namespace ablate::backbone
