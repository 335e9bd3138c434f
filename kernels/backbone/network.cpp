#include "kernels/backbone/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "kernels/backbone/parts.h"

namespace ablate::backbone {
namespace {

std::int64_t take(std::int64_t& used, std::int64_t bytes) {
  const std::int64_t at = used;
  used += (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
  return at;
}

class network_builder {
 public:
  network_builder(const model& m, const window_shape& shape, layer_form form) {
    n_.of = m;
    n_.shape = shape;
    n_.form = form;
    n_.layers = layers_of(m);
    n_.weights = places_of(n_.layers);
  }

  network block(std::int64_t rows) {
    n_.levels = {{rows, rows, rows, {static_cast<std::uint32_t>(rows)}}};
    const int x = add("x", row_bytes(0, n_.of.encoder[0].channels), tensor::home::input);
    finish(add_blocks(x, 0, n_.of.encoder[0], n_.layers.encoder[0]), n_.of.encoder[0].channels);
    return std::move(n_);
  }

  network backbone(const std::vector<std::uint32_t>& ends) {
    n_.levels = levels_of(ends, n_.shape, level_count);
    place_index();
    add_index_steps();
    int x = add_embed();
    std::vector<int> skipped;
    for (int l = 0; l < level_count; ++l) {
      x = add_blocks(x, l, encoder(l), n_.layers.encoder[at(l)]);
      if (l + 1 < level_count) x = add_down(x, l, skipped);
    }
    x = add_linear(x, level_count - 1, n_.layers.leaf, {});
    x = add_blocks(x, level_count - 1, n_.of.decoder.back(), n_.layers.decoder.back());
    for (int l = level_count - 2; l >= 0; --l) {
      x = add_up(x, skipped[at(l)], l);
      x = add_blocks(x, l, n_.of.decoder[at(l)], n_.layers.decoder[at(l)]);
    }
    const int channels = n_.of.decoder.front().channels;
    const int out = add("out", 2 * n_.points() * channels, tensor::home::output);
    step restore{.kind = step_kind::restore, .name = "restore", .channels = channels, .in = x, .out = out};
    push(restore);
    finish(out, channels);
    return std::move(n_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const stage& encoder(int l) const { return n_.of.encoder[at(l)]; }
  std::int64_t rows(int l) const { return n_.levels[at(l)].rows; }
  std::int64_t row_bytes(int l, std::int64_t channels) const { return 2 * rows(l) * channels; }

  int add(const std::string& name, std::int64_t bytes, tensor::home where = tensor::home::arena) {
    n_.tensors.push_back({name, bytes, where});
    return static_cast<int>(n_.tensors.size()) - 1;
  }

  /// A step needs all of its tensors; one that it is the first to need begins with it.
  void push(const step& s) {
    const int number = static_cast<int>(n_.steps.size());
    for (const int i : {s.in, s.skip, s.out, s.normed, s.product, s.scratch, s.lse}) {
      if (i < 0) continue;
      tensor& t = n_.tensors[at(i)];
      if (t.first < 0) t.first = number;
      t.last = number;
    }
    n_.steps.push_back(s);
  }

  void finish(int out, int channels) {
    n_.tensors[at(out)].at = tensor::home::output;
    n_.out_channels = channels;
    n_.arena_bytes = lay_out(n_.tensors);
  }

  void place_index() {
    index_places& index = n_.index;
    index.source = take(index.bytes, 4 * rows(0));
    for (int l = 0; l < level_count; ++l) {
      index_places::of_level of;
      of.coordinates = take(index.bytes, 6 * rows(l));
      if (l + 1 < level_count) {
        of.start = take(index.bytes, 4 * (rows(l + 1) + 1));
        of.member = take(index.bytes, 4 * n_.levels[at(l)].real);
        of.cluster = take(index.bytes, 4 * n_.levels[at(l)].real);
        of.count = take(index.bytes, 4 * (n_.instances() + 1));
      }
      index.of.push_back(of);
    }
  }

  void add_index_steps() {
    step order{.kind = step_kind::order, .name = "order"};
    order.scratch = add("order", ordering_bytes(n_));
    push(order);
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

  struct linear_options {
    int norm = -1, skip = -1;
    linear::epilogue behind = linear::epilogue::bias;
  };

  int add_linear(int x, int l, int number, const linear_options& with) {
    const layer& of = n_.layer_at(number);
    const bool is_gated = with.behind == linear::epilogue::swiglu;
    step s{.kind = step_kind::linear, .name = of.name, .level = l, .channels = of.inputs, .layer = number};
    s.norm = with.norm;
    s.behind = with.behind;
    s.in = x;
    s.skip = with.skip;
    s.out = add(of.name, row_bytes(l, is_gated ? of.outputs / 2 : of.outputs));
    s.how = plan_of(n_.form, {rows(l), of.inputs, of.outputs, s.behind, s.norm >= 0});
    if (s.how.norm == norm_place::launch) s.normed = add(of.name + ".normed", row_bytes(l, of.inputs));
    if (s.how.by == multiplier::library && (is_gated || with.behind == linear::epilogue::gelu_erf))
      s.product = add(of.name + ".product", row_bytes(l, of.outputs));
    push(s);
    return s.out;
  }

  int add_blocks(int x, int l, const stage& s, const std::vector<block_layers>& blocks) {
    for (std::size_t i = 0; i < blocks.size(); ++i) x = add_block(x, l, s, s.blocks[i], blocks[i]);
    return x;
  }

  int add_block(int x, int l, const stage& of, const scope& where, const block_layers& layers) {
    const int qkv = add_linear(x, l, layers.qkv, {.norm = layers.attention_norm});
    const int attended = add_attention(qkv, l, of, where, n_.layer_at(layers.qkv).name);
    x = add_linear(attended, l, layers.projection, {.skip = x, .behind = linear::epilogue::residual});
    if (is_mlp_in_one_launch(n_.form, rows(l), of.channels)) return add_mlp(x, l, layers);
    const int hidden =
        add_linear(x, l, layers.first, {.norm = layers.mlp_norm, .behind = linear::epilogue::swiglu});
    return add_linear(hidden, l, layers.second, {.skip = x, .behind = linear::epilogue::residual});
  }

  int add_attention(int qkv, int l, const stage& of, const scope& where, const std::string& of_layer) {
    step s{.kind = step_kind::attention, .level = l, .channels = of.channels, .heads = n_.of.heads(of)};
    s.name = of_layer.substr(0, of_layer.rfind('.')) + ".attention";
    s.windows_at = windows_of(l, where);
    s.in = qkv;
    s.out = add(s.name, row_bytes(l, of.channels));
    s.lse = add(s.name + ".lse", 4 * s.heads * rows(l));
    s.scratch = add(s.name + ".scratch", attention_scratch_bytes(n_, s));
    push(s);
    return s.out;
  }

  int add_mlp(int x, int l, const block_layers& layers) {
    const std::string& name = n_.layer_at(layers.first).name;
    step s{.kind = step_kind::mlp, .name = name.substr(0, name.rfind('.')) + ".mlp", .level = l};
    s.channels = n_.layer_at(layers.first).inputs;
    s.layer = layers.first;
    s.second = layers.second;
    s.norm = layers.mlp_norm;
    s.in = x;
    s.out = add(s.name, row_bytes(l, s.channels));
    push(s);
    return s.out;
  }

  /// The projection is what the decoder skips to, and what is pooled.
  int add_down(int x, int l, std::vector<int>& skipped) {
    const down_layers& layers = n_.layers.down[at(l)];
    skipped.push_back(add_linear(x, l, layers.linear, {}));
    step s{.kind = step_kind::reduce, .name = fmt::format("down.{}.reduce", l), .level = l};
    s.channels = n_.layer_at(layers.norm).outputs;
    s.layer = layers.norm;
    s.in = skipped.back();
    if (n_.form == layer_form::library) s.product = add(s.name + ".pooled", row_bytes(l + 1, s.channels));
    s.out = add(s.name, row_bytes(l + 1, s.channels));
    push(s);
    return s.out;
  }

  int add_up(int x, int skipped, int l) {
    const up_layers& layers = n_.layers.up[at(l)];
    const linear_options activated{.behind = linear::epilogue::gelu_erf};
    step s{.kind = step_kind::unpool, .name = fmt::format("up.{}.unpool", l), .level = l};
    s.in = add_linear(x, l + 1, layers.down, activated);
    s.skip = add_linear(skipped, l, layers.skip, activated);
    s.channels = n_.layer_at(layers.down).outputs;
    s.out = add(s.name, row_bytes(l, s.channels));
    push(s);
    return s.out;
  }

  /// Tables of equal levels and scopes are made once.
  std::int64_t windows_of(int l, const scope& where) {
    const auto key = std::tuple(rows(l), where.offset, where.stride);
    const auto [known, is_new] = tables_.try_emplace(key, static_cast<std::int64_t>(n_.windows.size()));
    if (is_new) {
      const std::vector<std::uint32_t> table = scope_table(rows(l), n_.shape, where);
      n_.windows.insert(n_.windows.end(), table.begin(), table.end());
    }
    return known->second;
  }

  network n_;
  std::map<std::tuple<std::int64_t, int, int>, std::int64_t> tables_;
};

}  // namespace

network network_of(const model& m, const std::vector<std::uint32_t>& ends, const window_shape& shape,
                   layer_form form) {
  if (m.kind != family::flash3d) throw std::invalid_argument(m.name + " is no Flash3D");
  return network_builder(m, shape, form).backbone(ends);
}

network network_of_block(const model& lone, std::int64_t rows, const window_shape& shape, layer_form form) {
  return network_builder(lone, shape, form).block(rows);
}

}  // namespace ablate::backbone
