#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// What networks of all families are made of: tensors, and the steps that layers, attention and MLPs become
/// in a form.
class step_builder {
 public:
  step_builder(const model&, const window_shape&, layer_form, pass_kind = pass_kind::inference,
               const drop_path& = {});
  /// What is there goes on.
  explicit step_builder(network n) : n_(std::move(n)) {}

 protected:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const stage& encoder(int l) const { return n_.of.encoder[at(l)]; }
  std::vector<float> encoder_drops(int l) const { return drop_rates(n_.of.encoder, l, n_.drops.rate, false); }
  std::vector<float> decoder_drops(int l) const { return drop_rates(n_.of.decoder, l, n_.drops.rate, true); }
  std::int64_t rows(int l) const { return n_.levels[at(l)].rows; }
  std::int64_t row_bytes(int l, std::int64_t channels) const { return 2 * rows(l) * channels; }

  int add(const std::string& name, std::int64_t bytes, tensor::home where = tensor::home::arena);
  /// A step needs all of its tensors; one that it is the first to need begins with it.
  void push(const step&);
  /// The output of the forward pass. Gradients, and where tensors are in the arena, come when all steps are
  /// there (kernels/backbone/networks.cpp).
  void finish(int out, int channels);

  struct linear_options {
    int norm = -1, skip = -1;
    linear::epilogue behind = linear::epilogue::bias;
    bool splits = false;  ///< into Q, K and V, where gradients take them apart
    bool is_of_slots = false;
  };
  /// With its epilogue or, in the separate form, with that as a step after it. In training an activation is
  /// one, whose gradient needs what is before it.
  int add_linear(int x, int l, int number, const linear_options&);
  /// On rows of Q, K and V, which are moved to their windows along the curve and back unless they are in
  /// buckets.
  int add_attention(int qkv, int l, const stage&, const scope&, int curve, const std::string& of_layer);
  /// On rows that are in their windows.
  int add_attention_in_windows(int qkv, int l, const stage&, const scope&, const std::string& block);
  /// A layer at the end of a branch, and the residual: those rows of the branch that are kept.
  int add_residual(int branch, int l, int number, int skip, float drop);
  /// A block's MLP after its norm, with its residual: `behind` its first layer.
  int add_mlp(int x, int l, const block_layers&, linear::epilogue behind, float drop);
  /// Clusters of projected rows to one row each, batch norm, GELU.
  int add_reduce(int projected, int l);
  /// Skipped rows, and those of the level below, each through its layer and GELU; then their sum.
  int add_up(int x, int skipped, int l);
  /// Training: a batch norm by its rows' own statistics, with GELU.
  int add_batch_norm(int x, int l, int number);
  /// Points into bucket order, with the places of that in the index; and rows back to these points: the
  /// output.
  void place_order();
  void add_order();
  void finish_restored(int x, int channels);
  /// Before the features, where steps are joined: what sums and lists are added to is 0, so many bytes
  /// of sums at first.
  void add_clearing(std::int64_t sum_bytes);
  /// What pooling leaves of a level, in the index.
  void place_clusters(index_places::of_level&, int l);

  network n_;

 private:
  bool is_step_of_its_own(linear::epilogue behind) const;
  int add_behind(int x, int l, int number, const linear_options&);
  int add_moved(step_kind, const std::string& name, int x, int l, int channels, int curve);
  int add_whole_mlp(int x, int l, const block_layers&);
  /// Tables of equal levels and scopes are made once.
  std::int64_t windows_of(int l, const scope&);

  std::map<std::tuple<std::int64_t, int, int>, std::int64_t> tables_;
};

}  // namespace ablate::backbone
