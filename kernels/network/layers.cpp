#include "kernels/network/layers.h"

#include <fmt/format.h>

#include <utility>

namespace ablate::backbone {
namespace {

constexpr int embedded_axes = 3;  ///< x, y, z
constexpr int stem_inputs = 4;    ///< and reflectance
constexpr int stem_offsets = 125, position_offsets = 27;

class table_builder {
 public:
  explicit table_builder(const model& m) : model_(m) {}

  layer_table build() {
    const bool is_flash = model_.kind == family::flash3d, is_lone = model_.decoder.empty();
    const std::size_t levels = model_.encoder.size();
    if (!is_lone) is_flash ? add_embed() : add_stem();
    for (std::size_t l = 0; l < levels; ++l) {
      const stage& s = model_.encoder[l];
      table_.encoder.push_back(add_blocks(fmt::format("encoder.{}", l), s));
      if (l + 1 < levels) add_down(fmt::format("down.{}", l), s.channels, model_.encoder[l + 1].channels);
    }
    if (is_lone) return std::move(table_);
    const int deepest = model_.encoder.back().channels;
    table_.decoder.resize(model_.decoder.size());
    if (is_flash) {
      table_.leaf = linear("leaf", deepest, model_.decoder.back().channels);
      table_.decoder.back() = add_blocks("decoder.4", model_.decoder.back());
    }
    table_.up.resize(levels - 1);
    for (std::size_t l = levels - 1; l-- > 0;) {
      const bool is_first = l + 2 == levels && !is_flash;
      const int from = is_first ? deepest : model_.decoder[l + 1].channels;
      const int skip = model_.encoder[is_flash ? l + 1 : l].channels;
      table_.up[l] = add_up(fmt::format("up.{}", l), from, skip, model_.decoder[l].channels);
      table_.decoder[l] = add_blocks(fmt::format("decoder.{}", l), model_.decoder[l]);
    }
    return std::move(table_);
  }

 private:
  int add(layer one) {
    table_.all.push_back(std::move(one));
    return static_cast<int>(table_.all.size()) - 1;
  }
  int linear(const std::string& name, int inputs, int outputs, bool has_bias = true) {
    return add({name, layer_kind::linear, inputs, outputs, has_bias});
  }
  int norm(const std::string& name, int channels) { return add({name, layer_kind::norm, 0, channels}); }
  int batch_norm(const std::string& name, int channels) {
    return add({name, layer_kind::batch_norm, 0, channels});
  }
  int folded_norm(const std::string& name, int channels, int behind) {
    return table_.all[static_cast<std::size_t>(behind)].folded = batch_norm(name, channels);
  }

  void add_embed() { table_.embed = linear("embed", embedded_axes, model_.encoder.front().channels); }
  void add_stem() {
    const int channels = model_.encoder.front().channels;
    table_.stem = linear("stem.conv", stem_offsets * stem_inputs, channels, false);
    table_.stem_norm = batch_norm("stem.norm", channels);
  }

  std::vector<block_layers> add_blocks(const std::string& name, const stage& s) {
    std::vector<block_layers> blocks;
    for (int i = 0; i < s.depth(); ++i)
      blocks.push_back(add_block(fmt::format("{}.{}", name, i), s.channels));
    return blocks;
  }
  block_layers add_block(const std::string& name, int c) {
    const bool is_flash = model_.kind == family::flash3d;
    block_layers of;
    if (!is_flash && model_.has_positions) {
      of.convolution = linear(name + ".cpe.conv", position_offsets * c, c);
      of.position = linear(name + ".cpe.linear", c, c);
      of.position_norm = norm(name + ".cpe.norm", c);
    }
    of.attention_norm = norm(name + ".norm1", c);
    of.qkv = linear(name + ".qkv", c, 3 * c);
    of.projection = linear(name + ".proj", c, c);
    of.mlp_norm = norm(name + ".norm2", c);
    of.first = linear(name + ".fc1", c, (model_.gates_mlps() ? 8 : 4) * c);
    of.second = linear(name + ".fc2", 4 * c, c);
    return of;
  }
  void add_down(const std::string& name, int from, int to) {
    const int projection = linear(name + ".linear", from, to);
    table_.down.push_back({projection, batch_norm(name + ".norm", to)});
  }
  up_layers add_up(const std::string& name, int from, int skip, int to) {
    up_layers of;
    of.down = linear(name + ".down", from, to);
    of.down_norm = folded_norm(name + ".down_norm", to, of.down);
    of.skip = linear(name + ".skip", skip, to);
    of.skip_norm = folded_norm(name + ".skip_norm", to, of.skip);
    return of;
  }

  const model& model_;
  layer_table table_;
};

}  // namespace

std::int64_t layer::parameters() const {
  if (kind != layer_kind::linear) return 2 * std::int64_t{outputs};
  return std::int64_t{inputs} * outputs + (has_bias ? outputs : 0);
}

std::int64_t layer_table::parameters() const {
  std::int64_t sum = 0;
  for (const layer& one : all) sum += one.parameters();
  return sum;
}

layer_table layers_of(const model& m) { return table_builder(m).build(); }

}  // namespace ablate::backbone
