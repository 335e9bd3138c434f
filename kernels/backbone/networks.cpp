#include "kernels/backbone/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/network/step_builder.h"
#include "kernels/ptv3/network.h"
#include "kernels/training/gradient_steps.h"

namespace ablate::backbone {
namespace {

class network_builder : step_builder {
 public:
  using step_builder::step_builder;

  network block(std::int64_t rows, const std::vector<std::uint32_t>& order) {
    n_.of.in_buckets = order.empty();
    n_.windows = order;
    n_.windows.resize(2 * order.size());
    for (std::size_t slot = 0; slot < order.size(); ++slot)
      n_.windows[order.size() + order[slot]] = static_cast<std::uint32_t>(slot);
    n_.levels = {{rows, rows, rows, rows, {static_cast<std::uint32_t>(rows)}}};
    const int x = add("x", row_bytes(0, n_.of.encoder[0].channels), tensor::home::input);
    finish(add_blocks(x, 0, n_.of.encoder[0], n_.layers.encoder[0], encoder_drops(0)),
           n_.of.encoder[0].channels);
    return std::move(n_);
  }

  network backbone(const std::vector<std::uint32_t>& ends) {
    n_.levels = levels_of(ends, n_.shape, interleaved_windows(n_.of, n_.shape.align));
    place_index();
    add_index_steps();
    add_clearing(0);
    int x = add_embed();
    std::vector<int> skipped;
    for (int l = 0; l < level_count; ++l) {
      x = add_blocks(x, l, encoder(l), n_.layers.encoder[at(l)], encoder_drops(l));
      if (l + 1 < level_count) x = add_down(x, l, skipped);
    }
    x = add_linear(x, level_count - 1, n_.layers.leaf, {});
    x = add_decoder_blocks(x, level_count - 1);
    for (int l = level_count - 2; l >= 0; --l) {
      x = add_up(x, skipped[at(l)], l);
      x = add_decoder_blocks(x, l);
    }
    finish_restored(x, n_.of.decoder.front().channels);
    return std::move(n_);
  }

 private:
  void place_index() {
    place_order();
    for (int l = 0; l < level_count; ++l) {
      index_places::of_level of;
      of.coordinates = take(n_.index.bytes, 6 * rows(l));
      if (l + 1 < level_count) place_clusters(of, l);
      n_.index.of.push_back(of);
    }
  }

  void add_index_steps() {
    add_order();
    for (int l = 0; l + 1 < level_count; ++l)
      push({.kind = step_kind::cluster, .name = fmt::format("cluster.{}", l), .level = l});
  }

  int add_embed() {
    step s{
        .kind = step_kind::embed, .name = "embed", .channels = encoder(0).channels, .layer = n_.layers.embed};
    s.out = add("embed", row_bytes(0, s.channels));
    push(s);
    return s.out;
  }

  int add_decoder_blocks(int x, int l) {
    return add_blocks(x, l, n_.of.decoder[at(l)], n_.layers.decoder[at(l)], decoder_drops(l));
  }

  int add_blocks(int x, int l, const stage& s, const std::vector<block_layers>& blocks,
                 const std::vector<float>& drops) {
    for (std::size_t i = 0; i < blocks.size(); ++i) x = add_block(x, l, s, s.blocks[i], blocks[i], drops[i]);
    return x;
  }

  int add_block(int x, int l, const stage& of, const scope& where, const block_layers& layers, float drop) {
    const int qkv = add_linear(x, l, layers.qkv, {.norm = layers.attention_norm, .splits = true});
    const int attended = add_attention(qkv, l, of, where, 0, n_.layer_at(layers.qkv).name);
    x = add_residual(attended, l, layers.projection, x, drop);
    return add_mlp(x, l, layers, n_.of.gates_mlps() ? linear::epilogue::swiglu : linear::epilogue::gelu_erf,
                   drop);
  }

  /// The projection is what the decoder skips to, and what is pooled.
  int add_down(int x, int l, std::vector<int>& skipped) {
    skipped.push_back(add_linear(x, l, n_.layers.down[at(l)].linear, {}));
    return add_reduce(skipped.back(), l);
  }
};

/// With the gradients after it in training, and the arena laid out.
network completed(network n) {
  if (n.trains()) {
    const auto out = std::ranges::find(n.tensors, tensor::home::output, &tensor::at);
    const auto number = static_cast<int>(out - n.tensors.begin());
    n = with_gradients(std::move(n), number);
  }
  n.arena_bytes = lay_out(n.tensors);
  return n;
}

}  // namespace

network network_of(const model& m, const std::vector<std::uint32_t>& ends, const window_shape& shape,
                   layer_form form, pass_kind pass, const drop_path& drops) {
  if (m.kind != family::flash3d) throw std::invalid_argument(m.name + " is no Flash3D");
  return completed(network_builder(m, shape, form, pass, drops).backbone(ends));
}

network network_of_ptv3(const model& m, const grid_levels& grid, const window_shape& shape, layer_form form,
                        index_order order, pass_kind pass, const drop_path& drops) {
  return completed(forward_of_ptv3(m, grid, shape, form, order, pass, drops));
}

network network_of_block(const model& lone, std::int64_t rows, const window_shape& shape, layer_form form,
                         const std::vector<std::uint32_t>& order, pass_kind pass, const drop_path& drops) {
  return completed(network_builder(lone, shape, form, pass, drops).block(rows, order));
}

}  // namespace ablate::backbone
